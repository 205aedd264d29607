//! Sort keys and columns.

use super::super::action::Action;
use super::super::order_page::{OrderKind, best_is_large};
use super::super::{App, Overlay};
use super::list_step;
use crate::market::{SortBy, SortKey};
use std::convert::Infallible;

impl App {
    /// Orders by `keys`, so that it can be undone.
    pub(super) fn sort_by(&mut self, keys: Vec<SortKey>) {
        self.change(|desk| {
            desk.set_sort(keys);
            Ok::<(), Infallible>(())
        });
    }

    /// Orders by the n-th column in view, from 0.
    pub(super) fn sort_by_number(&mut self, n: usize) {
        if let Some(shown) = self.grid.columns.get(n) {
            self.column = shown.column.field;
            self.sort_by_column(false);
        }
    }

    /// Orders by the selected column, alone or as a further key; turns it round when it is one
    /// already.
    pub(super) fn sort_by_column(&mut self, further: bool) {
        let by = SortBy::Field(self.column);
        let present = self.sort_keys().to_vec();
        let own = present.iter().find(|k| k.by == by).copied();
        let key = match own {
            Some(key) => SortKey { by, descending: !key.descending },
            None => SortKey { by, descending: best_is_large(by) },
        };
        let keys = if further {
            let mut keys = present;
            match keys.iter_mut().find(|k| k.by == by) {
                Some(old) => *old = key,
                None => keys.push(key),
            }
            keys
        } else if SortKey::DEFAULT.contains(&key) {
            SortKey::DEFAULT.to_vec()
        } else {
            vec![key]
        };
        self.sort_by(keys);
    }

    pub(super) fn act_on_order(&mut self, action: Action) {
        let height = self.layout.as_ref().map_or(1, |l| usize::from(l.body.height));
        let Some(Overlay::Order(page)) = &mut self.overlay else { return };
        if let Some(by) = list_step(action, height) {
            page.step(by);
            return;
        }
        match action {
            Action::Close => {
                self.overlay = None;
                return;
            }
            Action::Accept => {
                let kind = page.kind;
                if let (OrderKind::Sort, Some(item)) = (kind, page.items.get(page.selected)) {
                    let key = SortKey { by: item.by, descending: item.descending };
                    if !item.on {
                        self.sort_by(vec![key]);
                    }
                }
                self.overlay = None;
                return;
            }
            Action::Toggle => page.toggle(),
            Action::Left | Action::Right => page.turn(),
            Action::RaiseLine => page.carry(-1),
            Action::LowerLine => page.carry(1),
            Action::PinLine if page.kind == OrderKind::Columns => page.hold(),
            _ => return,
        }
        let (kind, keys, columns) = (page.kind, page.sort_keys(), page.chosen_columns());
        let held = page.held();
        match kind {
            OrderKind::Sort => self.sort_by(keys),
            OrderKind::Columns if !columns.is_empty() => {
                self.columns = columns;
                self.held = held;
                self.grid.forget_widths();
            }
            OrderKind::Columns => {}
        }
    }
}
