//! The loop of the screen: what comes in goes to the state, what the state asks for is done, and a
//! frame is drawn when something has changed.
//!
//! It waits for keys, providers, signals and at most one timer; never for a lock, a file or a
//! socket. Keys come before rows, so that a flood of rows never makes the program deaf. When
//! nothing happens, nothing is written.

use super::journal::Journal;
use crate::app::{App, Effect, Input, Msg, Outcome};
use crate::config::store;
use crate::model::Model;
use crate::offer::Provider;
use crate::provider::Update;
use crate::session::{Light, Stock};
use crate::tty::clipboard::{self, Between};
use crate::tty::{self, Frames, Guard, Out, Wants};
use crate::ui::Screen;
use crate::units::UnixSeconds;
use futures_util::StreamExt;
use std::io;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;
use tokio::signal::unix::{Signal, SignalKind, signal};
use tokio::sync::mpsc;
use tokio::time::{Instant, sleep_until};

/// Shortest time between two frames.
const FRAME: Duration = Duration::from_millis(16);
/// Ages on the screen are brought up to date this often when nothing else happens.
const AGES_SECONDS: i64 = 60;
/// Updates taken in before the next look at the keys.
const AT_ONCE: usize = 16;

/// Begins to ask providers, and notes in the stock that they are asked.
pub type Fetch = Box<dyn FnMut(&mut Stock, &[Provider], UnixSeconds) + Send>;

/// Finds a model by its Hugging Face id or the path of its `config.json`.
pub type FindModel = Arc<dyn Fn(&str) -> Result<Arc<Model>, String> + Send + Sync>;

/// Keeps a view: its name, its query.
pub type SaveView = Box<dyn FnMut(&str, &str) -> Result<(), String> + Send>;

/// What the screen needs of the world around it.
pub struct World {
    /// What providers say.
    pub updates: mpsc::Receiver<Update>,
    /// Begins to ask providers; none named means all.
    pub fetch: Fetch,
    /// Who is asked at the start; nobody when none.
    pub ask_first: Vec<Provider>,
    /// Finds a model that is not built in; may take its time.
    pub find_model: FindModel,
    /// After how many seconds a provider is asked again by itself.
    pub refresh: Vec<(Provider, i64)>,
    /// Keeps a view for the next start.
    pub save_view: SaveView,
    /// Where exports are written.
    pub folder: PathBuf,
    /// What stands between us and the terminal's clipboard.
    pub between: Between,
}

/// How the program ended.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Ending {
    /// The user left, with something to print or without.
    Left(Option<String>),
    /// A signal of this number ended it, or the terminal went away (SIGHUP).
    Signal(i32),
}

/// The last state, and how it ended.
#[derive(Debug)]
pub struct Ended {
    /// The state.
    pub app: App,
    /// How.
    pub how: Ending,
}

/// Shows `app` on the terminal behind `out` until the user leaves. The terminal is given back
/// before this returns, and on a panic before the message is printed.
///
/// # Errors
/// When the terminal cannot be written to any more.
pub async fn run(app: App, out: Out, world: World) -> io::Result<Ended> {
    tty::install_hook();
    let signals = Signals::new()?;
    let guard = Guard::enter(out, Wants { mouse: app.look.mouse })?;
    let screen = Screen::new(Frames::new(out));
    let (answer, answers) = mpsc::channel(8);
    let mut shown = Shown {
        app,
        guard,
        screen,
        out,
        world,
        ended: None,
        own_stop: false,
        answer,
        journal: Journal::default(),
    };
    let result = shown.show(signals, answers).await;
    let Shown { app, guard, .. } = shown;
    guard.leave();
    result.map(|how| Ended { app, how })
}

fn now() -> UnixSeconds {
    UnixSeconds(jiff::Timestamp::now().as_second())
}

/// The signals that concern a program with a terminal.
struct Signals {
    terminate: Signal,
    hangup: Signal,
    interrupt: Signal,
    stop: Signal,
    go_on: Signal,
}

/// What a signal means.
enum Heard {
    End(i32),
    Stop,
    GoOn,
}

impl Signals {
    fn new() -> io::Result<Self> {
        Ok(Self {
            terminate: signal(SignalKind::terminate())?,
            hangup: signal(SignalKind::hangup())?,
            interrupt: signal(SignalKind::interrupt())?,
            stop: signal(SignalKind::from_raw(signal_hook::consts::SIGTSTP))?,
            go_on: signal(SignalKind::from_raw(signal_hook::consts::SIGCONT))?,
        })
    }

    async fn next(&mut self) -> Heard {
        tokio::select! {
            _ = self.terminate.recv() => Heard::End(signal_hook::consts::SIGTERM),
            _ = self.hangup.recv() => Heard::End(signal_hook::consts::SIGHUP),
            _ = self.interrupt.recv() => Heard::End(signal_hook::consts::SIGINT),
            _ = self.stop.recv() => Heard::Stop,
            _ = self.go_on.recv() => Heard::GoOn,
        }
    }
}

struct Shown {
    app: App,
    guard: Guard,
    screen: Screen<Frames<Out>>,
    out: Out,
    world: World,
    ended: Option<Ending>,
    /// We stopped ourselves and have taken the terminal again already.
    own_stop: bool,
    /// Where effects that take their time answer.
    answer: mpsc::Sender<Outcome>,
    journal: Journal,
}

impl Shown {
    async fn show(
        &mut self,
        mut signals: Signals,
        mut answers: mpsc::Receiver<Outcome>,
    ) -> io::Result<Ending> {
        self.resized()?;
        if !self.world.ask_first.is_empty() {
            let first = std::mem::take(&mut self.world.ask_first);
            self.fetch(&first);
        }
        let mut input = tty::events();
        let mut next_frame = Instant::now();
        let mut dirty = true;
        let mut rows = Vec::new();
        let mut providers_speak = true;
        loop {
            dirty |= self.app.take_dirty();
            if dirty && Instant::now() >= next_frame {
                self.screen.draw(&self.app)?;
                dirty = false;
                next_frame = Instant::now() + FRAME;
            }
            let wake = if dirty { next_frame } else { self.next_tick() };
            tokio::select! {
                biased;
                heard = signals.next() => self.hear(&heard)?,
                event = input.next() => match event {
                    Some(Ok(event)) => self.update(Msg::Input(event))?,
                    // The terminal has gone away.
                    Some(Err(_)) | None => self.ended = Some(Ending::Signal(signal_hook::consts::SIGHUP)),
                },
                Some(outcome) = answers.recv() => self.update(Msg::Done(outcome))?,
                () = sleep_until(wake) => if !dirty {
                    self.ask_again();
                    self.update(Msg::Tick)?;
                },
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

    /// When the state wants to be woken at the latest.
    fn next_tick(&self) -> Instant {
        let ages = self.app.now.0 + AGES_SECONDS;
        let due = self.app.next_tick().map_or(ages, |t| t.0.min(ages));
        let seconds = u64::try_from(due - now().0).unwrap_or(0);
        Instant::now() + Duration::from_secs(seconds.max(1))
    }

    fn hear(&mut self, heard: &Heard) -> io::Result<()> {
        match heard {
            Heard::End(number) => self.ended = Some(Ending::Signal(*number)),
            Heard::Stop => self.suspend()?,
            Heard::GoOn if self.own_stop => self.own_stop = false,
            Heard::GoOn => {
                // Somebody else stopped us, and the terminal may have been used meanwhile.
                self.guard.resume()?;
                self.screen.forget();
                self.resized()?;
            }
        }
        Ok(())
    }

    fn update(&mut self, msg: Msg) -> io::Result<()> {
        let effects = self.app.update(msg, now());
        self.journal.note(self.app.desk.statuses(), now());
        for effect in effects {
            if let Some(outcome) = self.carry_out(effect)? {
                self.app.update(Msg::Done(outcome), now());
            }
        }
        Ok(())
    }

    fn carry_out(&mut self, effect: Effect) -> io::Result<Option<Outcome>> {
        Ok(match effect {
            Effect::Fetch(providers) => {
                self.fetch(&providers);
                None
            }
            Effect::Write { name, text, executable } => Some(self.write(&name, &text, executable)),
            Effect::Copy { text, what, file } => Some(self.copy(&text, what, &file)?),
            Effect::SaveView { name, query } => {
                (self.world.save_view)(&name, &query).err().map(Outcome::Failed)
            }
            Effect::FindModel(name) => {
                let (find, answer) = (self.world.find_model.clone(), self.answer.clone());
                tokio::task::spawn_blocking(move || {
                    let found =
                        catch_unwind(AssertUnwindSafe(|| find(&name))).unwrap_or_else(|_| {
                            Err("haggle stumbled over it; please report it".into())
                        });
                    // When nobody listens any more, the program is leaving.
                    let _ = answer.blocking_send(Outcome::Model { name, found });
                });
                None
            }
            Effect::Mouse(on) => {
                self.guard.mouse(on)?;
                None
            }
            Effect::Redraw => {
                self.screen.forget();
                None
            }
            Effect::Suspend => {
                self.suspend()?;
                None
            }
            Effect::Quit { print } => {
                self.ended = Some(Ending::Left(print));
                None
            }
        })
    }

    fn fetch(&mut self, providers: &[Provider]) {
        (self.world.fetch)(self.app.desk.stock_mut(), providers, now());
        // The lights have changed.
        self.app.update(Msg::Tick, now());
    }

    /// Asks the providers whose rows have grown old. A market that is held still is left alone.
    fn ask_again(&mut self) {
        if self.app.desk.is_offline() || self.app.desk.is_frozen() {
            return;
        }
        let now = now();
        let statuses = self.app.desk.statuses();
        let old = statuses.iter().filter(|s| {
            let after = self.world.refresh.iter().find(|(p, _)| *p == s.provider);
            let age = s.age(now).unwrap_or(i64::MAX);
            s.light == Light::Done && after.is_some_and(|(_, seconds)| age >= *seconds)
        });
        let old: Vec<Provider> = old.map(|s| s.provider).collect();
        if !old.is_empty() {
            self.fetch(&old);
        }
    }

    fn suspend(&mut self) -> io::Result<()> {
        self.own_stop = true;
        self.guard.suspend()?;
        self.screen.forget();
        self.resized()
    }

    /// The size may have changed while we did not look.
    fn resized(&mut self) -> io::Result<()> {
        let size = self.screen.size()?;
        self.app.update(Msg::Input(Input::Resize(size.width, size.height)), now());
        Ok(())
    }

    /// Writes a new file; a name that is taken gets a number.
    fn write(&self, name: &str, text: &str, executable: bool) -> Outcome {
        let (stem, ending) = name.split_once('.').unwrap_or((name, "txt"));
        for number in 1..1000 {
            let name = match number {
                1 => name.to_string(),
                n => format!("{stem}-{n}.{ending}"),
            };
            let path = self.world.folder.join(&name);
            match store::write_new(&path, text.as_bytes()) {
                Ok(()) => {
                    if executable && let Err(wrong) = make_executable(&path) {
                        return Outcome::Failed(format!(
                            "wrote {name}, but not as a program: {wrong}"
                        ));
                    }
                    return Outcome::Wrote(path.display().to_string());
                }
                Err(taken) if taken.kind() == io::ErrorKind::AlreadyExists => {}
                Err(wrong) => return Outcome::Failed(format!("cannot write {name}: {wrong}")),
            }
        }
        Outcome::Failed(format!("cannot write {name}: a thousand of them lie there already"))
    }

    fn copy(&self, text: &str, what: String, file: &str) -> io::Result<Outcome> {
        Ok(match clipboard::copy(self.out, text, self.world.between)? {
            Ok(()) => Outcome::Copied(what),
            Err(too_long) => match self.write(file, text, false) {
                Outcome::Wrote(file) => Outcome::CopiedToFile { why: too_long.to_string(), file },
                failed => failed,
            },
        })
    }
}

fn make_executable(path: &std::path::Path) -> io::Result<()> {
    use std::os::unix::fs::PermissionsExt;
    let mut rights = std::fs::metadata(path)?.permissions();
    rights.set_mode(rights.mode() | 0o100);
    std::fs::set_permissions(path, rights)
}
