//! What comes in from the terminal, in the program's own words.

use crate::app::{Code, Input, Key, Mouse, MouseKind};
use crossterm::event::{
    Event, EventStream, KeyCode, KeyEvent, KeyEventKind, KeyModifiers, MouseButton, MouseEvent,
    MouseEventKind,
};
use futures_util::{Stream, StreamExt};
use std::io;

/// Everything that the terminal sends, as it comes. The stream ends when the terminal goes away.
pub fn events() -> impl Stream<Item = io::Result<Input>> + Unpin + Send {
    Box::pin(EventStream::new().filter_map(|event| async move {
        match event {
            Ok(event) => translate(event).map(Ok),
            Err(error) => Some(Err(error)),
        }
    }))
}

fn translate(event: Event) -> Option<Input> {
    match event {
        Event::Key(event) => key(event).map(Input::Key),
        Event::Mouse(event) => mouse(event).map(Input::Mouse),
        Event::Paste(text) => Some(Input::Paste(text)),
        Event::Resize(columns, rows) => Some(Input::Resize(columns, rows)),
        Event::FocusGained => Some(Input::Focus(true)),
        Event::FocusLost => Some(Input::Focus(false)),
    }
}

/// A press or a repeat; releases are nothing to us.
fn key(event: KeyEvent) -> Option<Key> {
    if event.kind == KeyEventKind::Release {
        return None;
    }
    let code = match event.code {
        KeyCode::Char(c) => Code::Char(c),
        KeyCode::Enter => Code::Enter,
        KeyCode::Esc => Code::Esc,
        KeyCode::Tab => Code::Tab,
        KeyCode::BackTab => Code::BackTab,
        KeyCode::Backspace => Code::Backspace,
        KeyCode::Delete => Code::Delete,
        KeyCode::Insert => Code::Insert,
        KeyCode::Left => Code::Left,
        KeyCode::Right => Code::Right,
        KeyCode::Up => Code::Up,
        KeyCode::Down => Code::Down,
        KeyCode::Home => Code::Home,
        KeyCode::End => Code::End,
        KeyCode::PageUp => Code::PageUp,
        KeyCode::PageDown => Code::PageDown,
        KeyCode::F(n) => Code::F(n),
        _ => return None,
    };
    let key = Key {
        code,
        ctrl: event.modifiers.contains(KeyModifiers::CONTROL),
        alt: event.modifiers.contains(KeyModifiers::ALT),
        shift: event.modifiers.contains(KeyModifiers::SHIFT),
    };
    Some(key.settled())
}

fn mouse(event: MouseEvent) -> Option<Mouse> {
    let kind = match event.kind {
        MouseEventKind::Down(MouseButton::Left) => MouseKind::Click,
        MouseEventKind::ScrollDown => MouseKind::WheelDown,
        MouseEventKind::ScrollUp => MouseKind::WheelUp,
        _ => return None,
    };
    Some(Mouse { kind, column: event.column, row: event.row })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crossterm::event::KeyEventState;

    fn press(code: KeyCode, modifiers: KeyModifiers, kind: KeyEventKind) -> Option<Input> {
        translate(Event::Key(KeyEvent { code, modifiers, kind, state: KeyEventState::NONE }))
    }

    #[test]
    fn presses_and_repeats_count_releases_do_not() {
        let j = KeyCode::Char('j');
        let none = KeyModifiers::NONE;
        let expected = Some(Input::Key(Key::char('j')));
        assert_eq!(press(j, none, KeyEventKind::Press), expected);
        assert_eq!(press(j, none, KeyEventKind::Repeat), expected);
        assert_eq!(press(j, none, KeyEventKind::Release), None);
    }

    #[test]
    fn a_shifted_letter_is_a_capital_with_or_without_help_of_the_terminal() {
        let expected = Some(Input::Key(Key::char('G')));
        for c in ['G', 'g'] {
            assert_eq!(press(KeyCode::Char(c), KeyModifiers::SHIFT, KeyEventKind::Press), expected);
        }
        let ctrl = press(KeyCode::Char('R'), KeyModifiers::CONTROL, KeyEventKind::Press);
        assert_eq!(ctrl, Some(Input::Key(Key::ctrl('r'))));
    }
}
