//! The selected line: it follows its offer, wherever new rows and another order move it.

use crate::market::ViewRow;

/// The selected line, and the part of the table that is in view.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Cursor {
    /// Which line is selected.
    pub line: Option<ViewRow>,
    /// Where it stands among the lines shown.
    pub position: usize,
    /// The first line in view.
    pub offset: usize,
    /// The user has chosen this line; until then, and after going to the top, the selection stays
    /// on whatever is first.
    pub chosen: bool,
}

impl Cursor {
    /// To `position`, by the user's will.
    pub fn go(&mut self, position: usize, shown: usize) {
        self.position = position.min(shown.saturating_sub(1));
        self.line = None;
        self.chosen = self.position > 0;
    }

    /// The order has changed: `found` is where the selected line stands now. Lines in view stay
    /// where they are as far as they can.
    pub fn follow(&mut self, found: Option<usize>, shown: usize, height: usize) {
        let on_screen = self.position.saturating_sub(self.offset);
        match found {
            Some(at) if self.chosen => {
                self.position = at;
                self.offset = at.saturating_sub(on_screen);
            }
            _ if !self.chosen => {
                self.position = 0;
                self.offset = 0;
            }
            _ => {}
        }
        self.position = self.position.min(shown.saturating_sub(1));
        self.scroll(shown, height);
    }

    /// Brings the selected line into view, with nothing left blank at the end.
    pub fn scroll(&mut self, shown: usize, height: usize) {
        let height = height.max(1);
        let lowest = self.position.saturating_sub(height - 1);
        self.offset = self.offset.clamp(lowest, self.position.max(lowest));
        self.offset = self.offset.min(shown.saturating_sub(height));
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn the_selected_line_is_always_in_view(
            moves in proptest::collection::vec((0..60usize, 0..50usize, 1..20usize, any::<bool>()), 1..40)
        ) {
            let mut cursor = Cursor::default();
            for (to, shown, height, follow) in moves {
                if follow {
                    cursor.follow((to < shown).then_some(to), shown, height);
                } else {
                    cursor.go(to, shown);
                    cursor.scroll(shown, height);
                }
                prop_assert!(cursor.position < shown.max(1));
                prop_assert!(cursor.offset <= cursor.position);
                prop_assert!(cursor.position < cursor.offset + height);
                prop_assert!(cursor.offset + height <= shown || cursor.offset == 0);
            }
        }
    }
}
