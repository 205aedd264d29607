//! Settings that can be changed while the program runs: what each is now, and whose choice it is.
//! What is changed on the page is kept for the next start, beside the settings file, which is never
//! written to.

use super::{App, Look, ThemeName};

/// A setting of the page.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Setting {
    /// Theme.
    Theme,
    /// ASCII only.
    Ascii,
    /// Mouse.
    Mouse,
    /// Nothing moves by itself.
    ReducedMotion,
    /// The query of the start.
    Query,
    /// The order of the start.
    Sort,
    /// The columns of the start.
    Columns,
}

impl Setting {
    /// All of them, in the order of the page.
    pub const ALL: [Setting; 7] = [
        Setting::Theme,
        Setting::Ascii,
        Setting::Mouse,
        Setting::ReducedMotion,
        Setting::Query,
        Setting::Sort,
        Setting::Columns,
    ];

    /// Its name below `[view]` in the settings file.
    pub const fn name(self) -> &'static str {
        match self {
            Setting::Theme => "theme",
            Setting::Ascii => "ascii",
            Setting::Mouse => "mouse",
            Setting::ReducedMotion => "reduced_motion",
            Setting::Query => "query",
            Setting::Sort => "sort",
            Setting::Columns => "columns",
        }
    }

    /// What it does.
    pub const fn about(self) -> &'static str {
        match self {
            Setting::Theme => {
                "Colours: terminal (its own), dark, light, colour-blind, mono. NO_COLOR means mono."
            }
            Setting::Ascii => "Draw with ASCII only.",
            Setting::Mouse => "Click and wheel; off, the terminal selects text.",
            Setting::ReducedMotion => "While rows stream in, draw once a second at most.",
            Setting::Query => "The query of the start. Enter keeps the one that is on the screen.",
            Setting::Sort => "The order of the start. Enter keeps the one that is on the screen.",
            Setting::Columns => "The columns of the start. Enter keeps those on the screen.",
        }
    }

    /// Is it turned by left and right, or taken over from the screen?
    pub const fn is_turned(self) -> bool {
        !matches!(self, Setting::Query | Setting::Sort | Setting::Columns)
    }
}

/// Whose choice each setting is, where it is not the default: the name of a file, or an option.
pub type Origins = Vec<(Setting, String)>;

/// The page.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct SettingsPage {
    /// Which setting is selected, as an index of [`Setting::ALL`].
    pub selected: usize,
}

impl SettingsPage {
    /// The selected setting.
    pub fn setting(self) -> Setting {
        Setting::ALL.get(self.selected).copied().unwrap_or(Setting::Theme)
    }
}

/// What the page knows of the world.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Settings {
    /// Whose choice each is.
    pub origins: Origins,
    /// The settings file, which is read again when it changes.
    pub file: String,
    /// What is wrong with it.
    pub problems: Vec<String>,
}

impl Settings {
    /// Whose choice a setting is.
    pub fn origin(&self, setting: Setting) -> &str {
        let found = self.origins.iter().find(|(s, _)| *s == setting);
        found.map_or("default", |(_, origin)| origin)
    }
}

const fn yes_no(on: bool) -> &'static str {
    if on { "yes" } else { "no" }
}

impl App {
    /// The value of a setting, as it stands in the file.
    pub fn setting_value(&self, setting: Setting) -> String {
        match setting {
            Setting::Theme => self.look.theme.name().to_string(),
            Setting::Ascii => yes_no(self.look.ascii).to_string(),
            Setting::Mouse => yes_no(self.look.mouse).to_string(),
            Setting::ReducedMotion => yes_no(self.look.calm).to_string(),
            Setting::Query => self.start.query.clone(),
            Setting::Sort => keys_text(&self.start.sort),
            Setting::Columns => names_text(&self.start.columns),
        }
    }

    /// What the screen shows, where that is another than what the start will.
    pub fn setting_on_screen(&self, setting: Setting) -> Option<String> {
        let shown = self.on_screen(setting)?;
        (shown != self.setting_value(setting)).then_some(shown)
    }

    /// What stands on the screen, for settings that are taken over from there.
    pub(super) fn on_screen(&self, setting: Setting) -> Option<String> {
        let columns: Vec<_> = self.columns.iter().map(|c| c.field).collect();
        match setting {
            Setting::Query => Some(self.desk.query_text().to_string()),
            Setting::Sort => Some(keys_text(self.desk.sort())),
            Setting::Columns => Some(names_text(&columns)),
            _ => None,
        }
    }
}

/// Sort keys as they stand in the file.
pub(super) fn keys_text(keys: &[crate::market::SortKey]) -> String {
    let keys = if keys.is_empty() { &crate::market::SortKey::DEFAULT[..] } else { keys };
    keys.iter().map(ToString::to_string).collect::<Vec<_>>().join(",")
}

/// Columns as they stand in the file.
pub(super) fn names_text(fields: &[crate::market::Field]) -> String {
    fields.iter().map(|f| f.name()).collect::<Vec<_>>().join(",")
}

/// The look with a setting turned to its next value, or the one before.
pub(super) fn turned(look: Look, setting: Setting, up: bool) -> Look {
    let themes = ThemeName::ALL;
    let at = themes.iter().position(|t| *t == look.theme).unwrap_or(0);
    let step = if up { 1 } else { themes.len() - 1 };
    match setting {
        Setting::Theme => Look { theme: themes[(at + step) % themes.len()], ..look },
        Setting::Ascii => Look { ascii: !look.ascii, ..look },
        Setting::Mouse => Look { mouse: !look.mouse, ..look },
        Setting::ReducedMotion => Look { calm: !look.calm, ..look },
        Setting::Query | Setting::Sort | Setting::Columns => look,
    }
}
