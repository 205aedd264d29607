//! The program in a pseudo-terminal: keys go in, frames come out with the time of their last byte.

use portable_pty::{Child, CommandBuilder, MasterPty, PtySize, native_pty_system};
use std::io::{Read, Write};
use std::path::Path;
use std::sync::mpsc::{self, Receiver};
use std::time::{Duration, Instant};

/// What ends a frame: the end of a synchronised update.
const END: &[u8] = b"\x1b[?2026l";
/// The program is at rest when it has written nothing for so long.
const QUIET: Duration = Duration::from_millis(400);
/// No frame by then: the key changed nothing.
const NO_FRAME: Duration = Duration::from_millis(1500);
/// Between two keys: more than the shortest time between two frames, as fast as people type.
const BETWEEN: Duration = Duration::from_millis(60);

const COLS: u16 = 160;
const ROWS: u16 = 48;

/// What to start.
pub(crate) struct Start<'a> {
    pub(crate) program: &'a Path,
    pub(crate) home: &'a Path,
    /// The market that lies in the cache.
    pub(crate) cache: Option<&'a Path>,
}

/// The program while it runs.
pub(crate) struct Session {
    child: Box<dyn Child + Send + Sync>,
    /// Closing it would hang up.
    _master: Box<dyn MasterPty + Send>,
    keys: Box<dyn Write + Send>,
    pieces: Receiver<(Instant, Vec<u8>)>,
    pub(crate) first_frame: Duration,
}

/// What an idle program did.
pub(crate) struct Idle {
    pub(crate) bytes: usize,
    pub(crate) wake_ups: u64,
}

impl Session {
    /// Starts the program and waits for its first frame.
    pub(crate) fn start(start: &Start<'_>) -> Session {
        let size = PtySize { rows: ROWS, cols: COLS, pixel_width: 0, pixel_height: 0 };
        let pair = native_pty_system().openpty(size).expect("a pseudo-terminal");
        let cache = start.home.join("cache");
        let place = cache.join("haggle/market.haggle");
        std::fs::create_dir_all(cache.join("haggle")).expect("a cache folder");
        // The last market may lie there.
        let _ = std::fs::remove_file(&place);
        if let Some(market) = start.cache {
            std::fs::hard_link(market, &place).expect("the market in the cache");
        }
        let mut command = CommandBuilder::new(start.program);
        command.arg("--offline");
        command.env_clear();
        for (name, value) in [("TERM", "xterm-256color"), ("LANG", "C.UTF-8")] {
            command.env(name, value);
        }
        command.env("HOME", start.home);
        command.env("XDG_CACHE_HOME", &cache);
        command.cwd(start.home);
        let mut reader = pair.master.try_clone_reader().expect("what the program writes");
        let (sender, pieces) = mpsc::channel();
        let began = Instant::now();
        let child = pair.slave.spawn_command(command).expect("the program");
        std::thread::spawn(move || {
            let mut buffer = vec![0; 1 << 16];
            while let Ok(n @ 1..) = reader.read(&mut buffer) {
                if sender.send((Instant::now(), buffer[..n].to_vec())).is_err() {
                    return;
                }
            }
        });
        let keys = pair.master.take_writer().expect("where keys go");
        let mut session =
            Session { child, _master: pair.master, keys, pieces, first_frame: Duration::ZERO };
        let ended = session.frame(Duration::from_secs(30)).expect("a first frame");
        session.first_frame = ended - began;
        session
    }

    /// Presses a key; the time to the last byte of the next frame, `None` when none came.
    pub(crate) fn press(&mut self, key: &str) -> Option<Duration> {
        std::thread::sleep(BETWEEN);
        self.drain();
        let began = Instant::now();
        self.keys.write_all(key.as_bytes()).expect("the program takes keys");
        self.keys.flush().expect("the program takes keys");
        self.frame(NO_FRAME).map(|ended| ended - began)
    }

    /// Presses keys that are not measured.
    pub(crate) fn press_all(&mut self, keys: &[&str]) {
        for key in keys {
            self.press(key);
        }
        if !keys.is_empty() {
            self.settle();
        }
    }

    /// Waits until the program is at rest.
    pub(crate) fn settle(&mut self) {
        while self.pieces.recv_timeout(QUIET).is_ok() {}
    }

    /// Bytes in memory.
    pub(crate) fn resident(&self) -> u64 {
        let id = self.child.process_id().expect("a running program");
        let status = std::fs::read_to_string(format!("/proc/{id}/status")).unwrap_or_default();
        let line = status.lines().find_map(|l| l.strip_prefix("VmRSS:"));
        let kib = line.and_then(|l| l.trim().split(' ').next()).and_then(|n| n.parse::<u64>().ok());
        kib.unwrap_or(0) * 1024
    }

    /// Watches the program while nobody presses a key.
    pub(crate) fn watch(&mut self, time: Duration) -> Idle {
        let before = self.switches();
        std::thread::sleep(time);
        let wake_ups = self.switches() - before;
        let bytes = std::iter::from_fn(|| self.pieces.try_recv().ok()).map(|p| p.1.len()).sum();
        Idle { bytes, wake_ups }
    }

    /// How often its threads have given the processor back so far: once for every wake-up.
    fn switches(&self) -> u64 {
        let id = self.child.process_id().expect("a running program");
        let tasks = std::fs::read_dir(format!("/proc/{id}/task")).expect("a running program");
        let of = |status: String| {
            let line = status.lines().find_map(|l| l.strip_prefix("voluntary_ctxt_switches:"));
            line.and_then(|n| n.trim().parse::<u64>().ok()).unwrap_or(0)
        };
        let statuses =
            tasks.flatten().filter_map(|t| std::fs::read_to_string(t.path().join("status")).ok());
        statuses.map(of).sum()
    }

    fn drain(&mut self) {
        while self.pieces.try_recv().is_ok() {}
    }

    /// When the last byte of the next frame came.
    fn frame(&mut self, patience: Duration) -> Option<Instant> {
        let mut tail = Vec::new();
        loop {
            let (at, bytes) = self.pieces.recv_timeout(patience).ok()?;
            tail.extend_from_slice(&bytes);
            if tail.windows(END.len()).any(|w| w == END) {
                return Some(at);
            }
            tail.drain(..tail.len().saturating_sub(END.len()));
        }
    }
}

impl Drop for Session {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}
