//! What things look like: roles, and the style that each has in a theme.
//!
//! The default theme leaves foreground and background to the terminal and uses its own sixteen
//! colours, so that light and dark are both right. No meaning rests on colour: whatever a colour
//! says, a word or a mark says as well.

use crate::app::ThemeName;
use ratatui::style::{Color, Modifier, Style};

/// What a piece of text is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) enum Role {
    /// Ordinary text.
    Plain,
    /// Less important text.
    Faint,
    /// Headings and names.
    Strong,
    /// The head of the table.
    Head,
    /// The line under the cursor.
    Cursor,
    /// The cell under the cursor.
    Cell,
    /// Good news: fits, live.
    Good,
    /// Doubt: tight, stale, assumed.
    Warn,
    /// Bad news: does not fit, an error.
    Bad,
    /// A key that can be pressed.
    Key,
    /// The figure that matters most.
    Accent,
    /// Lines and borders.
    Frame,
}

/// A theme.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Theme {
    name: ThemeName,
}

impl Theme {
    /// The theme of that name.
    pub(super) const fn new(name: ThemeName) -> Self {
        Self { name }
    }

    /// The style of a role.
    pub(super) fn style(self, role: Role) -> Style {
        let style = modifiers(role);
        match self.name {
            ThemeName::Mono => style,
            ThemeName::Terminal => coloured(style, role, &TERMINAL),
            ThemeName::Dark => coloured(style, role, &DARK),
            ThemeName::Light => coloured(style, role, &LIGHT),
            ThemeName::ColourBlind => coloured(style, role, &COLOUR_BLIND),
        }
    }

    /// The style of the n-th part of a stacked bar.
    pub(super) fn part(self, n: usize) -> Style {
        let parts = match self.name {
            ThemeName::Mono => return Style::new(),
            ThemeName::Terminal => TERMINAL.parts,
            ThemeName::Dark => DARK.parts,
            ThemeName::Light => LIGHT.parts,
            ThemeName::ColourBlind => COLOUR_BLIND.parts,
        };
        Style::new().fg(parts[n % parts.len()])
    }
}

struct Palette {
    good: Color,
    warn: Color,
    bad: Color,
    key: Color,
    accent: Color,
    frame: Color,
    parts: [Color; 6],
}

const TERMINAL: Palette = Palette {
    good: Color::Green,
    warn: Color::Yellow,
    bad: Color::Red,
    key: Color::Cyan,
    accent: Color::Reset,
    frame: Color::Reset,
    parts: [Color::Blue, Color::Cyan, Color::Magenta, Color::Yellow, Color::Green, Color::Red],
};

const DARK: Palette = Palette {
    good: Color::LightGreen,
    warn: Color::LightYellow,
    bad: Color::LightRed,
    key: Color::LightCyan,
    accent: Color::White,
    frame: Color::DarkGray,
    parts: [
        Color::LightBlue,
        Color::LightCyan,
        Color::LightMagenta,
        Color::LightYellow,
        Color::LightGreen,
        Color::LightRed,
    ],
};

const LIGHT: Palette = Palette {
    good: Color::Rgb(0, 100, 0),
    warn: Color::Rgb(140, 80, 0),
    bad: Color::Rgb(170, 0, 0),
    key: Color::Rgb(0, 70, 150),
    accent: Color::Black,
    frame: Color::Rgb(120, 120, 120),
    parts: [
        Color::Rgb(0, 70, 150),
        Color::Rgb(0, 120, 120),
        Color::Rgb(120, 0, 120),
        Color::Rgb(140, 80, 0),
        Color::Rgb(0, 100, 0),
        Color::Rgb(170, 0, 0),
    ],
};

/// The colours of Okabe and Ito (2008), which people with any colour vision tell apart.
const COLOUR_BLIND: Palette = Palette {
    good: Color::Rgb(86, 180, 233),
    warn: Color::Rgb(230, 159, 0),
    bad: Color::Rgb(213, 94, 0),
    key: Color::Rgb(86, 180, 233),
    accent: Color::Reset,
    frame: Color::Reset,
    parts: [
        Color::Rgb(0, 114, 178),
        Color::Rgb(230, 159, 0),
        Color::Rgb(0, 158, 115),
        Color::Rgb(204, 121, 167),
        Color::Rgb(86, 180, 233),
        Color::Rgb(213, 94, 0),
    ],
};

/// What a role looks like without colour.
fn modifiers(role: Role) -> Style {
    let style = Style::new();
    match role {
        Role::Plain | Role::Good | Role::Warn => style,
        Role::Faint | Role::Frame => style.add_modifier(Modifier::DIM),
        Role::Strong | Role::Bad | Role::Key | Role::Accent => style.add_modifier(Modifier::BOLD),
        Role::Head => style.add_modifier(Modifier::BOLD.union(Modifier::UNDERLINED)),
        Role::Cursor => style.add_modifier(Modifier::REVERSED),
        Role::Cell => {
            style.add_modifier(Modifier::REVERSED.union(Modifier::BOLD).union(Modifier::UNDERLINED))
        }
    }
}

fn coloured(style: Style, role: Role, palette: &Palette) -> Style {
    let colour = match role {
        Role::Plain | Role::Faint | Role::Strong | Role::Head | Role::Cursor | Role::Cell => {
            return style;
        }
        Role::Good => palette.good,
        Role::Warn => palette.warn,
        Role::Bad => palette.bad,
        Role::Key => palette.key,
        Role::Accent => palette.accent,
        Role::Frame => palette.frame,
    };
    style.fg(colour)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn mono_has_no_colour_and_still_tells_the_cursor() {
        let mono = Theme::new(ThemeName::Mono);
        for role in [Role::Good, Role::Bad, Role::Key, Role::Cursor, Role::Frame] {
            assert_eq!((mono.style(role).fg, mono.style(role).bg), (None, None));
        }
        assert!(mono.style(Role::Cursor).add_modifier.contains(Modifier::REVERSED));
        assert_eq!(mono.part(3), Style::new());
    }

    #[test]
    fn no_theme_paints_a_background() {
        for name in ThemeName::ALL {
            for role in [Role::Plain, Role::Cursor, Role::Bad, Role::Head] {
                assert_eq!(Theme::new(name).style(role).bg, None);
            }
        }
    }
}
