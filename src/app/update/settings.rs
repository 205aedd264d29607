//! The settings page, and settings that are read again while the program runs.

use super::super::action::Action;
use super::super::message::Effect;
use super::super::settings::{Setting, Settings, SettingsPage, turned};
use super::super::{App, Options, Overlay, Start, Tone};
use super::list_step;

/// What stands beside a setting that was changed on the page.
const KEPT: &str = "kept by this page";

impl App {
    pub(super) fn open_settings(&mut self) {
        self.overlay = Some(Overlay::Settings(SettingsPage::default()));
    }

    pub(super) fn act_on_settings(&mut self, action: Action) -> Vec<Effect> {
        let Some(Overlay::Settings(page)) = &mut self.overlay else { return Vec::new() };
        let setting = page.setting();
        if let Some(by) = list_step(action, Setting::ALL.len()) {
            let last = Setting::ALL.len() - 1;
            page.selected = page.selected.saturating_add_signed(by).min(last);
            return Vec::new();
        }
        match action {
            Action::Close => {
                self.overlay = None;
                Vec::new()
            }
            Action::Left => self.turn_setting(setting, false),
            Action::Right | Action::Toggle | Action::Accept => self.turn_setting(setting, true),
            Action::ClearLine => {
                vec![Effect::Keep { setting, value: None }]
            }
            _ => Vec::new(),
        }
    }

    fn turn_setting(&mut self, setting: Setting, up: bool) -> Vec<Effect> {
        let mut effects = Vec::new();
        if setting.is_turned() {
            self.look = turned(self.look, setting, up);
            if setting == Setting::Mouse {
                effects.push(Effect::Mouse(self.look.mouse));
            }
        } else {
            self.start = Start {
                query: self.desk.query_text().to_string(),
                sort: self.desk.sort().to_vec(),
                columns: self.columns.iter().map(|c| c.field).collect(),
            }
            .only(setting, &self.start);
        }
        self.settings.origins.retain(|(s, _)| *s != setting);
        self.settings.origins.push((setting, KEPT.to_string()));
        let value = Some(self.setting_value(setting));
        effects.push(Effect::Keep { setting, value });
        effects
    }

    /// Takes over settings that were read again. What the user has changed on the screen since the
    /// start stays as it is.
    pub(super) fn take_settings(&mut self, options: Options) {
        let Options { look, keymap, mut start, views, settings } = options;
        let columns = start.columns_shown();
        start.columns = columns.iter().map(|c| c.field).collect();
        if self.desk.query_text() == self.start.query && start.query != self.start.query {
            self.ask(&start.query);
        }
        if self.desk.sort() == self.start.sort {
            self.desk.set_sort(start.sort.clone());
        }
        let shown: Vec<_> = self.columns.iter().map(|c| c.field).collect();
        if shown == self.start.columns {
            self.columns = columns;
        }
        self.grid.forget_widths();
        if look.mouse != self.look.mouse {
            self.outbox.push(Effect::Mouse(look.mouse));
        }
        self.look = look;
        self.keymap = keymap;
        self.pending.clear();
        self.start = start;
        for (name, view) in views {
            self.views.retain(|(n, _)| *n != name);
            self.views.push((name, view));
        }
        let file = settings.file.clone();
        self.take_problems(settings);
        if self.settings.problems.is_empty() {
            self.say(Tone::Good, format!("settings are those of {file}"));
        }
    }

    /// Remembers what is wrong with the settings, and says the first of it.
    pub(in crate::app) fn take_problems(&mut self, settings: Settings) {
        self.settings = settings;
        if let Some(problem) = self.settings.problems.first() {
            let more = self.settings.problems.len() - 1;
            let more = if more > 0 { format!(" (and {more} more)") } else { String::new() };
            self.say(Tone::Bad, format!("{problem}{more}"));
        }
    }
}
