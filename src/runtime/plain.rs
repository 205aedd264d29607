//! The loop of plain mode: a line comes in, lines go out. On the normal screen, without cursor
//! movement, on a terminal or through pipes; at the end of the input the program ends.

use super::journal::Journal;
use super::world::{Ended, Ending, Heard, Signals, World, now};
use crate::app::{App, Effect, Msg, Outcome, Tell};
use crate::market::Query;
use crate::offer::harmless;
use crate::tty::Out;
use crate::ui::plain::Reader;
use std::io::{self, BufRead, Read, Write};
use std::time::Duration;
use tokio::sync::mpsc;
use tokio::time::sleep;

/// The longest line that is read; what is longer is cut.
const LONGEST_LINE: u64 = 64 * 1024;
/// Rows that have grown old are looked for this often.
const LOOK: Duration = Duration::from_mins(1);
/// Updates taken in at once.
const AT_ONCE: usize = 16;

/// Lines of standard input, as they come. A thread waits for them, because a file or a pipe can be
/// waited for in no other way that works everywhere.
pub fn lines() -> mpsc::Receiver<String> {
    let (send, lines) = mpsc::channel(16);
    std::thread::spawn(move || {
        let mut input = io::stdin().lock();
        loop {
            let mut bytes = Vec::new();
            let read = input.by_ref().take(LONGEST_LINE).read_until(b'\n', &mut bytes);
            let ended = !matches!(read, Ok(n) if n > 0);
            while bytes.last().is_some_and(|b| matches!(b, b'\n' | b'\r')) {
                bytes.pop();
            }
            let line = String::from_utf8_lossy(&bytes).into_owned();
            if ended || send.blocking_send(line).is_err() {
                return;
            }
        }
    });
    lines
}

/// Reads `app` out on `out` and obeys `lines` until the user leaves or the input ends. `terminal`
/// leads to the terminal's clipboard, where there is one.
///
/// # Errors
/// When `out` cannot be written to any more.
pub async fn run(
    app: App,
    out: impl Write,
    terminal: Option<Out>,
    world: World,
    lines: mpsc::Receiver<String>,
) -> io::Result<Ended> {
    let signals = Signals::new(false)?;
    let (answer, answers) = mpsc::channel(8);
    let mut read = Spoken {
        app,
        out,
        terminal,
        world,
        reader: Reader::default(),
        answer,
        searching: 0,
        waiting: false,
        ended: None,
        journal: Journal::default(),
        seen: None,
    };
    let how = read.run(signals, lines, answers).await?;
    Ok(Ended { app: read.app, how })
}

struct Spoken<W: Write> {
    app: App,
    out: W,
    terminal: Option<Out>,
    world: World,
    reader: Reader,
    answer: mpsc::Sender<Outcome>,
    /// Answers that are still to come; the next line may rest on them.
    searching: usize,
    /// The next line waits until no provider is being asked.
    waiting: bool,
    ended: Option<Ending>,
    journal: Journal,
    /// The query whose regions were looked at last.
    seen: Option<Query>,
}

impl<W: Write> Spoken<W> {
    async fn run(
        &mut self,
        mut signals: Signals,
        mut lines: mpsc::Receiver<String>,
        mut answers: mpsc::Receiver<Outcome>,
    ) -> io::Result<Ending> {
        let hello = self.reader.hello(&self.app);
        self.say(&hello)?;
        let first = (self.world.ask_first)(self.app.desk.stock(), now());
        if !first.is_empty() {
            self.fetch(&first)?;
        }
        let mut rows = Vec::new();
        let mut providers_speak = true;
        loop {
            self.waiting &= self.app.desk.statuses().iter().any(|s| s.light.is_busy());
            let listens = !self.waiting && self.searching == 0;
            tokio::select! {
                biased;
                heard = signals.next() => if let Heard::End(number) = heard {
                    self.ended = Some(Ending::Signal(number));
                },
                Some(outcome) = answers.recv() => {
                    self.searching = self.searching.saturating_sub(1);
                    self.update(Msg::Done(outcome))?;
                }
                line = lines.recv(), if listens => match line {
                    Some(line) => self.obey(&line)?,
                    None => self.ended = Some(Ending::Left(None)),
                },
                () = self.world.watch.event() => self.look_at_settings()?,
                () = sleep(LOOK) => {
                    self.look_at_settings()?;
                    let old = self.world.grown_old(&self.app, now());
                    if !old.is_empty() {
                        self.fetch(&old)?;
                    }
                }
                count = self.world.updates.recv_many(&mut rows, AT_ONCE), if providers_speak => {
                    providers_speak = count > 0;
                    let updates = std::mem::take(&mut rows);
                    self.update(Msg::Providers(updates))?;
                },
            }
            if let Some(how) = self.ended.take() {
                return Ok(how);
            }
        }
    }

    /// The settings file may have changed.
    fn look_at_settings(&mut self) -> io::Result<()> {
        if self.world.watch.has_changed() { self.carry_out(Effect::Reload) } else { Ok(()) }
    }

    fn obey(&mut self, line: &str) -> io::Result<()> {
        if line.trim() == "wait" {
            self.waiting = true;
            return Ok(());
        }
        let (tell, effects) = self.app.obey(line, now());
        let mut tell = tell;
        for effect in effects {
            if effect == Effect::Redraw {
                tell = Tell::Front;
            }
            self.carry_out(effect)?;
        }
        let providers = self.world.newly_in_view(&self.app, &mut self.seen);
        if !providers.is_empty() {
            self.fetch(&providers)?;
        }
        let lines = self.reader.answer(&self.app, tell);
        self.say(&lines)
    }

    fn update(&mut self, msg: Msg) -> io::Result<()> {
        let effects = self.app.update(msg, now());
        self.journal.note(self.app.desk.statuses(), now());
        for effect in effects {
            self.carry_out(effect)?;
        }
        let lines = self.reader.changes(&self.app);
        self.say(&lines)
    }

    fn carry_out(&mut self, effect: Effect) -> io::Result<()> {
        self.searching += usize::from(effect.answers_later());
        match self.world.carry_out(effect, self.terminal, &self.answer)? {
            Ok(Some(outcome)) => {
                for effect in self.app.update(Msg::Done(outcome), now()) {
                    self.carry_out(effect)?;
                }
            }
            Err(Effect::Fetch(providers)) => self.fetch(&providers)?,
            Err(Effect::Quit { print }) => self.ended = Some(Ending::Left(print)),
            Err(Effect::Suspend) => signal_hook::low_level::raise(signal_hook::consts::SIGSTOP)?,
            // Done; or there is no mouse here, and nothing to be drawn anew.
            Ok(None) | Err(_) => {}
        }
        Ok(())
    }

    fn fetch(&mut self, providers: &[crate::offer::Provider]) -> io::Result<()> {
        let query = self.app.desk.query().clone();
        (self.world.fetch)(self.app.desk.stock_mut(), &query, providers, now());
        // The lights have changed.
        self.update(Msg::Tick)
    }

    fn say(&mut self, lines: &[String]) -> io::Result<()> {
        if lines.is_empty() {
            return Ok(());
        }
        // Words of a file or a provider may be among them.
        let lines: Vec<_> = lines.iter().map(|line| harmless(line)).collect();
        let text = lines.join("\n") + "\n";
        match self.out.write_all(text.as_bytes()).and_then(|()| self.out.flush()) {
            // Nobody listens any more.
            Err(gone) if gone.kind() == io::ErrorKind::BrokenPipe => {
                self.ended = Some(Ending::Left(None));
                Ok(())
            }
            other => other,
        }
    }
}
