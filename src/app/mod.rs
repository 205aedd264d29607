//! The state of the screen, and how it changes: pure, synchronous, without a clock.
//!
//! ```text
//! Msg ──► App::update(msg, now) ──► Vec<Effect>      (the runtime carries them out)
//!              │
//!              └──► everything that `ui` draws is computed before update returns
//! ```

pub mod action;
pub mod around_page;
pub mod compare;
pub mod cursor;
pub mod desk;
pub mod explain;
pub mod export_page;
pub mod facts;
pub mod filter;
pub mod grid;
pub mod history;
pub mod key;
pub mod keymap;
pub mod layout;
pub mod line;
mod message;
pub mod order_page;
pub mod origin;
pub mod pareto_page;
pub mod pick;
pub mod prompt;
pub mod settings;
mod settle;
pub mod setup_page;
pub mod sheet;
mod update;

pub use action::{Action, Context};
pub use key::{Code, Key};
pub use message::{Effect, Input, Mouse, MouseKind, Msg, Outcome};
pub use update::{COMMANDS, Tell};

use crate::config::SavedView;
use crate::market::{COLUMNS, Column, Field, SortKey, ViewRow};
use crate::setup::Draft;
use crate::units::UnixSeconds;
use around_page::AroundPage;
use cursor::Cursor;
use desk::{Desk, Detail};
use export_page::ExportPage;
use grid::Grid;
use history::History;
use keymap::Keymap;
use layout::{Layout, PanelWish, Size};
use order_page::OrderPage;
use pareto_page::{Limits, ParetoPage};
use pick::Picker;
use prompt::Prompt;
use settings::{Setting, Settings, SettingsPage};
use setup_page::SetupPage;
use sheet::{Sheet, WhyNotPage, WhyPage};

/// A theme, by name.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum ThemeName {
    /// The terminal's own colours.
    #[default]
    Terminal,
    /// Bright colours, for dark backgrounds.
    Dark,
    /// Deep colours, for light backgrounds.
    Light,
    /// Colours that any eye tells apart.
    ColourBlind,
    /// No colours: what `NO_COLOR` asks for.
    Mono,
}

impl ThemeName {
    /// All of them.
    pub const ALL: [ThemeName; 5] = [
        ThemeName::Terminal,
        ThemeName::Dark,
        ThemeName::Light,
        ThemeName::ColourBlind,
        ThemeName::Mono,
    ];

    /// As it is written in the configuration.
    pub const fn name(self) -> &'static str {
        match self {
            ThemeName::Terminal => "terminal",
            ThemeName::Dark => "dark",
            ThemeName::Light => "light",
            ThemeName::ColourBlind => "colour-blind",
            ThemeName::Mono => "mono",
        }
    }

    /// The theme of that name.
    pub fn from_name(name: &str) -> Option<ThemeName> {
        let name = if name == "color-blind" { "colour-blind" } else { name };
        ThemeName::ALL.into_iter().find(|t| t.name() == name)
    }
}

/// How the program looks and listens.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Look {
    /// The theme.
    pub theme: ThemeName,
    /// Draw with ASCII only.
    pub ascii: bool,
    /// Listen to the mouse.
    pub mouse: bool,
    /// Nothing moves by itself more than once a second.
    pub calm: bool,
}

impl Default for Look {
    fn default() -> Self {
        Self { theme: ThemeName::Terminal, ascii: false, mouse: true, calm: false }
    }
}

/// What the program starts with.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Options {
    /// How it looks.
    pub look: Look,
    /// Its keys.
    pub keymap: Keymap,
    /// What the start shows.
    pub start: Start,
    /// Saved views, with their names.
    pub views: Vec<(String, SavedView)>,
    /// Where all this comes from, and what is wrong with it.
    pub settings: Settings,
}

/// What the start shows.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Start {
    /// The query.
    pub query: String,
    /// The sort keys; none is the usual order.
    pub sort: Vec<SortKey>,
    /// The columns; none is the usual ones.
    pub columns: Vec<Field>,
}

impl Start {
    /// The columns themselves.
    fn columns_shown(&self) -> Vec<&'static Column> {
        let chosen: Vec<&'static Column> =
            self.columns.iter().filter_map(|f| Column::of(*f)).collect();
        if chosen.is_empty() { COLUMNS.iter().filter(|c| c.default).collect() } else { chosen }
    }

    /// `before`, of which only `setting` is as it is here.
    fn only(self, setting: Setting, before: &Start) -> Start {
        match setting {
            Setting::Query => Start { query: self.query, ..before.clone() },
            Setting::Sort => Start { sort: self.sort, ..before.clone() },
            Setting::Columns => Start { columns: self.columns, ..before.clone() },
            _ => before.clone(),
        }
    }
}

/// What stands over the table, if anything does.
#[derive(Clone, Debug)]
pub enum Overlay {
    /// A line in which a query is typed.
    Prompt(Box<Prompt>),
    /// A list that narrows while one types.
    Pick(Picker),
    /// The setup.
    Setup(SetupPage),
    /// Sort keys or columns.
    Order(OrderPage),
    /// Exports.
    Export(ExportPage),
    /// A page to be read.
    Sheet(Sheet),
    /// Why lines are hidden, and what would bring them back.
    Why(WhyPage),
    /// Cost against hours.
    Pareto(ParetoPage),
    /// The same hardware elsewhere, or in other numbers.
    Around(AroundPage),
    /// Why one offer is hidden.
    WhyNot(WhyNotPage),
    /// How the program looks and listens.
    Settings(SettingsPage),
}

/// How bad a message is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Tone {
    /// It went well.
    Good,
    /// It did not.
    Bad,
}

/// A message that goes away by itself.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Toast {
    /// What is said.
    pub text: String,
    /// How bad it is.
    pub tone: Tone,
    /// When it goes.
    pub until: UnixSeconds,
}

/// The whole state.
#[derive(Debug)]
pub struct App {
    /// The market and what is asked of it.
    pub desk: Desk,
    /// How it looks.
    pub look: Look,
    /// Keys.
    pub keymap: Keymap,
    /// Size of the screen.
    pub size: Size,
    /// Where things stand; `None` when the screen is too small.
    pub layout: Option<Layout>,
    /// What is wanted of the side panel.
    pub panel: PanelWish,
    /// First line of the side panel that is seen.
    pub panel_scroll: usize,
    /// The selected line.
    pub cursor: Cursor,
    /// The chosen columns, in order.
    pub columns: Vec<&'static Column>,
    /// Columns that never go for want of room.
    pub held: Vec<Field>,
    /// The selected column.
    pub column: Field,
    /// What is in view.
    pub grid: Grid,
    /// Everything about the selected line.
    pub detail: Option<Detail>,
    /// Marked lines, in the order of marking.
    pub marks: Vec<ViewRow>,
    /// Deadline and budget, drawn in the chart of cost against hours.
    limits: Limits,
    /// Setups under which one offer is compared.
    pub noted: Vec<Draft>,
    /// What stands over the table.
    pub overlay: Option<Overlay>,
    /// Keys of a sequence that is not complete.
    pub pending: Vec<Key>,
    /// The last message.
    pub toast: Option<Toast>,
    /// Saved views.
    pub views: Vec<(String, SavedView)>,
    /// The present, as of the last message.
    pub now: UnixSeconds,
    history: History,
    queries: Vec<String>,
    /// What the start showed, or will.
    start: Start,
    /// Where the settings come from.
    pub settings: Settings,
    /// Effects that were decided below `act`.
    outbox: Vec<Effect>,
    dirty: bool,
}

impl App {
    /// The state at the start. The desk holds whatever query and order the start is to show.
    pub fn new(desk: Desk, options: Options, size: Size, now: UnixSeconds) -> Self {
        let columns = options.start.columns_shown();
        let start = Start {
            query: desk.query_text().to_string(),
            sort: desk.sort().to_vec(),
            columns: columns.iter().map(|c| c.field).collect(),
        };
        let mut app = Self {
            desk,
            look: options.look,
            keymap: options.keymap,
            size,
            layout: None,
            panel: PanelWish::Auto,
            panel_scroll: 0,
            cursor: Cursor::default(),
            columns,
            held: Vec::new(),
            column: Field::Total,
            grid: Grid::default(),
            detail: None,
            marks: Vec::new(),
            limits: Limits::default(),
            noted: Vec::new(),
            overlay: None,
            pending: Vec::new(),
            toast: None,
            views: options.views,
            now,
            history: History::default(),
            queries: Vec::new(),
            start,
            settings: Settings::default(),
            outbox: Vec::new(),
            dirty: true,
        };
        app.take_problems(options.settings);
        app.settle();
        app
    }

    /// Without the side panel.
    pub fn hide_panel(&mut self) {
        self.panel = PanelWish::Hidden;
        self.settle();
    }

    /// Was anything changed since this was asked last? If not, nothing needs to be drawn.
    pub fn take_dirty(&mut self) -> bool {
        std::mem::take(&mut self.dirty)
    }

    /// When [`Msg::Tick`] is wanted next, if at all.
    pub fn next_tick(&self) -> Option<UnixSeconds> {
        self.toast.as_ref().map(|t| t.until)
    }

    /// Where keys go.
    pub fn context(&self) -> Context {
        match &self.overlay {
            None => Context::Table,
            Some(Overlay::Prompt(_) | Overlay::Pick(_)) => Context::Text,
            Some(Overlay::Setup(page)) if page.edit.is_some() => Context::Text,
            Some(Overlay::Pareto(page)) if page.asked.is_some() => Context::Text,
            Some(_) => Context::List,
        }
    }

    /// Says that `rows` offers will be here soon, of which the first are shown.
    pub fn say_loading(&mut self, rows: usize) {
        let here = self.desk.table().len();
        self.say(Tone::Good, format!("reading the saved market: {here} of {rows} offers are here"));
    }

    fn say(&mut self, tone: Tone, text: impl Into<String>) {
        const STAYS_SECONDS: i64 = 6;
        let until = UnixSeconds(self.now.0 + STAYS_SECONDS);
        self.toast = Some(Toast { text: text.into(), tone, until });
    }
}

#[cfg(test)]
mod question_tests;
#[cfg(test)]
mod tests;
