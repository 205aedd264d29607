//! Tells when the settings file has changed. The kernel says so where it can (Linux), so that nobody
//! has to look again and again; elsewhere the loops look when the user comes back to the window and
//! when they wake up anyway.

use std::path::{Path, PathBuf};
use std::time::SystemTime;
use tokio::sync::mpsc;

/// When a file was changed, and how long it is.
type Stamp = Option<(SystemTime, u64)>;

/// Watches one file.
#[derive(Debug)]
pub struct Watch {
    file: Option<PathBuf>,
    seen: Stamp,
    events: mpsc::Receiver<()>,
    /// Kept so that `events` stays open where nobody sends.
    _open: mpsc::Sender<()>,
}

impl Watch {
    /// Watches `file` from now on.
    pub fn new(file: Option<PathBuf>) -> Self {
        // One event in the channel says as much as many.
        let (send, events) = mpsc::channel(1);
        if let Some(file) = &file {
            kernel::listen(file, &send);
        }
        let seen = file.as_deref().and_then(stamp);
        Self { file, seen, events, _open: send }
    }

    /// Waits until something has happened to the file, or beside it.
    pub async fn event(&mut self) {
        self.events.recv().await;
    }

    /// Is the file another than when this was asked last?
    pub fn has_changed(&mut self) -> bool {
        let now = self.file.as_deref().and_then(stamp);
        let changed = now != self.seen;
        self.seen = now;
        changed
    }
}

fn stamp(file: &Path) -> Stamp {
    let data = std::fs::metadata(file).ok()?;
    Some((data.modified().ok()?, data.len()))
}

#[cfg(target_os = "linux")]
mod kernel {
    use rustix::fs::inotify::{self, CreateFlags, WatchFlags};
    use std::collections::BTreeSet;
    use std::os::fd::AsFd;
    use std::path::{Path, PathBuf};
    use tokio::sync::mpsc;

    /// Sends whenever something happens in the folder of `file` or, where it is a link, in that of
    /// the file it leads to: editors write a new file and put it in the place of the old one.
    pub(super) fn listen(file: &Path, send: &mpsc::Sender<()>) {
        let folder = |path: &Path| path.parent().map(Path::to_path_buf);
        let real = std::fs::canonicalize(file).ok();
        let folders: BTreeSet<PathBuf> =
            [folder(file), real.as_deref().and_then(folder)].into_iter().flatten().collect();
        let Ok(watch) = inotify::init(CreateFlags::CLOEXEC) else { return };
        let mut missing: Vec<PathBuf> = folders.into_iter().collect();
        missing.retain(|folder| !is_watched(&watch, folder));
        let send = send.clone();
        std::thread::spawn(move || {
            let mut bytes = [std::mem::MaybeUninit::uninit(); 4096];
            let mut events = inotify::Reader::new(&watch, &mut bytes);
            // A full channel has an event in it already.
            while events.next().is_ok() {
                missing.retain(|folder| !is_watched(&watch, folder));
                if let Err(mpsc::error::TrySendError::Closed(())) = send.try_send(()) {
                    return;
                }
            }
        });
    }

    /// Watches `folder`; where it is not there yet, the nearest folder above it that is, for folders
    /// that are made in it.
    fn is_watched(watch: &impl AsFd, folder: &Path) -> bool {
        let folder = if folder.as_os_str().is_empty() { Path::new(".") } else { folder };
        let what = WatchFlags::CLOSE_WRITE | WatchFlags::MOVED_TO | WatchFlags::DELETE;
        let made = WatchFlags::CREATE | WatchFlags::MOVED_TO | WatchFlags::MASK_ADD;
        // Made while this looks from below upwards, a folder would be missed: so it looks again.
        loop {
            if inotify::add_watch(watch, folder, what | WatchFlags::MASK_ADD).is_ok() {
                return true;
            }
            let above = folder.ancestors().skip(1);
            let near =
                above.take_while(|path| !path.as_os_str().is_empty()).find(|path| path.exists());
            let Some(near) = near else { return false };
            if inotify::add_watch(watch, near, made).is_err() {
                return false;
            }
            let next = folder.strip_prefix(near).ok().and_then(|rest| rest.iter().next());
            if !next.is_some_and(|next| near.join(next).exists()) {
                return false;
            }
        }
    }
}

#[cfg(not(target_os = "linux"))]
mod kernel {
    use std::path::Path;
    use tokio::sync::mpsc;

    pub(super) fn listen(_file: &Path, _send: &mpsc::Sender<()>) {}
}

#[cfg(test)]
mod tests {
    use super::*;

    fn wait(watch: &mut Watch) -> bool {
        let runtime = tokio::runtime::Builder::new_current_thread().build().unwrap();
        runtime.block_on(watch.event());
        watch.has_changed()
    }

    #[test]
    #[cfg_attr(not(target_os = "linux"), ignore = "only the kernel of Linux is asked")]
    fn a_file_that_is_written_replaced_or_linked_is_noticed() {
        let folder = tempfile::tempdir().unwrap();
        let (file, other) = (folder.path().join("config.toml"), folder.path().join("new"));
        let mut watch = Watch::new(Some(file.clone()));
        assert!(!watch.has_changed());
        std::fs::write(&file, "a = 1").unwrap();
        assert!(wait(&mut watch));
        assert!(!watch.has_changed());
        std::fs::write(&other, "a = 1234").unwrap();
        std::fs::rename(&other, &file).unwrap();
        // The first event may be that of the other file.
        while !wait(&mut watch) {}
        let away = tempfile::tempdir().unwrap();
        let link = away.path().join("config.toml");
        std::os::unix::fs::symlink(&file, &link).unwrap();
        let mut linked = Watch::new(Some(link));
        std::fs::write(&file, "a = 123456").unwrap();
        assert!(wait(&mut linked));
    }

    #[test]
    #[cfg_attr(not(target_os = "linux"), ignore = "only the kernel of Linux is asked")]
    fn a_folder_that_is_made_later_is_noticed() {
        let home = tempfile::tempdir().unwrap();
        let folder = home.path().join(".config/haggle");
        let mut watch = Watch::new(Some(folder.join("config.toml")));
        std::fs::create_dir_all(&folder).unwrap();
        std::fs::write(folder.join("config.toml"), "a = 1").unwrap();
        while !wait(&mut watch) {}
        std::fs::write(folder.join("config.toml"), "a = 12").unwrap();
        while !wait(&mut watch) {}
    }

    #[test]
    fn no_file_is_no_reason_to_stop() {
        let mut none = Watch::new(None);
        assert!(!none.has_changed());
        let mut nowhere = Watch::new(Some("/nowhere/at/all/config.toml".into()));
        assert!(!nowhere.has_changed());
    }
}
