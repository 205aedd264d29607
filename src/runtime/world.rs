//! What lies around the screen and the plain mode: providers, files, models, the clipboard. Both
//! faces have their wishes carried out here.

use super::watch::Watch;
use crate::app::action::Context;
use crate::app::{App, Effect, Options, Outcome};
use crate::config::{SavedView, store};
use crate::market::Query;
use crate::model::Model;
use crate::offer::Provider;
use crate::provider::Update;
use crate::session::{Light, Stock};
use crate::tty::Out;
use crate::tty::clipboard::{self, Between};
use crate::units::UnixSeconds;
use std::io;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::PathBuf;
use std::sync::Arc;
use tokio::signal::unix::{Signal, SignalKind, signal};
use tokio::sync::mpsc;

/// Begins to ask providers, and notes in the stock that they are asked.
pub type Fetch = Box<dyn FnMut(&mut Stock, &Query, &[Provider], UnixSeconds) + Send>;

/// Who would have to be asked for what a query newly shows.
pub type NewlyInView = Box<dyn Fn(&Query) -> Vec<Provider> + Send>;

/// Whom to ask at the start, by what is known already.
pub type AskFirst = Box<dyn Fn(&Stock, UnixSeconds) -> Vec<Provider> + Send>;

/// Reads the whole saved market; takes its time.
pub type Load = Box<dyn FnOnce() -> Result<Stock, String> + Send>;

/// Finds a model by its Hugging Face id or the path of its `config.json`.
pub type FindModel = Arc<dyn Fn(&str) -> Result<Arc<Model>, String> + Send + Sync>;

/// Keeps a view under a name.
pub type SaveView = Box<dyn FnMut(&str, &SavedView) -> Result<(), String> + Send>;

/// Keeps a setting: its name, its value; without a value it is forgotten.
pub type Keep = Box<dyn FnMut(&str, Option<&str>) -> Result<(), String> + Send>;

/// Reads the settings, or says in one line what is wrong with them.
pub type Reload = Arc<dyn Fn() -> Result<Options, String> + Send + Sync>;

/// What a face of the program needs of the world around it.
pub struct World {
    /// What providers say.
    pub updates: mpsc::Receiver<Update>,
    /// Begins to ask providers; none named means all.
    pub fetch: Fetch,
    /// Who is asked for regions that the query shows and that nobody was asked for.
    pub newly_in_view: NewlyInView,
    /// Who is asked once the saved market is here; nobody when none.
    pub ask_first: AskFirst,
    /// Reads the whole saved market, where the state has only its beginning.
    pub load: Option<Load>,
    /// Finds a model that is not built in; may take its time.
    pub find_model: FindModel,
    /// After how many seconds a provider is asked again by itself.
    pub refresh: Vec<(Provider, i64)>,
    /// Keeps a view for the next start.
    pub save_view: SaveView,
    /// Keeps a setting for the next start, or forgets it.
    pub keep: Keep,
    /// Reads the settings again; may take its time.
    pub reload: Reload,
    /// Tells when the settings file has changed.
    pub watch: Watch,
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

/// The time on the clock.
pub(super) fn now() -> UnixSeconds {
    UnixSeconds(jiff::Timestamp::now().as_second())
}

impl World {
    /// Carries out what concerns the world; what concerns the face is handed back. `out` leads to
    /// the terminal, when there is one. What takes its time answers through `answer`.
    pub(super) fn carry_out(
        &mut self,
        effect: Effect,
        out: Option<Out>,
        answer: &mpsc::Sender<Outcome>,
    ) -> io::Result<Result<Option<Outcome>, Effect>> {
        Ok(Ok(match effect {
            Effect::Write { name, text, executable } => Some(self.write(&name, &text, executable)),
            Effect::Copy { text, what, file } => Some(self.copy(out, &text, what, &file)?),
            Effect::SaveView { name, view } => {
                (self.save_view)(&name, &view).err().map(Outcome::Failed)
            }
            Effect::Keep { setting, value } => {
                match (self.keep)(setting.name(), value.as_deref()) {
                    Err(wrong) => Some(Outcome::Failed(wrong)),
                    Ok(()) if value.is_none() => Some(settings((self.reload)())),
                    Ok(()) => None,
                }
            }
            Effect::Reload => {
                let (reload, answer) = (self.reload.clone(), answer.clone());
                tokio::task::spawn_blocking(move || {
                    // When nobody listens any more, the program is leaving.
                    let _ = answer.blocking_send(settings(reload()));
                });
                None
            }
            Effect::FindModel(name) => {
                let (find, answer) = (self.find_model.clone(), answer.clone());
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
            other => return Ok(Err(other)),
        }))
    }

    /// Who is to be asked for what a query shows that the user has finished typing. `seen` is the
    /// query that was looked at last.
    pub(super) fn newly_in_view(&self, app: &App, seen: &mut Option<Query>) -> Vec<Provider> {
        let idle = app.desk.is_offline() || app.desk.is_frozen();
        let (query, typing) = (app.desk.query(), app.context() == Context::Text);
        let same = seen.as_ref().is_some_and(|seen| seen.conditions() == query.conditions());
        if idle || typing || same {
            return Vec::new();
        }
        *seen = Some(query.clone());
        (self.newly_in_view)(query)
    }

    /// The providers whose rows have grown old. A market that is held still is left alone.
    pub(super) fn grown_old(&self, app: &App, now: UnixSeconds) -> Vec<Provider> {
        if app.desk.is_offline() || app.desk.is_frozen() {
            return Vec::new();
        }
        let old = app.desk.statuses().iter().filter(|s| {
            let after = self.refresh.iter().find(|(p, _)| *p == s.provider);
            let age = s.age(now).unwrap_or(i64::MAX);
            s.light == Light::Done && after.is_some_and(|(_, seconds)| age >= *seconds)
        });
        old.map(|s| s.provider).collect()
    }

    /// Writes a new file; a name that is taken gets a number.
    fn write(&self, name: &str, text: &str, executable: bool) -> Outcome {
        let (stem, ending) = name.split_once('.').unwrap_or((name, "txt"));
        for number in 1..1000 {
            let name = match number {
                1 => name.to_string(),
                n => format!("{stem}-{n}.{ending}"),
            };
            let path = self.folder.join(&name);
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

    /// Copies by way of the terminal; where there is none, or it cannot take so much, into a file.
    fn copy(&self, out: Option<Out>, text: &str, what: String, file: &str) -> io::Result<Outcome> {
        let why = match out {
            None => "there is no terminal, so no clipboard".to_string(),
            Some(out) => match clipboard::copy(out, text, self.between)? {
                Ok(()) => return Ok(Outcome::Copied(what)),
                Err(too_long) => too_long.to_string(),
            },
        };
        Ok(match self.write(file, text, false) {
            Outcome::Wrote(file) => Outcome::CopiedToFile { why, file },
            failed => failed,
        })
    }
}

fn settings(read: Result<Options, String>) -> Outcome {
    Outcome::Settings(read.map(Box::new))
}

fn make_executable(path: &std::path::Path) -> io::Result<()> {
    use std::os::unix::fs::PermissionsExt;
    let mut rights = std::fs::metadata(path)?.permissions();
    rights.set_mode(rights.mode() | 0o100);
    std::fs::set_permissions(path, rights)
}

/// The signals that concern a program with a terminal.
pub(super) struct Signals {
    terminate: Signal,
    hangup: Signal,
    interrupt: Signal,
    stop: Option<Signal>,
    go_on: Signal,
}

/// What a signal means.
pub(super) enum Heard {
    /// Leave, for this signal.
    End(i32),
    /// Give the terminal back and stop.
    Stop,
    /// Somebody has continued us.
    GoOn,
}

impl Signals {
    /// Listens; to the wish to stop only where something must be put in order before.
    pub(super) fn new(own_stop: bool) -> io::Result<Self> {
        let stop = SignalKind::from_raw(signal_hook::consts::SIGTSTP);
        Ok(Self {
            terminate: signal(SignalKind::terminate())?,
            hangup: signal(SignalKind::hangup())?,
            interrupt: signal(SignalKind::interrupt())?,
            stop: if own_stop { Some(signal(stop)?) } else { None },
            go_on: signal(SignalKind::from_raw(signal_hook::consts::SIGCONT))?,
        })
    }

    /// The next of them.
    pub(super) async fn next(&mut self) -> Heard {
        let stop = async {
            match &mut self.stop {
                Some(stop) => stop.recv().await,
                None => std::future::pending().await,
            }
        };
        tokio::select! {
            _ = self.terminate.recv() => Heard::End(signal_hook::consts::SIGTERM),
            _ = self.hangup.recv() => Heard::End(signal_hook::consts::SIGHUP),
            _ = self.interrupt.recv() => Heard::End(signal_hook::consts::SIGINT),
            _ = stop => Heard::Stop,
            _ = self.go_on.recv() => Heard::GoOn,
        }
    }
}
