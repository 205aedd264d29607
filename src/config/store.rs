//! Files written whole or not at all: into a temporary file beside the target, synced, renamed.

use std::fs::{self, File};
use std::io::{self, Write};
use std::path::{Path, PathBuf};

/// Writes `bytes` to `path`, replacing what was there in one step. Folders are made as needed.
///
/// Another process sees the old file or the new one, never a part.
pub fn write_whole(path: &Path, bytes: &[u8]) -> io::Result<()> {
    let folder = folder_of(path);
    fs::create_dir_all(&folder)?;
    let mut temporary = tempfile::Builder::new().prefix(".haggle-").tempfile_in(&folder)?;
    temporary.write_all(bytes)?;
    temporary.as_file().sync_all()?;
    temporary.persist(path).map_err(|e| e.error)?;
    sync_folder(&folder);
    Ok(())
}

/// As [`write_whole`], but refuses to replace a file that is already there.
pub fn write_new(path: &Path, bytes: &[u8]) -> io::Result<()> {
    let folder = folder_of(path);
    fs::create_dir_all(&folder)?;
    let mut temporary = tempfile::Builder::new().prefix(".haggle-").tempfile_in(&folder)?;
    temporary.write_all(bytes)?;
    temporary.as_file().sync_all()?;
    temporary.persist_noclobber(path).map_err(|e| e.error)?;
    sync_folder(&folder);
    Ok(())
}

/// Puts a file that cannot be read out of the way, beside its old place, and tells where.
pub fn keep_aside(path: &Path) -> io::Result<PathBuf> {
    let mut name = path.file_name().unwrap_or_default().to_os_string();
    name.push(".unreadable");
    let aside = path.with_file_name(name);
    fs::rename(path, &aside)?;
    Ok(aside)
}

/// What is the matter with a file, in words.
pub fn problem(error: &io::Error) -> String {
    match error.kind() {
        io::ErrorKind::NotFound => "there is no such file".to_owned(),
        io::ErrorKind::IsADirectory => "this is a folder, not a file".to_owned(),
        io::ErrorKind::NotADirectory => "a part of this path is no folder".to_owned(),
        io::ErrorKind::PermissionDenied => "permission denied".to_owned(),
        io::ErrorKind::InvalidData => "this is no text in UTF-8".to_owned(),
        _ => error.to_string(),
    }
}

fn folder_of(path: &Path) -> PathBuf {
    match path.parent() {
        Some(folder) if !folder.as_os_str().is_empty() => folder.to_path_buf(),
        _ => PathBuf::from("."),
    }
}

/// Makes the rename itself durable, where the system lets us open a folder.
fn sync_folder(folder: &Path) {
    if let Ok(handle) = File::open(folder) {
        handle.sync_all().ok();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_file_is_replaced_whole_and_nothing_else_is_left() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("deep/er/market");
        write_whole(&path, b"one").unwrap();
        write_whole(&path, b"two").unwrap();
        assert_eq!(fs::read(&path).unwrap(), b"two");
        assert_eq!(fs::read_dir(path.parent().unwrap()).unwrap().count(), 1);
    }

    #[test]
    fn an_existing_export_is_not_overwritten() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("job.json");
        write_new(&path, b"mine").unwrap();
        let again = write_new(&path, b"other").unwrap_err();
        assert_eq!(again.kind(), io::ErrorKind::AlreadyExists);
        assert_eq!(fs::read(&path).unwrap(), b"mine");
    }

    #[test]
    fn an_unreadable_file_is_kept() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("market.haggle");
        fs::write(&path, b"garbage").unwrap();
        let aside = keep_aside(&path).unwrap();
        assert!(!path.exists());
        assert_eq!(fs::read(aside).unwrap(), b"garbage");
    }
}
