//! Without a command: the screen, or plain mode.

use super::args::Color;
use super::call::Call;
use super::failure::Failure;
use super::out;
use super::setup_flags::SetupFlags;
use crate::app::desk::Desk;
use crate::app::keymap::Keymap;
use crate::app::layout::Size;
use crate::app::settings::{Origins, Setting, Settings};
use crate::app::{App, Look, Options, Start, ThemeName};
use crate::config::ViewConfig;
use crate::market::{Column, Field, Query, SortKey};
use crate::offer::{Provider, harmless};
use crate::runtime::collect::{self, Fetcher, Wish};
use crate::runtime::watch::Watch;
use crate::runtime::world::{
    AskFirst, Ended, Ending, FindModel, Keep, Load, Reload, SaveView, World,
};
use crate::runtime::{kept, plain, screen, views};
use crate::session::Stock;
use crate::tty::clipboard::Between;
use crate::tty::{self, Out};
use crate::units::UnixSeconds;
use std::path::PathBuf;
use std::sync::Arc;

/// The size that plain mode pretends to have: every chosen column has room, and a page is as many
/// rows as one likes to hear.
const PLAIN_SIZE: Size = Size { width: 1000, height: 14 };
/// The screen's size until the terminal tells it.
const USUAL_SIZE: Size = Size { width: 80, height: 24 };

/// Opens the screen, or plain mode, and prints what the user took along.
pub(super) fn run(call: &Call) -> Result<(), Failure> {
    call.not_from_stdin("keys and commands are read there")?;
    let terminal = Out::to_terminal();
    let view = view(call);
    let is_plain = call.global.plain || view.plain == Some(true);
    if terminal.is_none() && !is_plain {
        return Err(Failure::usage(
            "the screen needs a terminal; `haggle list` prints the same market, and `haggle --plain` \
             reads commands from a pipe",
        ));
    }
    // Plain mode reads aloud what there is; it has no first frame to hurry for.
    let beginning = if is_plain { None } else { collect::glance(&call.wish()) };
    let rows = beginning.as_ref().map(|(_, rows)| *rows);
    let stock = match beginning {
        Some((stock, _)) => stock,
        None => collect::load(&call.wish()).map_err(|e| Failure::usage(format!("--from {e}")))?,
    };
    let mut app = app(call, stock, &view, if is_plain { PLAIN_SIZE } else { USUAL_SIZE })?;
    if is_plain {
        app.hide_panel();
    }
    if let Some(rows) = rows {
        app.say_loading(rows);
    }
    let runtime = two_workers()?;
    let ended = runtime.block_on(async {
        let (fetcher, updates) = Fetcher::new(&call.paths);
        let fetcher = Arc::new(fetcher);
        let (asking, own, looking, other) =
            (Arc::clone(&fetcher), call.clone(), fetcher, call.clone());
        let world = World {
            updates,
            fetch: Box::new(move |stock, query, only, now| {
                let wish = Wish { query: Some(query), ..own.wish() };
                asking.start(&wish, only, stock, now);
            }),
            newly_in_view: Box::new(move |query| {
                looking.newly_in_view(&Wish { query: Some(query), ..other.wish() })
            }),
            ask_first: ask_first(call),
            load: rows.map(|_| load(call)),
            find_model: find_model(call),
            refresh: refresh(call),
            save_view: save_view(call),
            keep: keep_setting(call),
            reload: reload(call),
            watch: Watch::new(call.paths.config_file.clone()),
            folder: PathBuf::from("."),
            between: between(call),
        };
        match terminal {
            Some(terminal) if !is_plain => screen::run(app, terminal, world).await,
            _ => plain::run(app, Out::Stdout, clipboard(), world, plain::lines()).await,
        }
    });
    runtime.shutdown_background();
    tty::say_the_rest();
    if let Ok(ended) = &ended {
        keep(call, ended)?;
    }
    end(ended)
}

/// The state at the start.
fn app(call: &Call, stock: Stock, view: &ViewConfig, size: Size) -> Result<App, Failure> {
    let setup = call.setup(SetupFlags::default())?;
    let draft = call.draft(SetupFlags::default())?;
    let mut options = options(call, view).map_err(Failure::usage)?;
    let remarks = call.key_warnings().into_iter().chain(stock.remarks().iter().cloned());
    options.settings.problems.extend(remarks.map(|line| harmless(&line).into_owned()));
    let mut desk = Desk::new(stock, draft, setup);
    desk.set_offline(call.global.offline || call.global.from.is_some());
    desk.set_query(&options.start.query)
        .map_err(|e| Failure::usage(format!("[view] query: {e}")))?;
    desk.set_sort(options.start.sort.clone());
    Ok(App::new(desk, options, size, now()))
}

fn two_workers() -> Result<tokio::runtime::Runtime, Failure> {
    let mut builder = tokio::runtime::Builder::new_multi_thread();
    let runtime = builder.worker_threads(2).enable_all().build();
    runtime.map_err(|e| Failure::failed(format!("cannot start: {e}")))
}

fn load(call: &Call) -> Load {
    let call = call.clone();
    Box::new(move || collect::load(&call.wish()).map_err(|e| format!("--from {e}")))
}

fn ask_first(call: &Call) -> AskFirst {
    let call = call.clone();
    Box::new(move |stock, now| to_be_asked(&call, stock, now))
}

fn find_model(call: &Call) -> FindModel {
    let call = call.clone();
    Arc::new(move |name| super::hub::model(&call, name).map_err(|f| f.message))
}

fn save_view(call: &Call) -> SaveView {
    let paths = call.paths.clone();
    Box::new(move |name, view| views::save(&paths, name, view))
}

fn keep_setting(call: &Call) -> Keep {
    let paths = call.paths.clone();
    Box::new(move |name, value| kept::save(&paths, name, value))
}

fn reload(call: &Call) -> Reload {
    let call = call.clone();
    Arc::new(move || {
        let call = call.read_again().map_err(|f| f.message)?;
        options(&call, &view(&call))
    })
}

/// The terminal's clipboard in plain mode: only where the lines go to a terminal.
fn clipboard() -> Option<Out> {
    super::out::on_terminal().then_some(Out::Stdout)
}

/// What the view is to be: what was kept while the program ran, and below it the settings file.
fn view(call: &Call) -> ViewConfig {
    kept::load(&call.paths).over(call.config.view.clone())
}

/// How long each provider's rows may grow old: as the settings say, or as its source does.
fn refresh(call: &Call) -> Vec<(Provider, i64)> {
    let mut intervals = Vec::new();
    for source in crate::provider::registry() {
        let profile = source.profile();
        let own = call.config.provider(profile.provider).refresh_minutes;
        let seconds = own.map_or(profile.refresh.as_secs(), |minutes| u64::from(minutes) * 60);
        if seconds > 0 {
            intervals.push((profile.provider, i64::try_from(seconds).unwrap_or(i64::MAX)));
        }
    }
    intervals
}

/// Everybody whose saved rows are not of the last minute: a start after a start asks nobody twice.
fn to_be_asked(call: &Call, stock: &Stock, now: UnixSeconds) -> Vec<Provider> {
    const FRESH_SECONDS: i64 = 60;
    if call.global.offline || call.global.from.is_some() {
        return Vec::new();
    }
    let old = stock.statuses().iter().filter(|s| s.age(now).is_none_or(|a| a >= FRESH_SECONDS));
    old.map(|s| s.provider).collect()
}

/// Keeps the market for the next start, and in the file that was named.
fn keep(call: &Call, ended: &Ended) -> Result<(), Failure> {
    let stock = ended.app.desk.stock();
    if stock.has_live_rows() && call.global.providers.is_empty() {
        // Without a cache the next start asks again, which is no reason to fail this one.
        let _ = collect::remember(stock, ended.app.now, &call.paths);
    }
    call.save(stock, ended.app.now)
}

fn now() -> UnixSeconds {
    UnixSeconds(jiff::Timestamp::now().as_second())
}

fn end(ended: std::io::Result<Ended>) -> Result<(), Failure> {
    match ended {
        Ok(Ended { how: Ending::Left(None), .. }) => Ok(()),
        Ok(Ended { how: Ending::Left(Some(text)), .. }) => out::data(&text),
        Ok(Ended { how: Ending::Signal(number), .. }) => Err(Failure::signal(number)),
        Err(gone) => Err(Failure::failed(format!("the terminal cannot be used: {gone}"))),
    }
}

/// The settings of the view: name, value, whose choice it is.
pub(super) fn view_settings(call: &Call) -> Vec<(&'static str, String, String)> {
    let view = view(call);
    let look = look(call, &view, &mut Vec::new());
    let origins = Settings { origins: origins(call), ..Settings::default() };
    let yes = |on: bool| if on { "yes" } else { "no" }.to_owned();
    let or = |text: &Option<String>, usual: &str| text.clone().unwrap_or_else(|| usual.to_owned());
    let value = |setting| match setting {
        Setting::Theme => look.theme.name().to_owned(),
        Setting::Ascii => yes(look.ascii),
        Setting::Mouse => yes(look.mouse),
        Setting::ReducedMotion => yes(look.calm),
        Setting::Query => or(&view.query, Query::START),
        Setting::Sort => or(&view.sort, "runs,total"),
        Setting::Columns => {
            view.columns.as_ref().map_or_else(|| "usual".to_owned(), |c| c.join(","))
        }
    };
    let all = Setting::ALL.into_iter();
    all.map(|s| (s.name(), value(s), origins.origin(s).to_owned())).collect()
}

/// How the screen would look, and what is wrong with the settings.
pub(super) fn look_and_problems(call: &Call) -> (Look, Vec<String>) {
    match options(call, &view(call)) {
        Ok(options) => (options.look, options.settings.problems),
        Err(problem) => (Look::default(), vec![problem]),
    }
}

/// Look, keys, columns and views, as the settings and the options say. What is wrong with keys,
/// columns and themes is said on the screen; it is no reason not to open it.
///
/// # Errors
/// What is wrong with the query or the order.
fn options(call: &Call, view: &ViewConfig) -> Result<Options, String> {
    let keys = call.config.keys.iter().map(|(name, keys)| (name.as_str(), keys.as_slice()));
    let (keymap, mut problems) = Keymap::new(keys);
    let columns = columns(view, &mut problems);
    let look = look(call, view, &mut problems);
    let query = view.query.clone().unwrap_or_else(|| Query::START.to_owned());
    Query::parse(&query).map_err(|e| format!("[view] query: {e}"))?;
    let sort = view.sort.as_deref().map(SortKey::parse_list).transpose();
    let sort = sort.map_err(|e| format!("[view] sort: {e}"))?.unwrap_or_default();
    let mut saved = views::load(&call.paths);
    saved.extend(call.config.views.clone());
    let file = call.paths.config_file.as_ref();
    let file = file.map_or_else(|| "none".to_owned(), |f| f.display().to_string());
    for line in &mut problems {
        *line = harmless(line).into_owned();
    }
    let settings = Settings { origins: origins(call), file, problems };
    let start = Start { query, sort, columns };
    Ok(Options { look, keymap, start, views: saved.into_iter().collect(), settings })
}

fn look(call: &Call, view: &ViewConfig, problems: &mut Vec<String>) -> Look {
    let named = view.theme.as_deref().map(|name| (name, ThemeName::from_name(name)));
    if let Some((name, None)) = named {
        let names = ThemeName::ALL.map(ThemeName::name).join(", ");
        problems.push(format!("[view] there is no theme `{name}`; there are {names}"));
    }
    let theme = named.and_then(|(_, theme)| theme).unwrap_or_default();
    Look {
        theme: if no_colour(call) { ThemeName::Mono } else { theme },
        ascii: view.ascii.unwrap_or_else(|| !is_unicode(call)),
        mouse: view.mouse.unwrap_or(true),
        calm: view.reduced_motion.unwrap_or(false),
    }
}

fn no_colour(call: &Call) -> bool {
    match call.global.color {
        Color::Never => true,
        Color::Always => false,
        Color::Auto => call.env.no_color(),
    }
}

/// Whose choice each setting of the view is.
pub(super) fn origins(call: &Call) -> Origins {
    let kept = kept::load(&call.paths);
    let mut origins = Origins::new();
    for setting in Setting::ALL {
        let origin = match setting {
            Setting::Theme if no_colour(call) => "NO_COLOR or --color".to_owned(),
            Setting::Ascii if !view(call).says("ascii") && !is_unicode(call) => {
                "LC_ALL, LC_CTYPE, LANG or TERM".to_owned()
            }
            _ if kept.says(setting.name()) => {
                kept::file(&call.paths).map(|f| f.display().to_string()).unwrap_or_default()
            }
            _ if call.config.view.says(setting.name()) => {
                let file = call.paths.config_file.as_ref();
                file.map(|f| f.display().to_string()).unwrap_or_default()
            }
            _ => continue,
        };
        origins.push((setting, origin));
    }
    origins
}

fn columns(view: &ViewConfig, problems: &mut Vec<String>) -> Vec<Field> {
    let mut fields = Vec::new();
    for name in view.columns.iter().flatten() {
        match Column::from_name(name) {
            Some(column) => fields.push(column.field),
            None => problems.push(format!("[view] there is no column `{name}`")),
        }
    }
    fields
}

/// Does the terminal draw more than ASCII? By the first of these variables that is set, as the C
/// library has it; where none is, terminals of today do.
fn is_unicode(call: &Call) -> bool {
    let named = ["LC_ALL", "LC_CTYPE", "LANG"].into_iter().find_map(|name| call.env.get(name));
    let dumb = call.env.get("TERM").is_some_and(|t| t == "dumb" || t == "linux");
    let unicode = named.is_none_or(|locale| {
        let locale = locale.to_ascii_lowercase();
        locale.contains("utf-8") || locale.contains("utf8")
    });
    unicode && !dumb
}

fn between(call: &Call) -> Between {
    if call.env.get("TMUX").is_some() { Between::Tmux } else { Between::Nothing }
}
