//! Settings: what each is, and whose choice it is.

use super::list;
use crate::app::App;
use crate::app::layout::Area;
use crate::app::settings::{Setting, SettingsPage};
use crate::market::Align;
use crate::ui::pen::{Pen, Strip};
use crate::ui::text;
use crate::ui::theme::Role;

/// Lines below the list.
const BELOW: u16 = 8;

/// Draws the settings; the selected one is explained below.
pub(super) fn draw(pen: &mut Pen<'_>, app: &App, page: SettingsPage, area: Area) {
    let below = BELOW.min(area.height / 2);
    let top = Area { height: area.height - below, ..area };
    let lines: Vec<Strip> = Setting::ALL.iter().map(|s| line(pen, app, *s)).collect();
    list(pen, top, &lines, page.selected);
    let foot = Area { y: area.y + top.height, height: below, ..area };
    let setting = page.setting();
    let mut words = vec![(setting.about().to_string(), Role::Plain)];
    if let Some(shown) = app.setting_on_screen(setting) {
        words.push((format!("On the screen now: {shown}"), Role::Accent));
    }
    words.push((format!("Settings file: {}", app.settings.file), Role::Faint));
    words.extend(app.settings.problems.iter().map(|p| (format!("! {p}"), Role::Bad)));
    pen.rule(foot, 0, "");
    let width = usize::from(area.width);
    let wrapped = words
        .iter()
        .flat_map(|(text, role)| text::wrap(text, width).into_iter().map(|line| (line, *role)));
    for (row, (text, role)) in wrapped.enumerate() {
        let strip = pen.strip(text, role);
        pen.put(foot, row as u16 + 1, &strip);
    }
}

fn line(pen: &Pen<'_>, app: &App, setting: Setting) -> Strip {
    let origin = app.settings.origin(setting);
    let own = origin != "default";
    vec![
        pen.piece(if own { "* " } else { "  " }, Role::Strong),
        pen.cell(setting.name(), 16, Align::Left, Role::Plain),
        pen.piece(app.setting_value(setting), Role::Accent),
        pen.piece(format!("  ({origin})"), Role::Faint),
    ]
}
