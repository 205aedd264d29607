//! Files written whole or not at all: into a temporary file beside the target, synced, renamed.
//! What several runs may change at once is changed under a lock; what cannot be read is kept aside.

use std::fs::{self, File, Metadata, OpenOptions, TryLockError};
use std::io::{self, ErrorKind, Write};
use std::path::{Path, PathBuf};
use std::thread::sleep;
use std::time::Duration;

/// How the temporary files begin; six random letters follow.
const TEMPORARY: &str = ".haggle-";
/// A temporary file of this age was left behind by a run that was killed.
const ABANDONED: Duration = Duration::from_hours(1);
/// How often, and how far apart, a lock is tried that somebody else holds: ten seconds in all.
const TRIES: u32 = 400;
const PAUSE: Duration = Duration::from_millis(25);

/// Writes `bytes` to `path`, replacing what was there in one step. Folders are made as needed; links
/// are followed; devices and pipes are written to as they are.
///
/// Another process sees the old file or the new one, never a part.
pub fn write_whole(path: &Path, bytes: &[u8]) -> io::Result<()> {
    // A link stays a link: the file behind it is the one that is replaced.
    let target = fs::canonicalize(path).unwrap_or_else(|_| path.to_path_buf());
    let old = fs::metadata(&target).ok();
    if old.as_ref().is_some_and(|m| !m.is_file()) {
        return OpenOptions::new().write(true).open(&target)?.write_all(bytes);
    }
    let temporary = prepare(&target, bytes, old.as_ref())?;
    temporary.as_file().sync_all()?;
    temporary.persist(&target).map_err(|e| e.error)?;
    sync_folder(&folder_of(&target));
    Ok(())
}

/// As [`write_whole`], but refuses to replace a file that is already there.
pub fn write_new(path: &Path, bytes: &[u8]) -> io::Result<()> {
    let temporary = prepare(path, bytes, None)?;
    temporary.as_file().sync_all()?;
    temporary.persist_noclobber(path).map_err(|e| e.error)?;
    sync_folder(&folder_of(path));
    Ok(())
}

/// As [`write_whole`], but a file of other content that is already there is kept beside its place;
/// tells where.
pub fn replace(path: &Path, bytes: &[u8]) -> io::Result<Option<PathBuf>> {
    if fs::metadata(path).is_ok_and(|m| !m.is_file()) {
        return write_whole(path, bytes).map(|()| None);
    }
    match write_new(path, bytes) {
        Err(e) if e.kind() == ErrorKind::AlreadyExists => {}
        outcome => return outcome.map(|()| None),
    }
    if fs::read(path)? == bytes {
        return write_whole(path, bytes).map(|()| None);
    }
    let kept = free_name(path, "~")?;
    fs::copy(path, &kept)?;
    write_whole(path, bytes).map(|()| Some(kept))
}

/// Changes a file that other runs may be changing at this moment: `change` gets its bytes (`None`
/// when there is no such file) and says what it shall hold.
pub fn update(
    path: &Path,
    change: impl FnOnce(Option<Vec<u8>>) -> io::Result<Vec<u8>>,
) -> io::Result<()> {
    let _lock = lock(path)?;
    write_whole(path, &change(present(path)?)?)
}

/// As [`update`], for a file that is written often and whose loss does no harm: still whole or not at
/// all for every other process, but not safe from a machine that loses its power.
pub fn update_loosely(
    path: &Path,
    change: impl FnOnce(Option<Vec<u8>>) -> io::Result<Vec<u8>>,
) -> io::Result<()> {
    let _lock = lock(path)?;
    let temporary = prepare(path, &change(present(path)?)?, None)?;
    temporary.persist(path).map_err(|e| e.error)?;
    Ok(())
}

/// Waits until nobody else changes `path`. The lock goes with its handle, however this ends.
fn lock(path: &Path) -> io::Result<File> {
    let folder = folder_of(path);
    fs::create_dir_all(&folder)?;
    let name = format!("{TEMPORARY}{}.lock", path.file_name().unwrap_or_default().display());
    let lock =
        OpenOptions::new().create(true).truncate(false).write(true).open(folder.join(name))?;
    acquire(&lock)?;
    Ok(lock)
}

/// What the file holds, if there is one.
fn present(path: &Path) -> io::Result<Option<Vec<u8>>> {
    match fs::read(path) {
        Ok(bytes) => Ok(Some(bytes)),
        Err(e) if e.kind() == ErrorKind::NotFound => Ok(None),
        Err(e) => Err(e),
    }
}

/// Adds a line at the end of a file. A last line that was never finished stays, on a line of its own.
pub fn append_line(path: &Path, line: &str) -> io::Result<()> {
    update(path, |old| {
        let mut bytes = old.unwrap_or_default();
        if bytes.last().is_some_and(|last| *last != b'\n') {
            bytes.push(b'\n');
        }
        bytes.extend_from_slice(line.as_bytes());
        bytes.push(b'\n');
        Ok(bytes)
    })
}

/// Puts a file that cannot be read out of the way, beside its old place, and tells where. Files that
/// were put aside before stay.
pub fn keep_aside(path: &Path) -> io::Result<PathBuf> {
    let aside = free_name(path, ".unreadable")?;
    fs::rename(path, &aside)?;
    Ok(aside)
}

/// What is the matter with a file, in words.
pub fn problem(error: &io::Error) -> String {
    match error.kind() {
        ErrorKind::NotFound => "there is no such file".to_owned(),
        ErrorKind::IsADirectory => "this is a folder, not a file".to_owned(),
        ErrorKind::NotADirectory => "a part of this path is no folder".to_owned(),
        ErrorKind::PermissionDenied => "permission denied".to_owned(),
        ErrorKind::InvalidData => "this is no text in UTF-8".to_owned(),
        _ => error.to_string(),
    }
}

/// The path with `ending` behind it, and a number where that is taken.
fn free_name(path: &Path, ending: &str) -> io::Result<PathBuf> {
    let named = |number: u32| {
        let mut name = path.file_name().unwrap_or_default().to_os_string();
        name.push(ending);
        if number > 1 {
            name.push(number.to_string());
        }
        path.with_file_name(name)
    };
    let free = (1..1000).map(named).find(|name| fs::symlink_metadata(name).is_err());
    free.ok_or_else(|| {
        io::Error::new(ErrorKind::AlreadyExists, "a thousand old ones lie beside it")
    })
}

fn acquire(lock: &File) -> io::Result<()> {
    for _ in 0..TRIES {
        match lock.try_lock() {
            Ok(()) => return Ok(()),
            Err(TryLockError::WouldBlock) => sleep(PAUSE),
            // Some network file systems know no locks; better unlocked than not at all.
            Err(TryLockError::Error(e)) if e.kind() == ErrorKind::Unsupported => return Ok(()),
            Err(TryLockError::Error(e)) => return Err(e),
        }
    }
    Err(io::Error::new(ErrorKind::WouldBlock, "another haggle is changing it and does not end"))
}

/// The temporary file beside `path`, written, with the rights of the file that it is to
/// replace (a new one is its owner's alone).
fn prepare(
    path: &Path,
    bytes: &[u8],
    old: Option<&Metadata>,
) -> io::Result<tempfile::NamedTempFile> {
    let folder = folder_of(path);
    fs::create_dir_all(&folder)?;
    sweep(&folder);
    let mut temporary = tempfile::Builder::new().prefix(TEMPORARY).tempfile_in(&folder)?;
    temporary.write_all(bytes)?;
    if let Some(old) = old {
        // Whoever owns the file decided this; where it cannot be kept, the file is merely stricter.
        let _ = temporary.as_file().set_permissions(old.permissions());
    }
    Ok(temporary)
}

/// Removes what runs that were killed have left behind in `folder`.
fn sweep(folder: &Path) {
    for entry in fs::read_dir(folder).into_iter().flatten().flatten() {
        let name = entry.file_name();
        let random = name.to_str().and_then(|n| n.strip_prefix(TEMPORARY));
        if random.is_none_or(|r| r.len() != 6 || r.contains('.')) {
            continue;
        }
        let age = entry.metadata().ok().and_then(|m| m.modified().ok()?.elapsed().ok());
        if age.is_some_and(|age| age > ABANDONED) {
            let _ = fs::remove_file(entry.path());
        }
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
    fn what_is_replaced_lies_beside_it_unless_it_says_the_same() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("job.json");
        assert_eq!(replace(&path, b"one").unwrap(), None);
        assert_eq!(replace(&path, b"one").unwrap(), None);
        for (text, before, name) in [("two", "one", "job.json~"), ("three", "two", "job.json~2")] {
            let kept = replace(&path, text.as_bytes()).unwrap().unwrap();
            assert_eq!(kept.file_name().unwrap(), name);
            assert_eq!(fs::read_to_string(kept).unwrap(), before);
            assert_eq!(fs::read_to_string(&path).unwrap(), text);
        }
    }

    #[test]
    fn files_that_cannot_be_read_are_kept_one_beside_the_other() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("market.haggle");
        for text in ["garbage", "more garbage"] {
            fs::write(&path, text).unwrap();
            let aside = keep_aside(&path).unwrap();
            assert!(!path.exists());
            assert_eq!(fs::read_to_string(aside).unwrap(), text);
        }
    }

    #[test]
    fn lines_that_are_added_at_once_are_all_there() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("runs.jsonl");
        fs::write(&path, "cut off").unwrap();
        std::thread::scope(|scope| {
            for writer in 0..4 {
                let path = &path;
                scope.spawn(move || {
                    for line in 0..5 {
                        append_line(path, &format!("{writer}-{line}")).unwrap();
                    }
                });
            }
        });
        let text = fs::read_to_string(&path).unwrap();
        assert_eq!(text.lines().count(), 21, "{text}");
        assert!(text.starts_with("cut off\n") && text.ends_with('\n'));
    }

    #[cfg(unix)]
    #[test]
    fn links_and_devices_stay_what_they_are_and_rights_are_kept() {
        use std::os::unix::fs::{PermissionsExt, symlink};
        let folder = tempfile::tempdir().unwrap();
        let (real, link) = (folder.path().join("real"), folder.path().join("link"));
        fs::write(&real, "old").unwrap();
        fs::set_permissions(&real, fs::Permissions::from_mode(0o640)).unwrap();
        symlink(&real, &link).unwrap();
        write_whole(&link, b"new").unwrap();
        assert!(fs::symlink_metadata(&link).unwrap().is_symlink());
        assert_eq!(fs::read(&real).unwrap(), b"new");
        assert_eq!(fs::metadata(&real).unwrap().permissions().mode() & 0o777, 0o640);
        let null = folder.path().join("null");
        symlink("/dev/null", &null).unwrap();
        write_whole(&null, b"gone").unwrap();
        assert!(!fs::metadata(&null).unwrap().is_file());
        assert_eq!(replace(&null, b"gone").unwrap(), None);
    }

    #[test]
    fn what_a_killed_run_left_is_swept_away_and_nothing_else() {
        let folder = tempfile::tempdir().unwrap();
        let long_ago = std::time::SystemTime::now() - 2 * ABANDONED;
        for name in [".haggle-Ab3dEf", ".haggle-views.toml.lock", ".haggle-fresh1", "mine"] {
            let file = File::create(folder.path().join(name)).unwrap();
            if name != ".haggle-fresh1" {
                file.set_modified(long_ago).unwrap();
            }
        }
        write_whole(&folder.path().join("x"), b"x").unwrap();
        let mut left: Vec<_> = fs::read_dir(folder.path())
            .unwrap()
            .map(|e| e.unwrap().file_name().into_string().unwrap())
            .collect();
        left.sort();
        assert_eq!(left, [".haggle-fresh1", ".haggle-views.toml.lock", "mine", "x"]);
    }
}
