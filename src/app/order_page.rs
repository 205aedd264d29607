//! Two lists of the same kind: which sort keys in which order, and which columns in which order.

use crate::market::query::Field;
use crate::market::{COLUMNS, Column, SortBy, SortKey};

/// What the list is of.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum OrderKind {
    /// Sort keys.
    Sort,
    /// Columns.
    Columns,
}

/// A line of the list.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct OrderItem {
    /// What it stands for.
    pub by: SortBy,
    /// Is it chosen?
    pub on: bool,
    /// Largest first (sort keys).
    pub descending: bool,
    /// Held: it never goes for want of room (columns).
    pub held: bool,
}

impl OrderItem {
    /// What it is called.
    pub fn name(self) -> &'static str {
        SortKey { by: self.by, descending: false }.name()
    }

    /// What it means.
    pub fn about(self) -> &'static str {
        match self.by {
            SortBy::Runs => "what can run comes first, then what nobody knows",
            SortBy::Field(field) => field.info().help,
        }
    }
}

/// The list: what is chosen first, in its order, then the rest.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct OrderPage {
    /// What it is of.
    pub kind: OrderKind,
    /// The lines.
    pub items: Vec<OrderItem>,
    /// The selected line.
    pub selected: usize,
}

impl OrderPage {
    /// Sort keys; `present` are the ones in force.
    pub fn sort(present: &[SortKey]) -> Self {
        let present = if present.is_empty() { &SortKey::DEFAULT[..] } else { present };
        let on =
            |k: &SortKey| OrderItem { by: k.by, on: true, descending: k.descending, held: false };
        let mut items: Vec<OrderItem> = present.iter().map(on).collect();
        let all = COLUMNS.iter().map(|c| SortBy::Field(c.field)).chain([SortBy::Runs]);
        let rest = all.filter(|by| !present.iter().any(|k| k.by == *by));
        items.extend(rest.map(|by| OrderItem {
            by,
            on: false,
            descending: best_is_large(by),
            held: false,
        }));
        Self { kind: OrderKind::Sort, items, selected: 0 }
    }

    /// Columns; `present` are the ones chosen, `held` those that never go.
    pub fn columns(present: &[&'static Column], held: &[Field]) -> Self {
        let item = |c: &Column, on| OrderItem {
            by: SortBy::Field(c.field),
            on,
            descending: false,
            held: held.contains(&c.field),
        };
        let mut items: Vec<OrderItem> = present.iter().map(|c| item(c, true)).collect();
        let rest = COLUMNS.iter().filter(|c| !present.iter().any(|p| p.field == c.field));
        items.extend(rest.map(|c| item(c, false)));
        Self { kind: OrderKind::Columns, items, selected: 0 }
    }

    /// The chosen sort keys.
    pub fn sort_keys(&self) -> Vec<SortKey> {
        let on = self.items.iter().filter(|i| i.on);
        on.map(|i| SortKey { by: i.by, descending: i.descending }).collect()
    }

    /// The chosen columns.
    pub fn chosen_columns(&self) -> Vec<&'static Column> {
        let on = self.items.iter().filter(|i| i.on);
        on.filter_map(|i| match i.by {
            SortBy::Field(field) => Column::of(field),
            SortBy::Runs => None,
        })
        .collect()
    }

    /// The columns that are held.
    pub fn held(&self) -> Vec<Field> {
        let held = self.items.iter().filter(|i| i.held);
        held.filter_map(|i| match i.by {
            SortBy::Field(field) => Some(field),
            SortBy::Runs => None,
        })
        .collect()
    }

    /// Holds the selected column, or lets it go.
    pub fn hold(&mut self) {
        if let Some(item) = self.items.get_mut(self.selected) {
            item.held = !item.held;
        }
    }

    /// Moves the selection.
    pub fn step(&mut self, by: isize) {
        let last = self.items.len().saturating_sub(1);
        self.selected = self.selected.saturating_add_signed(by).min(last);
    }

    /// Turns the selected line on (it goes behind the chosen ones) or off.
    pub fn toggle(&mut self) {
        let chosen = self.items.iter().filter(|i| i.on).count();
        let at = self.selected;
        if let Some(item) = self.items.get_mut(at) {
            item.on = !item.on;
            let to = if item.on { chosen } else { chosen.saturating_sub(1) };
            let item = self.items.remove(at);
            self.items.insert(to.min(self.items.len()), item);
            self.selected = to.min(self.items.len() - 1);
        }
    }

    /// Moves the selected line up or down among the chosen ones.
    pub fn carry(&mut self, by: isize) {
        let chosen = self.items.iter().filter(|i| i.on).count();
        let to = self.selected.saturating_add_signed(by);
        if self.selected < chosen && to < chosen {
            self.items.swap(self.selected, to);
            self.selected = to;
        }
    }

    /// Turns the selected sort key round.
    pub fn turn(&mut self) {
        if let Some(item) = self.items.get_mut(self.selected) {
            item.descending = !item.descending;
        }
    }
}

/// Is more of it better, so that the largest should come first?
pub fn best_is_large(by: SortBy) -> bool {
    let SortBy::Field(field) = by else { return false };
    matches!(
        field,
        Field::Vram
            | Field::Gpus
            | Field::Rel
            | Field::Down
            | Field::Up
            | Field::Disk
            | Field::Headroom
            | Field::Speed
            | Field::Rental
            | Field::Cuda
            | Field::Vcpus
            | Field::Ram
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sort_keys_are_added_behind_and_moved_about() {
        let mut page = OrderPage::sort(&[]);
        assert_eq!(page.sort_keys(), SortKey::DEFAULT);
        let hours = page.items.iter().position(|i| i.by == SortBy::Field(Field::Hours)).unwrap();
        page.selected = hours;
        page.toggle();
        assert_eq!(page.sort_keys().len(), 3);
        assert_eq!(page.selected, 2);
        page.carry(-1);
        let names: Vec<_> = page.sort_keys().iter().map(|k| k.name()).collect();
        assert_eq!(names, ["runs", "hours", "total"]);
        page.toggle();
        assert_eq!(page.sort_keys(), SortKey::DEFAULT);
    }

    #[test]
    fn columns_come_in_the_chosen_order() {
        let present: Vec<&'static Column> = COLUMNS.iter().filter(|c| c.default).collect();
        let mut page = OrderPage::columns(&present, &[]);
        page.carry(1);
        let chosen = page.chosen_columns();
        assert_eq!(chosen[0].field, present[1].field);
        assert_eq!(chosen[1].field, present[0].field);
    }
}
