//! The lines around the table: title, query, counts, providers, hints.

use super::pen::{Pen, Strip, thousands};
use super::text;
use super::theme::Role;
use crate::app::action::Action;
use crate::app::key;
use crate::app::layout::{Area, Layout};
use crate::app::{App, Context, Overlay, Tone, origin};
use crate::market::Align;
use crate::session::{Light, Status};
use crate::units::{duration, tokens};
use unicode_width::UnicodeWidthStr;

/// Name, where the market comes from, and the job.
pub(super) fn title(pen: &mut Pen<'_>, app: &App, area: Area) {
    let origin = origin::words(app.desk.statuses(), app.desk.is_offline(), app.now);
    let mut strip = vec![
        pen.piece("haggle", Role::Strong),
        pen.piece("  ", Role::Plain),
        pen.piece(origin, Role::Accent),
    ];
    if app.desk.is_frozen() {
        strip.push(pen.piece("  HELD STILL (z)", Role::Warn));
    }
    if let Some(what_if) = app.desk.setup().what_if() {
        strip.push(pen.piece(format!("  WHAT-IF {what_if}"), Role::Warn));
    }
    if !app.marks.is_empty() {
        strip.push(pen.piece(format!("  {} marked", app.marks.len()), Role::Plain));
    }
    let used = pen.put(area, 0, &strip);
    for words in job_words(app) {
        let job = pen.strip(words, Role::Plain);
        if job.iter().map(|p| p.text.width()).sum::<usize>() + usize::from(used) + 2
            <= usize::from(area.width)
        {
            pen.put_right(area, 0, used, &job);
            break;
        }
    }
}

/// The job, in words, from long to short.
fn job_words(app: &App) -> [String; 3] {
    let setup = app.desk.setup();
    let model = &setup.model.name;
    let what = format!("{} {model}", setup.method);
    let size = format!("{} tokens × {}", tokens(setup.tokens), setup.epochs);
    let seq = format!("seq {} × {} × {}", setup.seq_len, setup.micro_batch, setup.grad_accum);
    [format!("{what} · {seq} · {size} · {}", setup.framework), format!("{what} · {size}"), what]
}

/// The query in force.
pub(super) fn query(pen: &mut Pen<'_>, app: &App, layout: &Layout) {
    let text = app.desk.query_text();
    let mut strip = vec![pen.piece("query ", Role::Faint)];
    strip.push(match text {
        "" => pen.piece("everything", Role::Faint),
        text => pen.piece(text, Role::Plain),
    });
    let used = pen.put(layout.query, 0, &strip);
    let counts = counts_words(app);
    if layout.counts.is_none() {
        let short = format!("{}/{}", thousands(app.desk.shown()), thousands(app.desk.total()));
        let short = pen.strip(short, Role::Strong);
        pen.put_right(layout.query, 0, used, &short);
    }
    if let Some(area) = layout.counts {
        let room = usize::from(area.width).saturating_sub(counts.width());
        let hidden = hidden_words(app);
        let hidden = hidden.iter().find(|words| words.width() <= room);
        let mut strip = vec![pen.piece(counts, Role::Strong)];
        strip.extend(hidden.map(|words| pen.piece(words, Role::Plain)));
        let used = pen.put(area, 0, &strip);
        let right = position_words(app);
        let right = pen.strip(right, Role::Faint);
        pen.put_right(area, 0, used + 1, &right);
    }
}

fn counts_words(app: &App) -> String {
    format!("{} of {} offers", thousands(app.desk.shown()), thousands(app.desk.total()))
}

/// `· hidden: 398 rel>95%, 201 reliability unknown`, from long to short.
fn hidden_words(app: &App) -> Vec<String> {
    let mut excluded: Vec<_> = app.desk.excluded().iter().filter(|e| e.count > 0).collect();
    excluded.sort_by_key(|e| std::cmp::Reverse(e.count));
    if excluded.is_empty() {
        return Vec::new();
    }
    let reasons: Vec<String> =
        excluded.iter().map(|e| format!("{} {}", thousands(e.count), e.reason)).collect();
    let all: usize = excluded.iter().map(|e| e.count).sum();
    let why = app.keymap.hint(Action::Why).map(|key| format!(", {key} says why"));
    let mut words = vec![format!(" · hidden: {}", reasons.join(", "))];
    words.extend(why.map(|why| format!(" · {} hidden{why}", thousands(all))));
    words.push(format!(" · {} hidden", thousands(all)));
    words
}

fn position_words(app: &App) -> String {
    let keys: Vec<String> = app.sort_keys().iter().map(ToString::to_string).collect();
    let at = if app.desk.shown() == 0 { 0 } else { app.cursor.position + 1 };
    let dropped: Vec<&str> = app.grid.dropped.iter().map(|c| c.title).collect();
    let dropped = match dropped.as_slice() {
        [] => String::new(),
        [one] => format!("no room for {one} · "),
        many => format!("no room for {} columns · ", many.len()),
    };
    format!("{dropped}by {} · row {}", keys.join(", "), thousands(at))
}

/// One light for each provider.
pub(super) fn status(pen: &mut Pen<'_>, app: &App, area: Area) {
    let width = usize::from(area.width);
    for long in [3, 2, 1, 0] {
        let mut strip: Strip = Vec::new();
        for status in app.desk.statuses() {
            strip.push(pen.piece(light(status.light, pen.ascii), light_role(status.light)));
            strip.push(pen.piece(format!("{}  ", status_words(status, app, long)), Role::Plain));
        }
        trim_end(&mut strip);
        if strip.iter().map(|p| p.text.width()).sum::<usize>() <= width || long == 0 {
            pen.put(area, 0, &strip);
            return;
        }
    }
}

/// A sign for each state; they differ by shape.
const fn light(light: Light, ascii: bool) -> &'static str {
    match (light, ascii) {
        (Light::Off, false) => "○",
        (Light::Off, true) => "-",
        (Light::Waiting, false) => "◌",
        (Light::Fetching, false) => "◐",
        (Light::Waiting | Light::Fetching, true) => "~",
        (Light::Done, false) => "●",
        (Light::Done, true) => "*",
        (Light::Stale, _) => "!",
        (Light::Failed, _) => "x",
        (Light::NeedsKey, _) => "k",
    }
}

const fn light_role(light: Light) -> Role {
    match light {
        Light::Done => Role::Good,
        Light::Stale | Light::NeedsKey => Role::Warn,
        Light::Failed => Role::Bad,
        Light::Off | Light::Waiting | Light::Fetching => Role::Faint,
    }
}

fn status_words(status: &Status, app: &App, long: u8) -> String {
    let name = status.provider.name();
    let rows = match (status.rows, status.progress.total) {
        (0, _) => String::new(),
        (n, Some(total)) if status.light.is_busy() => {
            format!(" {}/{}", thousands(n), thousands(total))
        }
        (n, _) => format!(" {}", thousands(n)),
    };
    // While rows come, an age would be that of the rows which they replace.
    let age = match status.wait(app.now) {
        Some(seconds) => format!(" waits {seconds}s"),
        None if status.light == Light::Fetching => String::new(),
        None => status.age(app.now).map(|a| format!(" {}", duration(a))).unwrap_or_default(),
    };
    let word = match status.light {
        Light::Stale | Light::Failed | Light::NeedsKey => format!(" {}", status.light.word()),
        _ => String::new(),
    };
    match long {
        3 => format!(" {name}{rows}{age}{word}"),
        2 => format!(" {name}{rows}"),
        1 => format!(" {name}"),
        _ => name.chars().take(3).collect(),
    }
}

/// The last line: a message, the keys that may follow, or hints.
pub(super) fn footer(pen: &mut Pen<'_>, app: &App, area: Area) {
    if let Some(toast) = &app.toast {
        let role = if toast.tone == Tone::Bad { Role::Bad } else { Role::Good };
        let sign = if toast.tone == Tone::Bad { "! " } else { "" };
        let strip = pen.strip(format!("{sign}{}", toast.text), role);
        pen.put(area, 0, &strip);
        return;
    }
    let hints = if app.pending.is_empty() { hints(app) } else { following(app) };
    let mut strip = Vec::new();
    let mut used = 0;
    for (keys, words) in hints {
        let words = format!(" {words}  ");
        let (keys, words) = (pen.clean(&keys), pen.clean(&words));
        used += keys.width() + words.width();
        if used > usize::from(area.width) + 2 {
            break;
        }
        strip.push(pen.piece(keys, Role::Key));
        strip.push(pen.piece(words, Role::Plain));
    }
    trim_end(&mut strip);
    pen.put(area, 0, &strip);
}

/// Takes the blanks off the end, so that they are not what has no room.
fn trim_end(strip: &mut Strip) {
    if let Some(last) = strip.last_mut() {
        last.text.truncate(last.text.trim_end().len());
    }
}

/// What may follow the keys pressed so far.
fn following(app: &App) -> Vec<(String, String)> {
    let pressed = key::sequence(&app.pending);
    let mut all = vec![(pressed, "…".to_string())];
    let next = app.keymap.following(app.context(), &app.pending);
    all.extend(next.into_iter().map(|(keys, action)| (keys, action.name().to_string())));
    all.push(("esc".to_string(), "forget it".to_string()));
    all
}

fn hints(app: &App) -> Vec<(String, String)> {
    let keys = |actions: &[Action]| {
        let keys: Vec<String> = actions.iter().filter_map(|a| app.keymap.hint(*a)).collect();
        keys.join("/")
    };
    let wanted = match (&app.overlay, app.context()) {
        (Some(overlay), context) => page_hints(overlay, context == Context::Text),
        (None, _) => TABLE_HINTS,
    };
    wanted.iter().map(|(actions, words)| (keys(actions), (*words).to_string())).collect()
}

/// What is said at the foot of a page.
type Hints = &'static [(&'static [Action], &'static str)];

fn page_hints(overlay: &Overlay, is_typing: bool) -> Hints {
    match overlay {
        Overlay::Prompt(_) => TABLE_HINTS,
        Overlay::Pick(_) => PICK,
        Overlay::Setup(_) if is_typing => SETUP_TYPED,
        Overlay::Setup(_) => SETUP,
        Overlay::Order(_) => ORDER,
        Overlay::Export(_) => EXPORT,
        Overlay::WhyNot(_) => WHY_NOT,
        Overlay::Settings(_) => SETTINGS,
        Overlay::Why(_) => WHY,
        Overlay::Around(_) => AROUND,
        Overlay::Pareto(_) if is_typing => PARETO_TYPED,
        Overlay::Pareto(_) => PARETO,
        Overlay::Sheet(_) => SHEET,
    }
}

const PICK: Hints = &[
    (&[Action::TextUp, Action::TextDown], "choose"),
    (&[Action::TextAccept], "take"),
    (&[Action::TextCancel], "close"),
];
const SETUP_TYPED: Hints =
    &[(&[Action::TextAccept], "set"), (&[Action::TextCancel], "leave as it was")];
const SETUP: Hints = &[
    (&[Action::Down, Action::Up], "field"),
    (&[Action::Left, Action::Right], "change"),
    (&[Action::Accept], "type"),
    (&[Action::ClearLine], "default"),
    (&[Action::Close], "close"),
];
const ORDER: Hints = &[
    (&[Action::Toggle], "on, off"),
    (&[Action::RaiseLine, Action::LowerLine], "order"),
    (&[Action::Left], "turn round"),
    (&[Action::PinLine], "hold a column"),
    (&[Action::Accept], "done"),
];
const EXPORT: Hints = &[
    (&[Action::Down, Action::Up], "format"),
    (&[Action::Left, Action::Right], "where to"),
    (&[Action::Accept], "export"),
    (&[Action::Close], "close"),
];
const WHY_NOT: Hints = &[
    (&[Action::Accept], "show it"),
    (&[Action::WhyNot], "another offer"),
    (&[Action::Close], "close"),
];
const SETTINGS: Hints = &[
    (&[Action::Down, Action::Up], "setting"),
    (&[Action::Left, Action::Right], "change"),
    (&[Action::ClearLine], "as in the file"),
    (&[Action::Close], "close"),
];
const WHY: Hints = &[
    (&[Action::Down, Action::Up], "choose"),
    (&[Action::Accept], "apply"),
    (&[Action::WhyNot], "one offer"),
    (&[Action::Close], "close"),
];
const AROUND: Hints = &[
    (&[Action::Down, Action::Up], "choose"),
    (&[Action::Accept], "go to this offer"),
    (&[Action::Toggle], "mark"),
    (&[Action::Close], "close"),
];
const PARETO_TYPED: Hints =
    &[(&[Action::TextAccept], "draw the line"), (&[Action::TextCancel], "leave it")];
const PARETO: Hints = &[
    (&[Action::Left, Action::Right], "faster, cheaper"),
    (&[Action::Deadline], "deadline"),
    (&[Action::Budget], "budget"),
    (&[Action::Toggle], "mark"),
    (&[Action::Close], "close"),
];
const SHEET: Hints = &[(&[Action::Down, Action::Up], "move"), (&[Action::Close], "close")];

const TABLE_HINTS: Hints = &[
    (&[Action::Help], "help"),
    (&[Action::Search], "find"),
    (&[Action::Query], "query"),
    (
        &[
            Action::FilterVram,
            Action::FilterReliability,
            Action::FilterBandwidth,
            Action::FilterRegion,
            Action::FilterPrice,
        ],
        "vram rel net region price",
    ),
    (&[Action::EditSetup], "setup"),
    (&[Action::SortMenu], "sort"),
    (&[Action::Why], "why"),
    (&[Action::Detail], "detail"),
    (&[Action::Panel], "panel"),
    (&[Action::Mark], "mark"),
    (&[Action::Compare], "compare"),
    (&[Action::Export], "export"),
    (&[Action::CopyCommand], "copy command"),
    (&[Action::Quit], "quit"),
];

/// What is shown when nothing can be.
pub(super) fn too_small(pen: &mut Pen<'_>, area: Area) {
    let least = crate::app::layout::SMALLEST;
    let text = format!(
        "haggle needs {} columns and {} rows; here are {} and {}.",
        least.width, least.height, area.width, area.height
    );
    let width = usize::from(area.width);
    for (row, line) in text::wrap(&text, width.max(1)).into_iter().enumerate() {
        let piece = pen.cell(&line, width, Align::Left, Role::Plain);
        pen.put(area, row as u16, &[piece]);
    }
}
