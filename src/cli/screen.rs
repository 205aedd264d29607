//! Without a command: the screen.

use super::args::Color;
use super::call::Call;
use super::failure::Failure;
use super::out;
use super::setup_flags::SetupFlags;
use crate::app::desk::Desk;
use crate::app::keymap::Keymap;
use crate::app::layout::Size;
use crate::app::{App, Look, Options, ThemeName};
use crate::config::ViewConfig;
use crate::market::{Column, Field, Query, SortKey};
use crate::offer::{Provider, harmless};
use crate::runtime::collect::{self, Fetcher};
use crate::runtime::screen::{self, Ended, Ending, World};
use crate::runtime::views;
use crate::session::Stock;
use crate::tty::clipboard::Between;
use crate::tty::{self, Out};
use crate::units::UnixSeconds;
use std::path::PathBuf;
use std::sync::Arc;

/// Opens the screen, and prints what the user took along.
pub(super) fn run(call: &Call) -> Result<(), Failure> {
    let Some(terminal) = Out::to_terminal() else {
        return Err(Failure::usage(
            "the screen needs a terminal; `haggle list` prints the same market",
        ));
    };
    let setup = call.setup(SetupFlags::default())?;
    let draft = call.draft(SetupFlags::default())?;
    let stock = collect::load(&call.wish()).map_err(|e| Failure::usage(format!("--from {e}")))?;
    let mut options = options(call);
    options.problems.extend(call.key_warnings());
    options.problems.extend_from_slice(stock.remarks());
    options.problems.iter_mut().for_each(|line| *line = harmless(line).into_owned());
    let now = now();
    let ask_first = to_be_asked(call, &stock, now);
    let mut desk = Desk::new(stock, draft, setup);
    desk.set_offline(call.global.offline || call.global.from.is_some());
    start_view(&mut desk, &call.config.view)?;
    let app = App::new(desk, options, Size { width: 80, height: 24 }, now);
    let runtime = tokio::runtime::Builder::new_multi_thread()
        .worker_threads(2)
        .enable_all()
        .build()
        .map_err(|e| Failure::failed(format!("cannot start: {e}")))?;
    let ended = runtime.block_on(async {
        let (fetcher, updates) = Fetcher::new();
        let own = call.clone();
        let world = World {
            updates,
            fetch: Box::new(move |stock, only, now| {
                fetcher.start(&own.wish(), only, stock, now);
            }),
            ask_first,
            find_model: find_model(call),
            refresh: refresh(call),
            save_view: save_view(call),
            folder: PathBuf::from("."),
            between: between(call),
        };
        screen::run(app, terminal, world).await
    });
    runtime.shutdown_background();
    tty::say_the_rest();
    if let Ok(ended) = &ended {
        keep(call, ended)?;
    }
    end(ended)
}

fn find_model(call: &Call) -> screen::FindModel {
    let call = call.clone();
    Arc::new(move |name| super::hub::model(&call, name).map_err(|f| f.message))
}

fn save_view(call: &Call) -> screen::SaveView {
    let paths = call.paths.clone();
    Box::new(move |name, query| views::save(&paths, name, query))
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

/// Query and order of the start, as the settings say.
fn start_view(desk: &mut Desk, view: &ViewConfig) -> Result<(), Failure> {
    let query = view.query.as_deref().unwrap_or(Query::START);
    desk.set_query(query).map_err(|e| Failure::usage(format!("[view] query: {e}")))?;
    if let Some(sort) = &view.sort {
        let keys = SortKey::parse_list(sort);
        desk.set_sort(keys.map_err(|e| Failure::usage(format!("[view] sort: {e}")))?);
    }
    Ok(())
}

/// Look, keys, columns and views, as the settings and the options say. What is wrong there is said
/// on the screen; it is no reason not to open it.
pub(super) fn options(call: &Call) -> Options {
    let view = &call.config.view;
    let keys = call.config.keys.iter().map(|(name, keys)| (name.as_str(), keys.as_slice()));
    let (keymap, mut problems) = Keymap::new(keys);
    let no_colour = match call.global.color {
        Color::Never => true,
        Color::Always => false,
        Color::Auto => call.env.no_color(),
    };
    let named = view.theme.as_deref().map(|name| (name, ThemeName::from_name(name)));
    if let Some((name, None)) = named {
        let names = ThemeName::ALL.map(ThemeName::name).join(", ");
        problems.push(format!("[view] there is no theme `{name}`; there are {names}"));
    }
    let theme = named.and_then(|(_, theme)| theme).unwrap_or_default();
    let columns = columns(view, &mut problems);
    let look = Look {
        theme: if no_colour { ThemeName::Mono } else { theme },
        ascii: view.ascii.unwrap_or_else(|| !is_unicode(call)),
        mouse: view.mouse.unwrap_or(true),
    };
    let mut saved = views::load(&call.paths);
    saved.extend(call.config.views.clone());
    let views = saved.into_iter().collect();
    Options { look, keymap, columns, views, problems }
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
