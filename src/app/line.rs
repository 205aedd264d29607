//! One line of text with a cursor that moves by what people see as characters.

use unicode_segmentation::UnicodeSegmentation;
use unicode_width::UnicodeWidthStr;

/// The longest text that a line takes, in bytes.
const LONGEST: usize = 2000;

/// A line of text being edited.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Line {
    text: String,
    /// Byte offset, always at the border of a grapheme.
    cursor: usize,
}

impl Line {
    /// A line that holds `text`, with the cursor at its end.
    pub fn new(text: impl Into<String>) -> Self {
        let text = text.into();
        Self { cursor: text.len(), text }
    }

    /// The text.
    pub fn text(&self) -> &str {
        &self.text
    }

    /// Where the cursor stands, as a byte offset.
    pub fn cursor(&self) -> usize {
        self.cursor
    }

    /// Cells between the start of the text and the cursor.
    pub fn cursor_column(&self) -> usize {
        self.text[..self.cursor].width()
    }

    /// Nothing in it?
    pub fn is_empty(&self) -> bool {
        self.text.is_empty()
    }

    /// Replaces the text; the cursor goes to its end.
    pub fn set(&mut self, text: &str) {
        *self = Line::new(text);
    }

    /// Puts `text` in place of the bytes `range`, and the cursor behind it.
    pub fn replace(&mut self, range: std::ops::Range<usize>, text: &str) {
        let whole = range.start <= range.end
            && self.text.is_char_boundary(range.start)
            && self.text.is_char_boundary(range.end);
        if whole {
            self.text.replace_range(range.clone(), text);
            self.cursor = range.start + text.len();
            self.settle();
        }
    }

    /// Types or pastes `text` at the cursor; control characters and line breaks become blanks.
    pub fn insert(&mut self, text: &str) {
        let mut clean = String::with_capacity(text.len());
        for c in text.chars() {
            let c = if c.is_control() { ' ' } else { c };
            if self.text.len() + clean.len() + c.len_utf8() > LONGEST {
                break;
            }
            clean.push(c);
        }
        self.text.insert_str(self.cursor, &clean);
        self.cursor += clean.len();
        self.settle();
    }

    /// After an insertion, two graphemes may have become one: the cursor moves behind it.
    fn settle(&mut self) {
        if self.cursor >= self.text.len() {
            self.cursor = self.text.len();
            return;
        }
        let border = self.text.grapheme_indices(true).map(|(i, _)| i).find(|i| *i >= self.cursor);
        self.cursor = border.unwrap_or(self.text.len());
    }

    fn before(&self) -> usize {
        self.text[..self.cursor].grapheme_indices(true).next_back().map_or(0, |(i, _)| i)
    }

    fn after(&self) -> usize {
        let next = self.text[self.cursor..].graphemes(true).next();
        self.cursor + next.map_or(0, str::len)
    }

    /// One character to the left.
    pub fn left(&mut self) {
        self.cursor = self.before();
    }

    /// One character to the right.
    pub fn right(&mut self) {
        self.cursor = self.after();
    }

    /// To the start.
    pub fn home(&mut self) {
        self.cursor = 0;
    }

    /// To the end.
    pub fn end(&mut self) {
        self.cursor = self.text.len();
    }

    /// Start of the word at or before the cursor.
    fn word_start(&self) -> usize {
        let head = self.text[..self.cursor].trim_end();
        head.rfind(char::is_whitespace)
            .map_or(0, |i| i + head[i..].chars().next().map_or(1, char::len_utf8))
    }

    /// To the start of the word.
    pub fn word_left(&mut self) {
        self.cursor = self.word_start();
    }

    /// Behind the end of the word.
    pub fn word_right(&mut self) {
        let tail = &self.text[self.cursor..];
        let blanks = tail.len() - tail.trim_start().len();
        let word = tail[blanks..].find(char::is_whitespace).unwrap_or(tail.len() - blanks);
        self.cursor += blanks + word;
    }

    /// Deletes the character before the cursor.
    pub fn backspace(&mut self) {
        let from = self.before();
        self.text.replace_range(from..self.cursor, "");
        self.cursor = from;
    }

    /// Deletes the character at the cursor.
    pub fn delete(&mut self) {
        let to = self.after();
        self.text.replace_range(self.cursor..to, "");
    }

    /// Deletes the word before the cursor.
    pub fn delete_word(&mut self) {
        let from = self.word_start();
        self.text.replace_range(from..self.cursor, "");
        self.cursor = from;
    }

    /// Deletes everything before the cursor.
    pub fn delete_to_start(&mut self) {
        self.text.replace_range(..self.cursor, "");
        self.cursor = 0;
    }

    /// Deletes everything from the cursor on.
    pub fn delete_to_end(&mut self) {
        self.text.truncate(self.cursor);
    }

    /// The part that fits into `width` cells with the cursor visible, and the cursor's cell in it.
    pub fn window(&self, width: usize) -> (&str, usize) {
        let width = width.max(1);
        let mut start = 0;
        for (index, _) in self.text.grapheme_indices(true) {
            start = index;
            if index >= self.cursor || self.text[index..self.cursor].width() < width {
                break;
            }
        }
        if self.cursor == self.text.len() && self.text[start..].width() >= width {
            start = self.cursor;
        }
        let mut end = start;
        let mut used = 0;
        for grapheme in self.text[start..].graphemes(true) {
            let cells = grapheme.width();
            if used + cells > width {
                break;
            }
            used += cells;
            end += grapheme.len();
        }
        (&self.text[start..end], self.text[start..self.cursor.max(start)].width())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn editing_goes_by_graphemes() {
        let mut line = Line::new("e\u{301}👩‍🔬x");
        line.backspace();
        line.backspace();
        assert_eq!(line.text(), "e\u{301}");
        line.backspace();
        assert_eq!(line.text(), "");
        line.backspace();
        line.insert("a b\nc\u{1b}[2J");
        assert_eq!(line.text(), "a b c [2J");
        line.delete_word();
        assert_eq!(line.text(), "a b c ");
        line.word_left();
        line.delete_to_end();
        assert_eq!(line.text(), "a b ");
        line.delete_to_start();
        assert!(line.is_empty());
    }

    #[test]
    fn the_window_follows_the_cursor() {
        let mut line = Line::new("0123456789");
        let (shown, at) = line.window(5);
        assert!(at < 5 && "0123456789".contains(shown), "{shown} {at}");
        line.home();
        assert_eq!(line.window(5), ("01234", 0));
    }

    proptest! {
        #[test]
        fn the_cursor_is_always_at_a_border(ops in proptest::collection::vec((0..12u8, "\\PC{0,3}"), 0..60), width in 1..20usize) {
            let mut line = Line::default();
            for (op, text) in ops {
                match op {
                    0..=3 => line.insert(&text),
                    4 => line.left(),
                    5 => line.right(),
                    6 => line.backspace(),
                    7 => line.delete(),
                    8 => line.word_left(),
                    9 => line.word_right(),
                    10 => line.delete_word(),
                    _ => line.home(),
                }
                prop_assert!(line.text.is_char_boundary(line.cursor));
                let (shown, at) = line.window(width);
                prop_assert!(shown.width() <= width && at <= width);
            }
        }
    }
}
