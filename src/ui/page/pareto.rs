//! Cost against hours: all offers in view as a cloud, the front as a line, a cursor on it.

use super::Caret;
use crate::app::App;
use crate::app::layout::Area;
use crate::app::pareto_page::{Axis, Limit, ParetoPage, words};
use crate::market::Align;
use crate::ui::pen::{Pen, Strip, thousands};
use crate::ui::text;
use crate::ui::theme::Role;
use ratatui::style::Color;
use ratatui::widgets::canvas::{Line, Points};
use unicode_width::UnicodeWidthStr;

/// Rows of the chart below which the legend goes.
const LEGEND_FROM: u16 = 8;
/// Lines at most in which the offer under the cursor is described.
const WORDS: usize = 3;

/// The heading.
pub(super) fn title(page: &ParetoPage) -> String {
    format!(
        "Cost against hours: {} of {} offers on the front",
        thousands(page.front.len()),
        thousands(page.shown)
    )
}

/// Draws the chart, and what the offer under the cursor is.
pub(super) fn draw(pen: &mut Pen<'_>, app: &App, page: &ParetoPage, area: Area) -> Option<Caret> {
    let limits = app.limits();
    let Some((across, up)) = page.axes(limits) else {
        let words = "No offer in view has a job that can run with known hours and dollars; there is \
                     nothing to draw (w says what hides offers).";
        for (row, line) in text::wrap(words, usize::from(area.width)).into_iter().enumerate() {
            let strip = pen.strip(line, Role::Warn);
            pen.put(area, row as u16, &strip);
        }
        return asked(pen, page, area);
    };
    let said = text::wrap(&words(app, page, page.at), usize::from(area.width));
    let said = &said[..said.len().min(WORDS)];
    for (row, line) in said.iter().enumerate() {
        let strip = pen.strip(line, Role::Strong);
        pen.put(area, row as u16, &strip);
    }
    let said = said.len() as u16;
    let legend = u16::from(area.height >= LEGEND_FROM);
    let below = legend + 1;
    let height = area.height.saturating_sub(said + below);
    let plot = Area { y: area.y + said, height, ..area };
    if height >= 2 {
        let chart = Chart::new(pen, app, (across, up), plot);
        chart.draw(pen, app, page);
        if legend == 1 {
            let foot = Area { y: area.y + area.height - 1, height: 1, ..area };
            let strip = chart.legend(pen, app, page);
            pen.put(foot, 0, &strip);
        }
    }
    asked(pen, page, area)
}

/// The line in which a limit is typed, over the first rows of the page.
fn asked(pen: &mut Pen<'_>, page: &ParetoPage, area: Area) -> Option<Caret> {
    let (limit, line) = page.asked.as_ref()?;
    let top = Area { height: area.height.min(2), ..area };
    pen.blank(top);
    let label = pen.strip(format!("{}: ", limit.label()), Role::Key);
    let start = pen.put(top, 0, &label).min(top.width * 3 / 4);
    let (shown, caret) = line.window(usize::from(top.width - start).saturating_sub(1));
    let typed = pen.strip(shown, Role::Plain);
    pen.put_at(top, start, 0, &typed);
    if let Some(mistake) = &page.mistake {
        let strip = pen.strip(format!("! {mistake}"), Role::Bad);
        pen.put(top, 1, &strip);
    }
    Some((top.x + start + caret as u16, top.y))
}

/// The chart's axes and where it stands.
struct Chart {
    across: Axis,
    up: Axis,
    /// Where dots are drawn.
    plot: Area,
    /// Dots of a cell, across and up.
    dots: (u16, u16),
    /// Where the labels of the axis of dollars stand.
    left: Area,
    /// Where the labels of the axis of hours stand.
    below: Area,
    dollars: Vec<(f64, String)>,
    deadline: Option<f64>,
    budget: Option<f64>,
    hosted: Option<f64>,
}

impl Chart {
    fn new(pen: &Pen<'_>, app: &App, (across, up): (Axis, Axis), whole: Area) -> Self {
        let limits = app.limits();
        let ticks = up.ticks(usize::from(whole.height / 2).max(2));
        let dollars: Vec<(f64, String)> = ticks.into_iter().map(|v| (v, figure(v, "$"))).collect();
        let gutter = dollars.iter().map(|(_, label)| label.width()).max().unwrap_or(0) as u16 + 1;
        let gutter = gutter.min(whole.width / 3);
        let plot = Area { x: whole.x + gutter, width: whole.width - gutter, ..whole };
        Self {
            across,
            up,
            plot,
            dots: if pen.ascii { (1, 1) } else { (2, 4) },
            left: Area { width: gutter, ..whole },
            below: Area { y: whole.y + whole.height, height: 1, ..whole },
            dollars,
            deadline: limits.deadline,
            budget: limits.budget,
            hosted: limits.hosted,
        }
    }

    fn draw(&self, pen: &mut Pen<'_>, app: &App, page: &ParetoPage) {
        self.frame(pen);
        let bounds = ([self.across.low, self.across.high], [self.up.low, self.up.high]);
        let place = |hours: f64, usd: f64| (self.across.exponent(hours), self.up.exponent(usd));
        let cloud: Vec<(f64, f64)> = page.cloud.iter().map(|(h, usd)| place(*h, *usd)).collect();
        let (faint, strong) = (pen.style(Role::Faint), pen.style(Role::Key));
        pen.dots(self.plot, bounds, '.', faint, |context| {
            context.draw(&Points { coords: &cloud, color: Color::Reset });
        });
        self.limits(pen);
        let front: Vec<(f64, f64)> =
            page.front.iter().map(|p| place(p.hours, p.total_usd)).collect();
        pen.dots(self.plot, bounds, ':', strong, |context| {
            for pair in front.windows(2) {
                if let [(x1, y1), (x2, y2)] = *pair {
                    context.draw(&Line { x1, y1, x2, y2, color: Color::Reset });
                }
            }
        });
        for point in &page.front {
            let sign = if pen.ascii { "o" } else { "○" };
            self.sign(pen, (point.hours, point.total_usd), sign, Role::Key);
        }
        for (n, mark) in app.marks.iter().take(9).enumerate() {
            if let Some(point) = app.desk.view().point(app.desk.table(), *mark) {
                let sign = (n + 1).to_string();
                self.sign(pen, (point.hours, point.total_usd), &sign, Role::Strong);
            }
        }
        if let Some(here) = page.here() {
            self.sign(pen, (here.hours, here.total_usd), cursor(pen), Role::Cursor);
        }
    }

    /// A sign in the cell where hours and dollars stand.
    fn sign(&self, pen: &mut Pen<'_>, (hours, usd): (f64, f64), sign: &str, role: Role) {
        let x = self.column(hours);
        let piece = crate::ui::pen::Piece { text: sign.to_string(), style: pen.style(role) };
        pen.put_at(self.plot, x, self.row(usd), &[piece]);
    }

    fn row(&self, usd: f64) -> u16 {
        self.plot.height - 1 - self.up.cell(usd, self.plot.height, self.dots.1)
    }

    fn column(&self, hours: f64) -> u16 {
        self.across.cell(hours, self.plot.width, self.dots.0)
    }

    /// Labels of both axes.
    fn frame(&self, pen: &mut Pen<'_>) {
        let width = usize::from(self.left.width.saturating_sub(1));
        for (value, label) in &self.dollars {
            let piece = pen.cell(label, width, Align::Right, Role::Plain);
            pen.put(self.left, self.row(*value), &[piece]);
        }
        let mut free = self.left.width;
        let most = usize::from(self.plot.width / 8).max(2);
        for value in self.across.ticks(most) {
            let label = figure(value, "h");
            let wide = label.width() as u16;
            let at = self.left.width + self.column(value);
            let at = at.saturating_sub(wide / 2);
            if at >= free && at + wide <= self.below.width {
                let strip = pen.strip(&label, Role::Plain);
                pen.put_at(self.below, at, 0, &strip);
                free = at + wide + 1;
            }
        }
    }

    /// Deadline, budget, and what a hosted service would take.
    fn limits(&self, pen: &mut Pen<'_>) {
        if let Some(hours) = self.deadline {
            let x = self.column(hours);
            let bar = pen.strip("│", Role::Warn);
            (0..self.plot.height).for_each(|row| {
                pen.put_at(self.plot, x, row, &bar);
            });
        }
        let across = [(self.hosted, hosted(pen), Role::Plain), (self.budget, "─", Role::Warn)];
        for (usd, sign, role) in across {
            if let Some(usd) = usd {
                let line = pen.strip(sign.repeat(usize::from(self.plot.width)), role);
                pen.put(self.plot, self.row(usd), &line);
            }
        }
    }

    /// What the signs mean.
    fn legend(&self, pen: &Pen<'_>, app: &App, page: &ParetoPage) -> Strip {
        let mut parts: Vec<(String, String, Role)> = vec![
            (cursor(pen).to_string(), "here".to_string(), Role::Strong),
            (if pen.ascii { "o" } else { "○" }.to_string(), "front".to_string(), Role::Key),
            (if pen.ascii { "." } else { "⠂" }.to_string(), "offers".to_string(), Role::Faint),
        ];
        for (sign, limit, value) in
            [("│", Limit::Deadline, self.deadline), ("─", Limit::Budget, self.budget)]
        {
            if let Some(value) = value {
                let words = format!("{} {}", limit.name(), limit.words(value));
                parts.push((sign.to_string(), words, Role::Warn));
            }
        }
        if let Some(usd) = self.hosted {
            parts.push((
                hosted(pen).to_string(),
                format!("hosted {}", Limit::Budget.words(usd)),
                Role::Plain,
            ));
        }
        if !app.marks.is_empty() {
            let last = app.marks.len().min(9);
            let signs = if last > 1 { format!("1-{last}") } else { "1".to_string() };
            parts.push((signs, "marked".to_string(), Role::Strong));
        }
        let nowhere = page.shown - page.placed;
        if nowhere > 0 {
            let words = format!("{} not placed", thousands(nowhere));
            parts.push((String::new(), words, Role::Faint));
        }
        let mut strip = Strip::new();
        for (sign, words, role) in parts {
            let style = pen.style(role);
            let sign =
                if sign.is_ascii() || !pen.ascii { sign } else { pen.clean(&sign).into_owned() };
            strip.push(crate::ui::pen::Piece { text: format!("{sign} "), style });
            strip.push(pen.piece(format!("{words}  "), Role::Plain));
        }
        strip
    }
}

/// The line of a hosted service's price.
const fn hosted(pen: &Pen<'_>) -> &'static str {
    if pen.ascii { "=" } else { "┄" }
}

/// The cursor's sign.
const fn cursor(pen: &Pen<'_>) -> &'static str {
    if pen.ascii { "@" } else { "◆" }
}

/// A round figure with its unit.
fn figure(value: f64, unit: &str) -> String {
    let text = format!("{value:.2}");
    format!("{}{unit}", text.trim_end_matches('0').trim_end_matches('.'))
}
