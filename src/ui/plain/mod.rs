//! The second face: everything as lines, for screen readers, braille lines and pipes. No boxes, no
//! columns that must be looked at, no colour; what changes is said as a line.
//!
//! It reads the same state as the drawn screen, and computes nothing of its own.

mod page;
mod row;

use crate::app::action::Context;
use crate::app::desk::Detail;
use crate::app::facts::facts;
use crate::app::{App, Tell, Tone, origin};
use crate::market::ViewRow;
use crate::session::Light;
use crate::units::tokens;
use page::Page;

/// What has been said, so that only what is new is said again.
#[derive(Debug, Default)]
pub struct Reader {
    said: Said,
}

#[derive(Clone, Debug, Default, PartialEq)]
struct Said {
    query: String,
    order: String,
    job: String,
    counts: String,
    lights: Vec<(Light, usize)>,
    selected: Option<ViewRow>,
    row: String,
    marked: Vec<ViewRow>,
    column: String,
    columns: Vec<&'static str>,
    frozen: bool,
    page: Option<Page>,
    toast: Option<String>,
}

/// Lines of a page that are said when it changes as a whole; the rest is counted.
const MOST_LINES: usize = 25;

impl Reader {
    /// What is said at the start.
    pub fn hello(&mut self, app: &App) -> Vec<String> {
        self.said = said(app);
        let mut lines = vec![
            format!(
                "haggle, plain mode. {}. Type help and enter to hear what can be said here.",
                origin::words(app.desk.statuses(), app.desk.is_offline(), app.now)
            ),
            self.said.job.clone(),
        ];
        lines.extend(front(app));
        lines.extend(self.said.toast.clone());
        finish(app, lines)
    }

    /// What is to be heard after a line was obeyed.
    pub fn answer(&mut self, app: &App, tell: Tell) -> Vec<String> {
        let mut lines = self.news(app);
        match tell {
            Tell::Changes if lines.is_empty() => lines.push(here(app)),
            Tell::Changes => {}
            Tell::Front => lines = front(app),
            Tell::Offer => lines = offer(app),
            Tell::Help => lines = page::help(app),
        }
        finish(app, lines)
    }

    /// What has changed by itself.
    pub fn changes(&mut self, app: &App) -> Vec<String> {
        let lines = self.news(app);
        finish(app, lines)
    }

    fn news(&mut self, app: &App) -> Vec<String> {
        let now = said(app);
        let before = std::mem::replace(&mut self.said, now.clone());
        let mut lines = Vec::new();
        if now.toast != before.toast {
            lines.extend(now.toast.clone());
        }
        let ended = lights(app, &before.lights, &mut lines);
        for (new, old) in
            [(&now.job, &before.job), (&now.query, &before.query), (&now.order, &before.order)]
        {
            if new != old {
                lines.push(new.clone());
            }
        }
        if now.frozen != before.frozen {
            lines.push(
                if now.frozen { "market: held still" } else { "market: goes on" }.to_string(),
            );
        }
        let asked = now.query != before.query || now.job != before.job;
        let counted =
            now.counts != before.counts && !app.desk.statuses().iter().any(|s| s.light.is_busy());
        if asked || counted || (ended && now.counts != before.counts) {
            lines.push(counts(app));
        } else {
            // Rows are still coming; their number is said when they have come.
            self.said.counts = before.counts;
        }
        marks(app, &before.marked, &now.marked, &mut lines);
        if now.columns != before.columns {
            lines.push(format!("columns: {}", now.columns.join(", ")));
        }
        let closed = before.page.is_some() && now.page.is_none();
        page_news(before.page.as_ref(), now.page.as_ref(), &mut lines);
        let moved = now.selected != before.selected || now.row != before.row;
        if now.page.is_none() && (moved || closed) {
            lines.push(row::selected(app));
        }
        if now.page.is_none() && now.column != before.column {
            lines.push(row::cell(app));
        }
        lines
    }
}

/// Everything that is compared from one line to the next.
fn said(app: &App) -> Said {
    let setup = app.desk.setup();
    let job = format!(
        "job: {} of {}, {} tokens, {} epochs, sequence {}, batch {} times {}, {}",
        setup.method,
        setup.model.name,
        tokens(setup.tokens),
        setup.epochs,
        setup.seq_len,
        setup.micro_batch,
        setup.grad_accum,
        setup.framework
    );
    let query = match app.desk.query_text() {
        "" => "query: everything".to_string(),
        text => format!("query: {text}"),
    };
    let keys: Vec<String> = app.sort_keys().iter().map(ToString::to_string).collect();
    let toast = app.toast.as_ref().map(|t| match t.tone {
        Tone::Good => t.text.clone(),
        Tone::Bad => format!("problem: {}", t.text),
    });
    Said {
        query,
        order: format!("sorted by: {}", keys.join(", ")),
        job,
        counts: format!("{}/{}", app.desk.shown(), app.desk.total()),
        lights: app.desk.statuses().iter().map(|s| (s.light, s.rows)).collect(),
        selected: app.cursor.line,
        row: row::compared(app),
        marked: app.marks.clone(),
        column: app.column.name().to_string(),
        columns: app.columns.iter().map(|c| c.name()).collect(),
        frozen: app.desk.is_frozen(),
        page: page::open(app),
        toast,
    }
}

/// Says which providers have begun and ended. Tells whether one has ended.
fn lights(app: &App, before: &[(Light, usize)], lines: &mut Vec<String>) -> bool {
    let mut asked = Vec::new();
    let mut ended = false;
    for (at, status) in app.desk.statuses().iter().enumerate() {
        let old = before.get(at).map_or(Light::Off, |b| b.0);
        let (name, line) = (status.provider.name(), status.line(app.now));
        match (old.is_busy(), status.light.is_busy()) {
            (false, true) => asked.push(name),
            (true, false) => {
                ended = true;
                lines.push(format!("{name} {}: {line}", status.light.word()));
            }
            (false, false) if old != status.light => lines.push(format!("{name}: {line}")),
            _ => {}
        }
    }
    if !asked.is_empty() {
        lines.push(format!("asking {}", asked.join(", ")));
    }
    ended
}

fn marks(app: &App, before: &[ViewRow], now: &[ViewRow], lines: &mut Vec<String>) {
    let id =
        |line: &ViewRow| app.desk.table().id(line.row).unwrap_or_else(|| "an offer".to_string());
    for line in now.iter().filter(|l| !before.contains(l)) {
        lines.push(format!("marked {}, {} marked", id(line), now.len()));
    }
    for line in before.iter().filter(|l| !now.contains(l)) {
        lines.push(format!("unmarked {}, {} marked", id(line), now.len()));
    }
}

/// What is new on the page that is open.
fn page_news(before: Option<&Page>, now: Option<&Page>, lines: &mut Vec<String>) {
    match (before, now) {
        (Some(_), None) => lines.push("closed".to_string()),
        (_, None) => {}
        (Some(before), Some(now)) if before.title == now.title => {
            let same = now.lines.len() == before.lines.len();
            let line = |page: &Page| page.selected.and_then(|at| page.lines.get(at)).cloned();
            let other = now.lines.iter().zip(&before.lines).enumerate();
            let others = other.filter(|(at, (a, b))| a != b && Some(*at) != now.selected).count();
            if !same || others > 2 {
                lines.extend(now.read());
            } else if now.selected != before.selected || line(now) != line(before) {
                lines.extend(now.selected_line());
            }
            if now.foot != before.foot {
                lines.extend(now.foot.clone());
            }
        }
        (_, Some(now)) => {
            lines.push(now.title.clone());
            lines.extend(now.read());
            lines.extend(now.foot.clone());
        }
    }
}

/// What is in front: the page that is open, or the rows in view.
fn front(app: &App) -> Vec<String> {
    if let Some(page) = page::open(app) {
        let mut lines = vec![page.title.clone()];
        lines.extend(page.read_all());
        lines.extend(page.foot);
        return lines;
    }
    let mut lines = vec![counts(app)];
    lines.extend(row::all(app));
    let last = app.cursor.offset + app.grid.rows.len();
    if last < app.desk.shown() {
        lines.push(format!("{} more; page-down reads on", app.desk.shown() - last));
    }
    lines
}

/// Where we are, when nothing has changed.
fn here(app: &App) -> String {
    match (page::open(app), app.context()) {
        (Some(page), Context::Text) => page.title,
        (Some(page), _) => page.selected_line().into_iter().next().unwrap_or(page.title),
        (None, _) => row::selected(app),
    }
}

fn counts(app: &App) -> String {
    let mut excluded: Vec<_> = app.desk.excluded().iter().filter(|e| e.count > 0).collect();
    excluded.sort_by_key(|e| std::cmp::Reverse(e.count));
    let reasons: Vec<String> =
        excluded.iter().map(|e| format!("{} by {}", e.count, e.reason)).collect();
    let hidden = if reasons.is_empty() {
        String::new()
    } else {
        format!("; hidden: {}", reasons.join(", "))
    };
    format!("{} of {} offers shown{hidden}", app.desk.shown(), app.desk.total())
}

/// Every figure of the selected offer.
fn offer(app: &App) -> Vec<String> {
    let Some(detail) = &app.detail else { return vec!["no offer is selected".to_string()] };
    let mut lines = vec![row::selected(app)];
    let mut section = "";
    for fact in facts(detail, app.now) {
        if fact.section != section {
            section = fact.section;
            lines.push(format!("{section}:"));
        }
        lines.push(page::fact(&fact));
    }
    lines.extend(advice(detail));
    lines
}

fn advice(detail: &Detail) -> Vec<String> {
    let mut lines = Vec::new();
    for (at, advice) in detail.advice.iter().enumerate() {
        let word = crate::app::facts::verdict_word(advice.verdict);
        let how = if at == 0 { "; apply-advice does it" } else { "" };
        lines.push(format!("would help: {}: {word}{how}", advice.change));
    }
    lines
}

/// Lines as they are written: in ASCII where that is asked for.
fn finish(app: &App, lines: Vec<String>) -> Vec<String> {
    let clean = |line: String| if app.look.ascii { super::text::to_ascii(&line) } else { line };
    lines.into_iter().map(clean).collect()
}

#[cfg(test)]
mod tests;
