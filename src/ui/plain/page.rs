//! Pages in words: a title, lines of which one may be selected, and what is said below them.
//!
//! A page that has no words of its own is drawn out of sight and read off line by line, so that
//! every page can be heard.

use crate::app::action::{ACTIONS, Action, Context, Group};
use crate::app::around_page::AroundPage;
use crate::app::compare::compared;
use crate::app::export_page::ExportPage;
use crate::app::facts::{Fact, age_words, basis_word, facts};
use crate::app::layout::{Area, Layout};
use crate::app::order_page::{OrderKind, OrderPage};
use crate::app::pareto_page::{self, ParetoPage};
use crate::app::pick::Picker;
use crate::app::prompt::{Prompt, PromptKind};
use crate::app::settings::Setting;
use crate::app::setup_page::{Edit, SetupPage, value};
use crate::app::sheet::{Sheet, SheetKind, WhyNotPage, WhyPage};
use crate::app::{App, COMMANDS, Overlay};
use crate::setup::Field;
use crate::ui::pen::Pen;
use crate::units::usd;
use ratatui::buffer::Buffer;
use ratatui::layout::Rect;

/// A page in words.
#[derive(Clone, Debug, Default, PartialEq)]
pub(super) struct Page {
    /// What it is.
    pub(super) title: String,
    /// Its lines.
    pub(super) lines: Vec<String>,
    /// Which of them is selected.
    pub(super) selected: Option<usize>,
    /// What is said below.
    pub(super) foot: Vec<String>,
}

impl Page {
    /// The lines, with their numbers; of long pages the beginning.
    pub(super) fn read(&self) -> Vec<String> {
        let mut lines = self.numbered(super::MOST_LINES);
        let left = self.lines.len().saturating_sub(super::MOST_LINES);
        if left > 0 {
            lines.push(format!("{left} more lines; read says them all"));
        }
        lines.extend(self.selected_line());
        lines
    }

    /// All lines.
    pub(super) fn read_all(&self) -> Vec<String> {
        self.numbered(usize::MAX)
    }

    fn numbered(&self, most: usize) -> Vec<String> {
        let line = |(at, line): (usize, &String)| match self.selected {
            Some(_) => format!("{}: {line}", at + 1),
            None => line.clone(),
        };
        self.lines.iter().enumerate().take(most).map(line).collect()
    }

    /// The selected line.
    pub(super) fn selected_line(&self) -> Vec<String> {
        let line = self.selected.and_then(|at| Some((at, self.lines.get(at)?)));
        line.map(|(at, line)| format!("selected {}: {line}", at + 1)).into_iter().collect()
    }
}

/// The page that is open.
pub(super) fn open(app: &App) -> Option<Page> {
    Some(match app.overlay.as_ref()? {
        Overlay::Prompt(page) => prompt(page),
        Overlay::Pick(page) => picker(page),
        Overlay::Setup(page) => setup(app, page),
        Overlay::Order(page) => order(page),
        Overlay::Export(page) => export(page),
        Overlay::Why(page) => why(app, page),
        Overlay::WhyNot(page) => why_not(page),
        Overlay::Settings(page) => settings(app, page.selected),
        Overlay::Pareto(page) => pareto(app, page),
        Overlay::Around(page) => around(page),
        Overlay::Sheet(sheet) => match sheet.kind {
            SheetKind::Cell => cell(app),
            SheetKind::Detail => detail(app, *sheet),
            SheetKind::Compare => compare(app, *sheet),
            SheetKind::Providers => drawn(app, "Providers"),
        },
    })
}

fn prompt(prompt: &Prompt) -> Page {
    let text = prompt.line.text();
    let now = if text.trim().is_empty() { "nothing" } else { text.trim() };
    let example = match &prompt.kind {
        PromptKind::Filter(filter) => {
            format!(", as in {}", filter.example().replace("   ", " or "))
        }
        _ => String::new(),
    };
    let lines = prompt.completion.candidates.iter().map(|c| {
        let count = c.count.map(|n| format!(", {n} offers")).unwrap_or_default();
        format!("{}{count}; {}", c.text, c.note)
    });
    // They are read where a tab asks for them.
    let lines: Vec<String> = if prompt.taken.is_some() { lines.collect() } else { Vec::new() };
    Page {
        title: format!(
            "type {}{example}. Now: {now}. Enter alone keeps it, esc leaves.",
            prompt.label()
        ),
        lines,
        selected: prompt.taken,
        foot: prompt
            .mistake
            .iter()
            .map(|m| {
                let place = m.span.as_ref().map(|s| {
                    let at = text.get(..s.start).map_or(0, |t| t.chars().count()) + 1;
                    format!(", at character {at}")
                });
                format!("problem: {}{}", m.text, place.unwrap_or_default())
            })
            .collect(),
    }
}

fn picker(picker: &Picker) -> Page {
    let items = picker.matches.iter().filter_map(|at| picker.items.get(*at));
    let line = |i: &crate::app::pick::Item| {
        let aside = if i.aside.is_empty() { String::new() } else { format!(", {}", i.aside) };
        format!("{}{aside}: {}", i.name, i.note)
    };
    Page {
        title: format!(
            "{}. Type words to narrow, a number to take, esc to leave.",
            picker.kind.title()
        ),
        lines: items.map(line).collect(),
        selected: Some(picker.selected),
        foot: Vec::new(),
    }
}

fn setup(app: &App, page: &SetupPage) -> Page {
    if let Some(Edit::Model(models)) = &page.edit {
        return picker(models);
    }
    let (setup, draft) = (app.desk.setup(), app.desk.draft());
    let line = |field: &Field| {
        let text = value(setup, draft, *field);
        let auto = if field.may_be_auto() { "auto" } else { "none" };
        let own = if draft.get(*field).is_some() { "" } else { ", default" };
        format!("{} = {}{own}", field.flag(), text.unwrap_or_else(|| auto.to_string()))
    };
    let mut foot: Vec<String> = page.mistake.iter().map(|m| format!("problem: {m}")).collect();
    let field = page.field();
    let choices = field.choices();
    let shape = if choices.is_empty() { field.shape().to_string() } else { choices.join(", ") };
    foot.push(format!("{} {shape}", field.about()));
    if page.edit.is_some() {
        foot.push(format!("type the value of {}; enter alone keeps it, esc leaves", field.flag()));
    }
    Page {
        title: "training setup; set FIELD VALUE changes one, left and right turn it".to_string(),
        lines: Field::ALL.iter().map(line).collect(),
        selected: Some(page.selected),
        foot,
    }
}

fn order(page: &OrderPage) -> Page {
    let title = match page.kind {
        OrderKind::Sort => {
            "sort keys, the first decides; space turns one on or off, left turns it round"
        }
        OrderKind::Columns => "columns; space turns one on or off, raise and lower move it",
    };
    let line = |item: &crate::app::order_page::OrderItem| {
        let on = if item.on { "on" } else { "off" };
        let way = match (page.kind, item.descending) {
            (OrderKind::Columns, _) => "",
            (OrderKind::Sort, true) => ", largest first",
            (OrderKind::Sort, false) => ", smallest first",
        };
        format!("{}, {on}{way}: {}", item.name(), item.about())
    };
    Page {
        title: title.to_string(),
        lines: page.items.iter().map(line).collect(),
        selected: Some(page.selected),
        foot: Vec::new(),
    }
}

fn export(page: &ExportPage) -> Page {
    let line = |f: &crate::app::export_page::Format| match &f.problem {
        Some(problem) => format!("{}, not possible: {problem}", f.export.name),
        None => format!("{}: {}", f.export.name, f.export.about),
    };
    Page {
        title: format!("export {}; enter writes the selected format", page.id),
        lines: page.formats.iter().map(line).collect(),
        selected: Some(page.selected),
        foot: vec![format!("goes to {}; right changes that", page.target.words())],
    }
}

fn why(app: &App, page: &WhyPage) -> Page {
    let why = &page.why;
    let mut foot = Vec::new();
    for before in &why.before {
        foot.push(format!("{} hides {}", before.reason, before.count));
    }
    for c in &why.conditions {
        let unknown =
            if c.unknown > 0 { format!(", {} do not state it", c.unknown) } else { String::new() };
        let nearest = c.nearest.first().and_then(|n| {
            Some(format!("; the nearest miss is {}, {}", n.value, app.desk.table().id(n.line.row)?))
        });
        foot.push(format!(
            "{} hides {}, {} by itself{unknown}{}",
            c.condition,
            c.together,
            c.alone,
            nearest.unwrap_or_default()
        ));
    }
    let line = |r: &crate::market::why::Relaxation| {
        let cheapest =
            r.cheapest.map_or(String::new(), |c| format!(", the cheapest at {}", usd(c)));
        format!("{} brings {}{cheapest}", r.change, r.brings)
    };
    let nothing = if why.relaxations.is_empty() { "; nothing would bring rows back" } else { "" };
    Page {
        title: format!(
            "why: {} of {} shown, {} hidden; enter applies the selected change, undo takes it back{nothing}",
            why.shown,
            why.total,
            why.total - why.shown
        ),
        lines: why.relaxations.iter().map(line).collect(),
        selected: (!why.relaxations.is_empty()).then_some(page.at),
        foot,
    }
}

fn why_not(page: &WhyNotPage) -> Page {
    let line = |c: &crate::market::why::Check| {
        let answer = super::super::page::check_word(c);
        let value = c.value.as_ref().map(|v| format!(", here {v}")).unwrap_or_default();
        let needed = c.needed.as_ref().map(|n| format!("; would pass {n}")).unwrap_or_default();
        format!("{answer}: {}{value}{needed}", c.condition)
    };
    let foot = match &page.list.query {
        Some(query) => format!("enter shows it, by the query {query}; undo takes that back"),
        None if page.list.shown() => "it is shown; enter goes to it".to_string(),
        None => "enter asks for both prices".to_string(),
    };
    Page {
        title: format!("why is it hidden: {}", page.words),
        lines: page.list.checks.iter().map(line).collect(),
        selected: None,
        foot: vec![foot],
    }
}

fn pareto(app: &App, page: &ParetoPage) -> Page {
    let asked = page.asked.as_ref().map(|(limit, _)| {
        format!("type the {}; enter alone takes it away, esc leaves", limit.name())
    });
    let mistake = page.mistake.as_ref().map(|m| format!("problem: {m}"));
    Page {
        title: format!(
            "cost against hours: {} of {} offers on the front, where less of one costs more of the other",
            page.front.len(),
            page.shown
        ),
        lines: pareto_page::lines(app, page),
        selected: (!page.front.is_empty()).then_some(page.at),
        foot: asked.into_iter().chain(mistake).collect(),
    }
}

fn around(page: &AroundPage) -> Page {
    let heads = page.heads();
    let line = |cells: Vec<String>| {
        let named = heads.iter().zip(cells).filter(|(_, cell)| !cell.is_empty());
        let named = named.map(|(head, cell)| format!("{} {cell}", head.trim_start_matches('>')));
        named.collect::<Vec<_>>().join(", ")
    };
    Page {
        title: format!("{}: {}", page.title(), page.words()),
        lines: page.rows().into_iter().map(line).collect(),
        selected: (!page.is_empty()).then_some(page.at),
        foot: Vec::new(),
    }
}

fn settings(app: &App, selected: usize) -> Page {
    let line = |s: &Setting| {
        let other = app.setting_on_screen(*s);
        let other =
            other.map(|o| format!("; on the screen {o}, enter keeps that")).unwrap_or_default();
        format!(
            "{} = {}, {}{other}. {}",
            s.name(),
            app.setting_value(*s),
            app.settings.origin(*s),
            s.about()
        )
    };
    let mut foot = vec![format!("settings file: {}", app.settings.file)];
    foot.extend(app.settings.problems.iter().map(|p| format!("problem: {p}")));
    Page {
        title: "settings; left and right turn one, delete goes back to the file".to_string(),
        lines: Setting::ALL.iter().map(line).collect(),
        selected: Some(selected),
        foot,
    }
}

/// A figure, and who says so, when.
pub(super) fn fact(fact: &Fact) -> String {
    let age = age_words(fact.age_seconds);
    let said = [basis_word(fact.basis), fact.source.as_str(), age.as_str()];
    let said: Vec<&str> = said.into_iter().filter(|s| !s.is_empty()).collect();
    format!("{}: {}; {}", fact.name, fact.value, said.join(", "))
}

fn detail(app: &App, sheet: Sheet) -> Page {
    let all = app.detail.as_ref().map(|d| facts(d, app.now)).unwrap_or_default();
    Page {
        title: "every figure: who says so, when".to_string(),
        lines: all.iter().map(|f| format!("{}, {}", f.section, fact(f))).collect(),
        selected: Some(sheet.at),
        foot: Vec::new(),
    }
}

fn cell(app: &App) -> Page {
    Page {
        title: format!("column {}", app.column.name()),
        lines: crate::app::explain::explain(app),
        selected: None,
        foot: Vec::new(),
    }
}

/// The name of a column that is compared: A, B, C.
fn letter(at: usize) -> char {
    (b'A' + (at % 26) as u8).into()
}

fn compare(app: &App, sheet: Sheet) -> Page {
    let heads = crate::app::compare::heads(app);
    let line = |c: &crate::app::compare::Compared| {
        let values = c.values.iter().enumerate().map(|(at, v)| {
            let best = if c.best.get(at) == Some(&true) { " best" } else { "" };
            format!("{} {v}{best}", letter(at))
        });
        format!("{}: {}", c.name, values.collect::<Vec<_>>().join(", "))
    };
    let names = heads.iter().enumerate().map(|(at, h)| format!("{} is {h}", letter(at)));
    Page {
        title: format!("compare: {}", names.collect::<Vec<_>>().join(", ")),
        lines: compared(app).iter().map(line).collect(),
        selected: Some(sheet.at),
        foot: Vec::new(),
    }
}

/// A page read off where it is drawn: for pages without words of their own.
fn drawn(app: &App, title: &str) -> Page {
    const WIDTH: u16 = 110;
    const HEIGHT: u16 = 200;
    let body = Area { x: 0, y: 0, width: WIDTH, height: HEIGHT };
    let footer = Area { y: HEIGHT, height: 1, ..body };
    let mut buffer = Buffer::empty(Rect::new(0, 0, WIDTH, HEIGHT + 1));
    let layout = Layout { footer, body, ..Layout::default() };
    crate::ui::page::draw(&mut Pen::new(&mut buffer, app), app, &layout);
    let line = |y: u16| {
        let text: String = (0..WIDTH).map(|x| buffer[(x, y)].symbol()).collect();
        // A frame is a run of one of these; a single one is a sign that means something.
        let text = text.replace("──", "  ").replace("--", "  ").replace(['─', '│'], " ");
        let parts = text.split("  ").map(|p| p.trim_matches([' ', '-']));
        parts.filter(|p| !p.is_empty()).collect::<Vec<_>>().join(", ")
    };
    let lines = (0..HEIGHT).map(line).filter(|l| !l.is_empty()).collect();
    Page { title: title.to_string(), lines, selected: None, foot: Vec::new() }
}

/// What can be said in plain mode.
pub(super) fn help(app: &App) -> Vec<String> {
    let mut lines: Vec<String> = [
        "A line is a command by its name, or the key that asks for it on the screen.",
        "rows reads the table or the page that is open; an empty line does too. page-down reads on.",
        "A number goes to that row, or that line of a page. offer reads every figure of the offer.",
        "Words behind a command answer what it asks: filter-vram 24, search h100, query rel>95%.",
        "wait holds the next line back until all providers have answered. quit leaves.",
    ]
    .map(str::to_string)
    .to_vec();
    for (name, value, about) in COMMANDS {
        lines.push(format!("{name} {value}: {about}"));
    }
    let here = |e: &&crate::app::action::Entry| {
        !e.contexts.contains(&Context::Text) || e.action == Action::ForceQuit
    };
    for group in Group::ALL {
        let entries: Vec<_> = ACTIONS.iter().filter(|e| e.group == group).filter(here).collect();
        if !entries.is_empty() {
            lines.push(format!("{}:", group.title()));
        }
        for entry in entries {
            let keys = app.keymap.keys_of(entry.action);
            let keys = if keys.is_empty() {
                String::new()
            } else {
                format!(", key {}", keys.join(" or "))
            };
            lines.push(format!("{}{keys}: {}", entry.name, entry.about));
        }
    }
    lines
}
