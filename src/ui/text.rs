//! Text of an exact width: cut and padded by cells, never by bytes or characters.

use crate::market::Align;
use std::borrow::Cow;
use unicode_segmentation::UnicodeSegmentation;
use unicode_width::UnicodeWidthStr;

/// Is every byte one cell wide, as in most of what is shown? Then nothing needs to be measured.
pub(super) fn is_plain(text: &str) -> bool {
    text.bytes().all(|b| matches!(b, b' '..=b'~'))
}

/// Cells that `text` takes.
pub(super) fn width(text: &str) -> usize {
    if is_plain(text) { text.len() } else { text.width() }
}

/// `text` cut to at most `width` cells; what is cut ends in `…` (`~` in ASCII).
pub(super) fn cut(text: &str, width: usize, ascii: bool) -> Cow<'_, str> {
    if self::width(text) <= width {
        return Cow::Borrowed(text);
    }
    let mut kept = String::new();
    let mut used = 0;
    for grapheme in text.graphemes(true) {
        let cells = grapheme.width();
        if used + cells + 1 > width {
            break;
        }
        used += cells;
        kept.push_str(grapheme);
    }
    if width > 0 {
        kept.push(if ascii { '~' } else { '…' });
    }
    Cow::Owned(kept)
}

/// `text` in exactly `width` cells.
pub(super) fn fit(text: &str, width: usize, align: Align, ascii: bool) -> String {
    let text = cut(text, width, ascii);
    let blanks = width.saturating_sub(self::width(&text));
    let mut fitted = String::with_capacity(text.len() + blanks);
    let blanks = std::iter::repeat_n(' ', blanks);
    match align {
        Align::Left => {
            fitted.push_str(&text);
            fitted.extend(blanks);
        }
        Align::Right => {
            fitted.extend(blanks);
            fitted.push_str(&text);
        }
    }
    fitted
}

/// Replaces what ASCII has no character for, one cell for one cell where there is a likeness.
pub(super) fn to_ascii(text: &str) -> String {
    text.chars()
        .map(|c| match c {
            ' '..='~' => c,
            '…' => '~',
            '–' | '—' | '─' => '-',
            '·' | '•' | '●' => '*',
            '×' => 'x',
            '│' | '┃' => '|',
            '≥' | '→' => '>',
            '≤' | '←' => '<',
            '↑' | '▲' => '^',
            '↓' | '▼' => 'v',
            '█' => '#',
            _ => '?',
        })
        .collect()
}

/// Breaks `text` at blanks into lines of at most `width` cells; a word that is longer is broken.
pub(super) fn wrap(text: &str, width: usize) -> Vec<String> {
    let mut lines = Vec::new();
    let mut line = String::new();
    for word in text.split_whitespace() {
        let joint = usize::from(!line.is_empty());
        if line.width() + joint + word.width() > width && !line.is_empty() {
            lines.push(std::mem::take(&mut line));
        }
        if !line.is_empty() {
            line.push(' ');
        }
        for letter in word.graphemes(true) {
            if line.width() + letter.width() > width && !line.is_empty() {
                lines.push(std::mem::take(&mut line));
            }
            line.push_str(&cut(letter, width, false));
        }
    }
    if !line.is_empty() || lines.is_empty() {
        lines.push(line);
    }
    lines
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn wide_letters_are_never_halved() {
        assert_eq!(cut("東京都", 4, false), "東…");
        assert_eq!(cut("東京都", 5, false), "東京…");
        assert_eq!(cut("東京都", 6, false), "東京都");
        assert_eq!(fit("東京都", 4, Align::Left, false), "東… ");
        assert_eq!(fit("7", 3, Align::Right, false), "  7");
        assert_eq!(cut("abc", 0, false), "");
    }

    #[test]
    fn lines_break_at_blanks() {
        assert_eq!(wrap("one two three", 7), ["one two", "three"]);
        assert_eq!(wrap("", 7), [""]);
        assert_eq!(wrap("in /a/long/path", 7), ["in", "/a/long", "/path"]);
    }

    proptest! {
        #[test]
        fn nothing_is_ever_wider_than_asked(text in "\\PC{0,40}", width in 0..30usize, ascii: bool) {
            prop_assert!(cut(&text, width, ascii).width() <= width);
            let fitted = fit(&text, width, Align::Right, ascii);
            prop_assert_eq!(fitted.width(), width);
            for line in wrap(&text, width.max(1)) {
                prop_assert!(line.width() <= width.max(1));
            }
        }
    }
}
