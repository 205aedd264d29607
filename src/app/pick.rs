//! A list that narrows while somebody types: actions, models, views.

use super::action::{ACTIONS, Action, Group};
use super::keymap::Keymap;
use super::line::Line;
use super::update::COMMANDS;
use crate::config::SavedView;
use crate::market::{Column, Field, ViewRow};
use crate::model;
use crate::units::Tokens;
use fuzzy_matcher::FuzzyMatcher;
use fuzzy_matcher::skim::SkimMatcherV2;

/// What taking a line of the list does.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Pick {
    /// Performs an action.
    Action(Action),
    /// Asks a saved query.
    View(SavedView),
    /// Chooses a model, by its name.
    Model(String),
    /// Goes to a column.
    Column(Field),
    /// Asks why this line is hidden.
    Hidden(ViewRow),
    /// Begins a command that wants a value.
    Command(&'static str),
}

/// A line of the list.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Item {
    /// What it is called.
    pub name: String,
    /// Keys, sizes: what stands before the note.
    pub aside: String,
    /// What it is.
    pub note: String,
    /// What it does.
    pub pick: Pick,
}

/// What the list is for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PickKind {
    /// All actions with their keys.
    Help,
    /// The command line.
    Command,
    /// Saved views.
    Views,
    /// Models.
    Model,
    /// Hidden offers.
    Hidden,
    /// Columns.
    Column,
}

impl PickKind {
    /// The heading.
    pub const fn title(self) -> &'static str {
        match self {
            PickKind::Help => "Help: type to search, enter does it",
            PickKind::Command => "Command: an action by its name, or one of these with a value",
            PickKind::Views => "Saved views",
            PickKind::Model => "Model",
            PickKind::Column => "Go to a column: type its letters or its number",
            PickKind::Hidden => "Hidden offers: type to search, enter says why it is hidden",
        }
    }
}

/// The list.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Picker {
    /// What it is for.
    pub kind: PickKind,
    /// What is typed.
    pub line: Line,
    /// Everything.
    pub items: Vec<Item>,
    /// What matches, best first.
    pub matches: Vec<usize>,
    /// Which of the matches is selected.
    pub selected: usize,
}

impl Picker {
    /// A list of `items`.
    pub fn new(kind: PickKind, items: Vec<Item>) -> Self {
        let matches = (0..items.len()).collect();
        Self { kind, line: Line::default(), items, matches, selected: 0 }
    }

    /// All actions: in groups for the help, those that can be named for the command line.
    pub fn actions(kind: PickKind, keymap: &Keymap) -> Self {
        let mut items = Vec::new();
        if kind == PickKind::Command {
            items.extend(COMMANDS.iter().map(|(name, value, about)| Item {
                name: format!("{name} {value}"),
                aside: String::new(),
                note: (*about).to_string(),
                pick: Pick::Command(name),
            }));
        }
        for group in Group::ALL {
            for entry in ACTIONS.iter().filter(|e| e.group == group) {
                if kind == PickKind::Command && !entry.action.is_command() {
                    continue;
                }
                let mut keys = keymap.keys_of(entry.action);
                if entry.action == Action::SortByNumber {
                    keys.push("1…9".to_string());
                }
                items.push(Item {
                    name: entry.name.to_string(),
                    aside: keys.join(" "),
                    note: entry.about.to_string(),
                    pick: Pick::Action(entry.action),
                });
            }
        }
        Self::new(kind, items)
    }

    /// The chosen columns, with their numbers.
    pub fn columns(columns: &[&'static Column]) -> Self {
        let items = columns.iter().enumerate().map(|(at, c)| Item {
            name: c.name().to_string(),
            aside: (at + 1).to_string(),
            note: format!("{}: {}", c.title, c.help()),
            pick: Pick::Column(c.field),
        });
        Self::new(PickKind::Column, items.collect())
    }

    /// All built-in models.
    pub fn models() -> Self {
        let items = model::catalogue().iter().map(|m| {
            let context = m.max_context.map_or(String::new(), |c| {
                format!(", up to {} tokens", crate::units::tokens(Tokens::new(f64::from(c))))
            });
            let gated = if m.gated { ", gated" } else { "" };
            Item {
                name: m.name.clone(),
                aside: crate::units::tokens(Tokens::new(m.params as f64)),
                note: format!("{}{context}{gated}", m.id),
                pick: Pick::Model(m.name.clone()),
            }
        });
        Self::new(PickKind::Model, items.collect())
    }

    /// Saved views, with their names.
    pub fn views(views: &[(String, SavedView)]) -> Self {
        let items = views.iter().map(|(name, view)| Item {
            name: name.clone(),
            aside: String::new(),
            note: view.to_string(),
            pick: Pick::View(view.clone()),
        });
        Self::new(PickKind::Views, items.collect())
    }

    /// The selected line.
    pub fn picked(&self) -> Option<&Item> {
        self.matches.get(self.selected).and_then(|at| self.items.get(*at))
    }

    /// Matches again after the text has changed.
    pub fn narrow(&mut self) {
        let matcher = SkimMatcherV2::default().ignore_case();
        let text = self.line.text().to_string();
        let words: Vec<&str> = text.split_whitespace().collect();
        let mut scored: Vec<(i64, usize)> = Vec::new();
        for (at, item) in self.items.iter().enumerate() {
            let score = |word: &&str| {
                let name = matcher.fuzzy_match(&item.name, word).map(|s| s * 4);
                let key = item.aside.split(' ').any(|k| k == *word).then_some(1000);
                let note = item.note.to_lowercase().contains(&word.to_lowercase()).then_some(40);
                [name, key, note].into_iter().flatten().max()
            };
            if let Some(score) = words.iter().map(score).sum::<Option<i64>>() {
                scored.push((score, at));
            }
        }
        if !words.is_empty() {
            scored.sort_by_key(|(score, at)| (-score, *at));
        }
        self.matches = scored.into_iter().map(|(_, at)| at).collect();
        self.selected = 0;
    }

    /// Moves the selection by `by` lines.
    pub fn step(&mut self, by: isize) {
        let last = self.matches.len().saturating_sub(1);
        self.selected = self.selected.saturating_add_signed(by).min(last);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn typed(picker: &mut Picker, text: &str) -> Vec<String> {
        picker.line.set(text);
        picker.narrow();
        picker.matches.iter().map(|at| picker.items[*at].name.clone()).collect()
    }

    #[test]
    fn help_is_found_by_name_by_key_and_by_what_it_does() {
        let mut help = Picker::actions(PickKind::Help, &Keymap::default());
        assert_eq!(help.matches.len(), ACTIONS.len());
        assert_eq!(typed(&mut help, "freeze")[0], "freeze");
        assert!(typed(&mut help, "hidden").contains(&"why".to_string()));
        assert_eq!(typed(&mut help, "ctrl-z")[0], "suspend");
        assert!(typed(&mut help, "zzzzqqq").is_empty());
        assert_eq!(help.picked(), None);
        assert_eq!(typed(&mut help, "").len(), ACTIONS.len());
    }

    #[test]
    fn the_selection_stays_inside() {
        let view = |query: &str| SavedView::Query(query.into());
        let mut picker = Picker::views(&[("a".into(), view("x")), ("b".into(), view("y"))]);
        picker.step(9);
        assert_eq!(picker.selected, 1);
        picker.step(-9);
        assert_eq!(picker.selected, 0);
    }
}
