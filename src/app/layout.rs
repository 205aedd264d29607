//! Where things stand on the screen: a pure function of its size and of what is wanted.

/// A part of the screen, in cells.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Area {
    /// First column.
    pub x: u16,
    /// First row.
    pub y: u16,
    /// Columns.
    pub width: u16,
    /// Rows.
    pub height: u16,
}

impl Area {
    /// Is the cell inside?
    pub fn has(self, column: u16, row: u16) -> bool {
        (self.x..self.x + self.width).contains(&column)
            && (self.y..self.y + self.height).contains(&row)
    }
}

/// Size of the screen in cells.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Size {
    /// Columns.
    pub width: u16,
    /// Rows.
    pub height: u16,
}

/// What the user wants of the side panel.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum PanelWish {
    /// Shown where there is room beside or below the table.
    #[default]
    Auto,
    /// Shown, over the table if need be.
    Shown,
    /// Not shown.
    Hidden,
}

/// The parts of the screen.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Layout {
    /// Name, market, setup.
    pub title: Area,
    /// The query; with the counts at its end where they have no row of their own.
    pub query: Area,
    /// How many are shown, and what hides the rest.
    pub counts: Option<Area>,
    /// Head and rows; nothing of it when the panel covers it.
    pub table: Option<Area>,
    /// The chart of cost against hours, above the table.
    pub chart: Option<Area>,
    /// Side panels: none, one or two.
    pub panels: Vec<Area>,
    /// The panel stands below the table, not beside it.
    pub below: bool,
    /// Providers.
    pub status: Option<Area>,
    /// Hints, messages, prompts.
    pub footer: Area,
    /// Where pages over the table go.
    pub body: Area,
}

/// The smallest screen that can be drawn on.
pub const SMALLEST: Size = Size { width: 36, height: 8 };

/// The lowest chart that stands above a table, and the lowest table below it.
const LEAST_CHART: u16 = 11;
const LEAST_TABLE: u16 = 4;

const SIDE_FROM: u16 = 100;
const TWO_FROM: u16 = 170;
/// Below this width a panel stands under the table, as lazygit does.
const PORTRAIT_BELOW: u16 = 84;
const PORTRAIT_FROM_HEIGHT: u16 = 30;

impl Layout {
    /// The layout of a screen; `None` when it is too small.
    pub fn new(size: Size, wish: PanelWish) -> Option<Layout> {
        let Size { width, height } = size;
        if width < SMALLEST.width || height < SMALLEST.height {
            return None;
        }
        let row = |y| Area { x: 0, y, width, height: 1 };
        let status = (height >= 16).then(|| row(height - 2));
        let bottom = if status.is_some() { 2 } else { 1 };
        let counts = (height >= 20).then(|| row(2));
        let top = if counts.is_some() { 3 } else { 2 };
        let body = Area { x: 0, y: top, width, height: height - top - bottom };
        let mut layout = Layout {
            title: row(0),
            query: row(1),
            counts,
            table: Some(body),
            chart: None,
            panels: Vec::new(),
            below: false,
            status,
            footer: row(height - 1),
            body,
        };
        if wish != PanelWish::Hidden {
            layout.place_panels(size, wish);
        }
        Some(layout)
    }

    fn place_panels(&mut self, size: Size, wish: PanelWish) {
        let body = self.body;
        if size.width >= TWO_FROM {
            let each = (size.width / 4).clamp(44, 56);
            let table = body.width - 2 * (each + 1);
            self.table = Some(Area { width: table, ..body });
            let first = Area { x: table + 1, width: each, ..body };
            let second = Area { x: table + 1 + each + 1, width: each, ..body };
            self.panels = vec![first, second];
        } else if size.width >= SIDE_FROM {
            let panel = (size.width / 3).clamp(40, 56);
            let table = body.width - panel - 1;
            self.table = Some(Area { width: table, ..body });
            self.panels = vec![Area { x: table + 1, width: panel, ..body }];
        } else if size.width < PORTRAIT_BELOW && size.height >= PORTRAIT_FROM_HEIGHT {
            let table = body.height * 2 / 5;
            self.table = Some(Area { height: table, ..body });
            self.panels =
                vec![Area { y: body.y + table + 1, height: body.height - table - 1, ..body }];
            self.below = true;
        } else if wish == PanelWish::Shown {
            self.table = None;
            self.panels = vec![body];
        }
    }

    /// The same with a chart in the upper part of what the table had. Where that is too little, the
    /// panels go, and then the table.
    pub fn with_chart(mut self) -> Layout {
        if self.below || self.table.is_none() {
            self.panels.clear();
            self.below = false;
            self.table = Some(self.body);
        }
        let whole = self.table.unwrap_or(self.body);
        let chart = (whole.height * 5 / 8).max(LEAST_CHART);
        let left = whole.height.saturating_sub(chart);
        if left < LEAST_TABLE {
            self.chart = Some(whole);
            self.table = None;
        } else {
            self.chart = Some(Area { height: chart, ..whole });
            self.table = Some(Area { y: whole.y + chart, height: left, ..whole });
        }
        self
    }

    /// Rows of the table that hold offers (its first row is the head).
    pub fn table_rows(&self) -> usize {
        self.table.map_or(0, |t| usize::from(t.height.saturating_sub(1)))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn at(width: u16, height: u16, wish: PanelWish) -> Layout {
        Layout::new(Size { width, height }, wish).unwrap()
    }

    #[test]
    fn the_sizes_that_were_promised() {
        assert_eq!(at(200, 60, PanelWish::Auto).panels.len(), 2);
        assert_eq!(at(120, 40, PanelWish::Auto).panels.len(), 1);
        assert_eq!(at(80, 24, PanelWish::Auto).panels.len(), 0);
        assert!(at(80, 24, PanelWish::Shown).table.is_none());
        assert!(at(80, 40, PanelWish::Auto).below);
        assert_eq!(at(40, 12, PanelWish::Auto).table_rows(), 8);
        assert_eq!(Layout::new(Size { width: 30, height: 24 }, PanelWish::Auto), None);
    }

    proptest! {
        #[test]
        fn parts_stay_on_the_screen_and_apart(width in 0..400u16, height in 0..200u16, wish in 0..3u8, chart: bool) {
            let wish = [PanelWish::Auto, PanelWish::Shown, PanelWish::Hidden][usize::from(wish)];
            let Some(mut layout) = Layout::new(Size { width, height }, wish) else { return Ok(()) };
            if chart {
                layout = layout.with_chart();
            }
            let mut areas = vec![layout.title, layout.query, layout.footer];
            areas.extend(layout.chart);
            areas.extend(layout.counts);
            areas.extend(layout.table);
            areas.extend(layout.panels.iter().copied());
            areas.extend(layout.status);
            for (i, a) in areas.iter().enumerate() {
                prop_assert!(a.width > 0 && a.height > 0, "{a:?}");
                prop_assert!(a.x + a.width <= width && a.y + a.height <= height, "{a:?}");
                for b in &areas[i + 1..] {
                    let apart = a.x + a.width <= b.x || b.x + b.width <= a.x
                        || a.y + a.height <= b.y || b.y + b.height <= a.y;
                    prop_assert!(apart, "{a:?} {b:?}");
                }
            }
        }
    }
}
