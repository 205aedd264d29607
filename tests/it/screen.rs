//! The real program in a pseudo-terminal: what it draws, and what it leaves behind.

use haggle::market::synthetic;
use haggle::offer::Provider;
use haggle::snapshot::{self, Head, Packing, ProviderState, Snapshot};
use haggle::units::UnixSeconds;
use portable_pty::{Child, CommandBuilder, PtySize, native_pty_system};
use std::io::{Read, Write};
use std::num::NonZero;
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{Receiver, RecvTimeoutError, channel};
use std::time::{Duration, Instant};

/// Nothing that is waited for takes this long, except on a machine that is stuck.
const PATIENCE: Duration = Duration::from_secs(30);

/// A terminal with the program in it.
pub(crate) struct Term {
    child: Box<dyn Child + Send + Sync>,
    writer: Option<Box<dyn Write + Send>>,
    master: Option<Box<dyn portable_pty::MasterPty + Send>>,
    bytes: Receiver<Vec<u8>>,
    screen: vt100::Parser,
    /// Everything that was written.
    pub(crate) raw: Vec<u8>,
    /// Makes the reader let go of the terminal at its next output.
    hang_up: Arc<AtomicBool>,
    folder: tempfile::TempDir,
}

fn market_file(folder: &Path, rows: usize) {
    let providers = Provider::ALL.map(|provider| ProviderState {
        provider,
        rows: rows / 8,
        fetched_at: Some(UnixSeconds(synthetic::MADE_AT)),
        coverage: None,
        coverage_note: None,
        error: None,
    });
    let head = Head {
        at: UnixSeconds(synthetic::MADE_AT),
        providers: providers.to_vec(),
        ..Head::default()
    };
    let snapshot = Snapshot { head, offers: synthetic::market(rows, 7) };
    std::fs::write(folder.join("market"), snapshot::encode(&snapshot, Packing::Stored)).unwrap();
}

fn cells(n: u16) -> NonZero<u16> {
    NonZero::new(n).unwrap()
}

impl Term {
    fn start(columns: u16, rows: u16, env: &[(&str, &str)]) -> Self {
        let folder = tempfile::tempdir().unwrap();
        market_file(folder.path(), 200);
        let mut command = CommandBuilder::new(env!("CARGO_BIN_EXE_haggle"));
        command.args(["--from", "market"]);
        Self::spawn(folder, command, columns, rows, env)
    }

    pub(crate) fn spawn(
        folder: tempfile::TempDir,
        mut command: CommandBuilder,
        columns: u16,
        rows: u16,
        env: &[(&str, &str)],
    ) -> Self {
        let size = PtySize { rows, cols: columns, pixel_width: 0, pixel_height: 0 };
        let pair = native_pty_system().openpty(size).unwrap();
        command.cwd(folder.path());
        command.env_clear();
        for (name, value) in
            [("TERM", "xterm-256color"), ("LANG", "C.UTF-8"), ("RUST_BACKTRACE", "0")]
        {
            command.env(name, value);
        }
        command.env("PATH", std::env::var_os("PATH").unwrap_or_default());
        command.env("HOME", folder.path());
        for (name, value) in env {
            command.env(name, value);
        }
        let child = pair.slave.spawn_command(command).unwrap();
        drop(pair.slave);
        let mut reader = pair.master.try_clone_reader().unwrap();
        let (send, bytes) = channel();
        let hang_up = Arc::new(AtomicBool::new(false));
        let stop = hang_up.clone();
        std::thread::spawn(move || {
            let mut buffer = [0; 4096];
            while let Ok(n) = reader.read(&mut buffer) {
                let hung_up = stop.load(Ordering::SeqCst);
                if n == 0 || hung_up || send.send(buffer[..n].to_vec()).is_err() {
                    break;
                }
            }
        });
        let writer = Some(pair.master.take_writer().unwrap());
        let screen = vt100::Parser::new(cells(rows), cells(columns), 0);
        let master = Some(pair.master);
        Self { child, writer, master, bytes, screen, raw: Vec::new(), hang_up, folder }
    }

    fn take_in(&mut self, bytes: &[u8]) {
        self.raw.extend_from_slice(bytes);
        self.screen.process(bytes);
    }

    fn text(&self) -> String {
        self.screen.screen().contents()
    }

    /// Waits until the screen meets `what`.
    pub(crate) fn until(&mut self, what: impl Fn(&vt100::Screen, &[u8]) -> bool) {
        let end = Instant::now() + PATIENCE;
        while !what(self.screen.screen(), &self.raw) {
            let left = end.saturating_duration_since(Instant::now());
            match self.bytes.recv_timeout(left) {
                Ok(bytes) => self.take_in(&bytes),
                Err(late) => panic!("waited in vain ({late}); the screen shows:\n{}", self.text()),
            }
        }
    }

    pub(crate) fn until_text(&mut self, text: &str) {
        let text = text.to_string();
        self.until(move |screen, _| screen.contents().contains(&text));
    }

    pub(crate) fn keys(&mut self, keys: &str) {
        let writer = self.writer.as_mut().unwrap();
        writer.write_all(keys.as_bytes()).unwrap();
        writer.flush().unwrap();
    }

    pub(crate) fn signal(&self, name: &str) {
        let pid = self.child.process_id().unwrap().to_string();
        let sent = std::process::Command::new("kill").args(["-s", name, &pid]).status().unwrap();
        assert!(sent.success());
    }

    /// Waits until the process stands still, as a shell does before it continues a job: a signal to
    /// go on that came before the stop would be lost.
    fn until_stopped(&self) {
        let pid = self.child.process_id().unwrap().to_string();
        let end = Instant::now() + PATIENCE;
        loop {
            let state =
                std::process::Command::new("ps").args(["-o", "state=", "-p", &pid]).output();
            if String::from_utf8_lossy(&state.unwrap().stdout).trim().starts_with('T') {
                return;
            }
            assert!(Instant::now() < end, "it does not stop");
        }
    }

    /// Waits for the end; the exit code.
    pub(crate) fn end(&mut self) -> u32 {
        let end = Instant::now() + PATIENCE;
        loop {
            match self.bytes.recv_timeout(Duration::from_millis(20)) {
                Ok(bytes) => self.take_in(&bytes),
                Err(RecvTimeoutError::Disconnected) => break,
                Err(RecvTimeoutError::Timeout) => {
                    if self.child.try_wait().unwrap().is_some() {
                        break;
                    }
                }
            }
            assert!(Instant::now() < end, "it does not end; the screen shows:\n{}", self.text());
        }
        // Its last words end when nobody holds the terminal any more.
        while let Ok(bytes) = self.bytes.recv_timeout(PATIENCE) {
            self.take_in(&bytes);
        }
        self.child.wait().unwrap().exit_code()
    }

    /// What was switched on has been switched off, once.
    pub(crate) fn is_clean(&self) {
        self.is_clean_but_for_frames();
        let raw = String::from_utf8_lossy(&self.raw);
        assert!(raw.rfind("\u{1b}[?2026h") < raw.rfind("\u{1b}[?2026l"));
    }

    pub(crate) fn is_clean_but_for_frames(&self) {
        let raw = String::from_utf8_lossy(&self.raw);
        for (on, off) in [
            ("\u{1b}[?1049h", "\u{1b}[?1049l"),
            ("\u{1b}[?2004h", "\u{1b}[?2004l"),
            ("\u{1b}[?1000h", "\u{1b}[?1000l"),
            ("\u{1b}[?1004h", "\u{1b}[?1004l"),
        ] {
            let count = |code: &str| raw.matches(code).count();
            assert!(count(on) > 0, "{on:?} was never written");
            assert_eq!(count(on), count(off), "{on:?} and {off:?}");
        }
        let screen = self.screen.screen();
        assert!(!screen.alternate_screen() && !screen.bracketed_paste() && !screen.hide_cursor());
    }
}

impl Drop for Term {
    fn drop(&mut self) {
        let _ = self.child.kill();
    }
}

#[test]
fn it_opens_filters_and_quits() {
    let mut term = Term::start(120, 40, &[]);
    term.until_text("of 200 offers");
    term.until_text("? help");
    term.keys("v80\r");
    term.until_text("vram>=80");
    term.keys("q");
    assert_eq!(term.end(), 0);
    term.is_clean();
    crate::reliability::note("terminals given back", "quit", 1);
}

#[test]
fn an_export_goes_to_a_file_or_to_standard_output() {
    let mut term = Term::start(120, 40, &[]);
    term.until_text("? help");
    term.keys("e\r");
    term.until_text("wrote ");
    let written = std::fs::read_dir(term.folder.path()).unwrap();
    let file = written
        .map(|e| e.unwrap().path())
        .find(|p| p.extension().is_some_and(|e| e == "json"))
        .expect("the export lies in the folder");
    let json: serde_json::Value = serde_json::from_slice(&std::fs::read(file).unwrap()).unwrap();
    assert!(json["id"].is_string() || json["offer"].is_object(), "{json}");
    term.keys("ell\r");
    assert_eq!(term.end(), 0);
    term.is_clean();
    let raw = String::from_utf8_lossy(&term.raw).into_owned();
    let after = raw.rsplit("\u{1b}[?25h").next().unwrap();
    assert!(after.trim_start().starts_with('{'), "{after}");
}

#[test]
fn signals_leave_a_clean_terminal() {
    for (name, code) in [("TERM", 143), ("HUP", 129), ("INT", 130)] {
        let mut term = Term::start(80, 24, &[]);
        term.until_text("? help");
        term.signal(name);
        assert_eq!(term.end(), code, "{name}");
        term.is_clean();
        crate::reliability::note("terminals given back", &format!("SIG{name}"), 1);
    }
}

#[test]
fn suspended_and_continued() {
    let mut term = Term::start(80, 24, &[]);
    term.until_text("? help");
    term.keys("\u{1a}");
    term.until(|screen, _| !screen.alternate_screen());
    term.until_stopped();
    term.signal("CONT");
    term.until(|screen, _| screen.alternate_screen() && screen.contents().contains("? help"));
    term.signal("TSTP");
    term.until(|screen, _| !screen.alternate_screen());
    term.until_stopped();
    term.signal("CONT");
    term.until(|screen, _| screen.alternate_screen() && screen.contents().contains("? help"));
    term.keys("q");
    assert_eq!(term.end(), 0);
    term.is_clean();
    crate::reliability::note("terminals given back", "stopped and continued", 2);
}

#[test]
fn a_storm_of_resizes_does_no_harm() {
    let mut term = Term::start(120, 40, &[]);
    term.until_text("? help");
    let resize = |term: &mut Term, cols: u16, rows: u16| {
        let size = PtySize { rows, cols, pixel_width: 0, pixel_height: 0 };
        term.master.as_ref().unwrap().resize(size).unwrap();
    };
    for step in 0..60u16 {
        resize(&mut term, 20 + step * 3, 5 + step);
    }
    resize(&mut term, 30, 6);
    term.screen.screen_mut().set_size(cells(6), cells(30));
    term.until(|_, raw| String::from_utf8_lossy(raw).contains("haggle needs"));
    resize(&mut term, 100, 30);
    term.screen.screen_mut().set_size(cells(30), cells(100));
    term.until_text("? help");
    term.keys("q");
    assert_eq!(term.end(), 0);
    term.is_clean();
}

#[test]
fn pasted_text_is_typed_not_obeyed() {
    let mut term = Term::start(80, 24, &[]);
    term.until_text("? help");
    term.keys("f\u{15}\u{1b}[200~vram>=48\nq\u{1b}[201~");
    term.until_text("vram>=48 q");
    term.keys("\u{3}");
    assert_eq!(term.end(), 0);
    term.is_clean();
}

#[test]
fn nothing_is_written_while_nothing_happens() {
    let mut term = Term::start(120, 40, &[]);
    term.until_text("? help");
    term.keys("j");
    term.until_text("row 2");
    // What is still on its way comes now; after that there is silence.
    while let Ok(bytes) = term.bytes.recv_timeout(Duration::from_millis(300)) {
        term.take_in(&bytes);
    }
    let silence = term.bytes.recv_timeout(Duration::from_millis(1500));
    assert!(matches!(silence, Err(RecvTimeoutError::Timeout)), "{silence:?}");
}

#[test]
fn no_color_means_no_colour_but_keeps_the_cursor_visible() {
    let mut term = Term::start(80, 24, &[("NO_COLOR", "1")]);
    term.until_text("? help");
    let screen = term.screen.screen();
    let (mut reversed, mut bold) = (0, 0);
    for row in 0..24 {
        for column in 0..80 {
            let cell = screen.cell(row, column).unwrap();
            assert_eq!(cell.fgcolor(), vt100::Color::Default);
            assert_eq!(cell.bgcolor(), vt100::Color::Default);
            reversed += u32::from(cell.inverse());
            bold += u32::from(cell.bold());
        }
    }
    assert!(reversed >= 60 && bold > 0, "{reversed} {bold}");
}

#[test]
fn a_terminal_that_goes_away_ends_the_program() {
    let mut term = Term::start(80, 24, &[]);
    term.until_text("? help");
    term.hang_up.store(true, Ordering::SeqCst);
    term.keys("j");
    term.writer = None;
    term.master = None;
    let end = Instant::now() + PATIENCE;
    while term.child.try_wait().unwrap().is_none() {
        assert!(Instant::now() < end, "it lives on without a terminal");
        std::thread::yield_now();
    }
    crate::reliability::note("terminals given back", "terminal gone", 1);
}

/// Not a test by itself: what [`a_panic_gives_the_terminal_back_first`] runs in a terminal.
#[test]
#[ignore = "panics on purpose; another test runs it in a pseudo-terminal"]
fn panics_while_it_has_the_terminal() {
    haggle::tty::install_hook();
    let wants = haggle::tty::Wants { mouse: true };
    let _guard = haggle::tty::Guard::enter(haggle::tty::Out::Stdout, wants).unwrap();
    panic!("on purpose");
}

#[test]
fn a_panic_gives_the_terminal_back_first() {
    let mut command = CommandBuilder::new(std::env::current_exe().unwrap());
    command.args(["--ignored", "--exact", "--nocapture", "--test-threads=1"]);
    command.arg("screen::panics_while_it_has_the_terminal");
    let mut term = Term::spawn(tempfile::tempdir().unwrap(), command, 80, 24, &[]);
    term.until_text("on purpose");
    term.end();
    term.is_clean_but_for_frames();
    let raw = String::from_utf8_lossy(&term.raw);
    let (left, said) = (raw.find("\u{1b}[?1049l").unwrap(), raw.find("on purpose").unwrap());
    assert!(left < said, "the message must stand on the normal screen");
    crate::reliability::note("terminals given back", "panic", 1);
}

/// What would make an offer fit is applied by one key and undone by another.
#[test]
fn advice_is_applied_and_undone() {
    let folder = tempfile::tempdir().unwrap();
    market_file(folder.path(), 200);
    let mut command = CommandBuilder::new(env!("CARGO_BIN_EXE_haggle"));
    command.args(["--from", "market", "--method", "full", "--micro-batch", "4", "--gpus", "1"]);
    let mut term = Term::spawn(folder, command, 160, 50, &[]);
    term.until_text("offers");
    term.keys("ffit:no\r");
    term.until_text("What would help");
    let top = |screen: &vt100::Screen| screen.contents().lines().next().map(str::to_owned);
    let before = top(term.screen.screen()).unwrap();
    assert!(before.contains("full Meta-Llama-3-8B"), "{before}");
    term.keys("A");
    term.until_text("(u undoes it)");
    let was = before.clone();
    term.until(move |screen, _| top(screen).is_some_and(|now| now != was));
    term.keys("u");
    term.until(move |screen, _| top(screen) == Some(before.clone()));
    term.keys("q");
    assert_eq!(term.end(), 0);
    term.is_clean();
}

#[test]
fn a_saved_view_is_there_at_the_next_start() {
    let mut term = Term::start(80, 24, &[]);
    term.until_text("? help");
    term.keys("f\u{15}vram>=80\r\"big\r");
    term.until_text("view big holds: vram>=80, by runs,total");
    term.keys("q");
    assert_eq!(term.end(), 0);
    let file = term.folder.path().join(".local/state/haggle/views.toml");
    let kept = std::fs::read_to_string(file).unwrap();
    assert_eq!(kept.trim(), "[big]\nquery = \"vram>=80\"\nsort = \"runs,total\"");
}

/// The program in plain mode, on a terminal that is not put into any mode.
fn plain() -> Term {
    let folder = tempfile::tempdir().unwrap();
    market_file(folder.path(), 200);
    let mut command = CommandBuilder::new(env!("CARGO_BIN_EXE_haggle"));
    command.args(["--from", "market", "--plain"]);
    Term::spawn(folder, command, 200, 60, &[])
}

#[test]
fn plain_mode_talks_in_lines_on_the_normal_screen() {
    let mut term = plain();
    term.until_text("10: ");
    term.keys("filter-vram 80\n");
    term.until_text("query: rel>95%? vram>=80");
    term.keys("why\n");
    term.until_text("why: ");
    term.keys("esc\nexport\n");
    term.until_text("export ");
    term.keys("enter\n");
    term.until_text("wrote ");
    term.keys("quit\n");
    assert_eq!(term.end(), 0);
    assert!(!term.raw.contains(&0x1b), "no escape sequence, so no box and no colour");
}

#[test]
fn plain_mode_obeys_a_pipe_and_ends_with_it() {
    use std::process::{Command, Stdio};
    let folder = tempfile::tempdir().unwrap();
    market_file(folder.path(), 200);
    let mut child = Command::new(env!("CARGO_BIN_EXE_haggle"))
        .args(["--plain", "--from", "market"])
        .current_dir(folder.path())
        .env_clear()
        .env("HOME", folder.path())
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    let mut input = child.stdin.take().unwrap();
    // The last line has no end.
    input.write_all(b"query gpu:h100\nwait\nY\nset seq-len 4096\ndown").unwrap();
    drop(input);
    let output = child.wait_with_output().unwrap();
    assert!(output.status.success());
    let text = String::from_utf8(output.stdout).unwrap();
    for heard in
        ["query: gpu:h100", "there is no terminal, so no clipboard; it lies in ", "row 2 of "]
    {
        assert!(text.contains(heard), "no {heard} in {text}");
    }
    assert!(!text.contains('\u{1b}'));
    // Without --plain a pipe is told what to do.
    let refused = Command::new(env!("CARGO_BIN_EXE_haggle"))
        .env_clear()
        .env("HOME", folder.path())
        .stdin(Stdio::null())
        .output()
        .unwrap();
    assert_eq!(refused.status.code(), Some(2));
    assert!(String::from_utf8_lossy(&refused.stderr).contains("haggle --plain"));
}

#[test]
fn the_settings_file_is_read_again_while_the_program_runs() {
    let folder = tempfile::tempdir().unwrap();
    market_file(folder.path(), 200);
    let file = folder.path().join("own.toml");
    std::fs::write(&file, "[view]\nquery = \"vram>=24\"\n").unwrap();
    let mut command = CommandBuilder::new(env!("CARGO_BIN_EXE_haggle"));
    command.args(["--from", "market", "--config", "own.toml"]);
    let mut term = Term::spawn(folder, command, 120, 40, &[]);
    term.until_text("query vram>=24");
    std::fs::write(&file, "[view]\nquery = \"vram>=48\"\n").unwrap();
    if cfg!(not(target_os = "linux")) {
        term.keys(":reload\r");
    }
    term.until_text("query vram>=48");
    std::fs::write(&file, "[view]\nquerry = 1\n").unwrap();
    if cfg!(not(target_os = "linux")) {
        term.keys(":reload\r");
    }
    term.until_text("own.toml:2: unknown field `querry`");
    assert!(term.text().contains("query vram>=48"), "the settings of before stay");
    // What is changed on the page is there at the next start.
    term.keys(",l");
    term.until_text("theme           dark");
    term.keys("q");
    term.until(|screen, _| !screen.contents().contains("Settings, kept"));
    term.keys("q");
    assert_eq!(term.end(), 0);
    let kept = term.folder.path().join(".local/state/haggle/settings.toml");
    assert_eq!(std::fs::read_to_string(kept).unwrap().trim(), "theme = \"dark\"");
}
