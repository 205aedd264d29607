//! Rows of the table in words: each figure with its name.

use crate::app::App;
use crate::app::grid::Row;
use crate::market::query::Field;
use crate::market::{Align, Mark};

/// The rows in view.
pub(super) fn all(app: &App) -> Vec<String> {
    if app.grid.rows.is_empty() {
        let words = if app.desk.total() == 0 {
            "no offers yet; providers tells how far they are"
        } else {
            "nothing matches the query; why tells what hides the rest"
        };
        return [Some(words.to_string()), app.one_price()].into_iter().flatten().collect();
    }
    let numbered = app.grid.rows.iter().enumerate();
    numbered
        .map(|(at, row)| format!("{}: {}", app.cursor.offset + at + 1, words(app, row)))
        .collect()
}

/// The selected row, with its place.
pub(super) fn selected(app: &App) -> String {
    let (at, shown) = (app.cursor.position, app.desk.shown());
    match app.grid.rows.get(at.saturating_sub(app.cursor.offset)) {
        Some(row) => format!("row {} of {shown}: {}", at + 1, words(app, row)),
        None => "no row is selected".to_string(),
    }
}

/// The selected row without what changes with the clock alone.
pub(super) fn compared(app: &App) -> String {
    let at = app.cursor.position.saturating_sub(app.cursor.offset);
    let Some(row) = app.grid.rows.get(at) else { return String::new() };
    let cells = app.grid.columns.iter().zip(&row.cells);
    let cells = cells.filter(|(shown, _)| shown.column.field != Field::Age);
    cells.map(|(_, cell)| cell.text.as_str()).collect::<Vec<_>>().join(" ")
}

/// The cell of the selected row in the current column.
pub(super) fn cell(app: &App) -> String {
    let at = app.grid.columns.iter().position(|s| s.column.field == app.column);
    let row = app.grid.rows.get(app.cursor.position.saturating_sub(app.cursor.offset));
    let text = row.zip(at).and_then(|(row, at)| row.cells.get(at)).map(|c| c.text.clone());
    let info = app.column.info();
    let text = text.unwrap_or_else(|| "nothing".to_string());
    format!("column {}: {text}. {}", app.column.name(), info.help)
}

fn words(app: &App, row: &Row) -> String {
    let mut parts = Vec::new();
    for (shown, cell) in app.grid.columns.iter().zip(&row.cells) {
        let noun = shown.column.field.info().noun;
        parts.push(match (shown.column.field, shown.column.align) {
            _ if cell.is_unknown() => format!("{noun} not stated"),
            (Field::Gpus, _) => format!("{} of", cell.text),
            (Field::Price, _) => format!("{} $ per hour", cell.text),
            (Field::Hours, _) => format!("done in {}", cell.text),
            (Field::Fit, _) => format!("fit {}", cell.text),
            (_, Align::Right) => format!("{noun} {}", cell.text),
            (_, Align::Left) => cell.text.clone(),
        });
    }
    let mut text = parts.join(", ").replace(" of, ", " of ");
    let change = match row.change {
        Mark::Same => "",
        Mark::New => ", new",
        Mark::Cheaper => ", cheaper than before",
        Mark::Dearer => ", dearer than before",
        Mark::Gone => ", gone",
    };
    text.push_str(change);
    if row.disk_short {
        text.push_str(", its disk is too small for the job");
    }
    if row.marked {
        text.push_str(", marked");
    }
    text
}
