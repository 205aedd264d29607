//! Offers as CSV (RFC 4180), one line each. A cell that a spreadsheet would take for a formula gets
//! an apostrophe in front, as OWASP advises; figures stay figures.

use super::document::{COLUMNS, Cell, OfferDocument};
use super::{Context, Export, Purpose, Unsuitable};
use crate::offer::Provider;

pub(super) const EXPORT: Export = Export {
    name: "csv",
    about: "the offer with fit and bill as one line of CSV",
    purpose: Purpose::Data,
    providers: &Provider::ALL,
    framework: None,
    extension: "csv",
    render,
};

fn render(c: &Context<'_>) -> Result<String, Unsuitable> {
    let offer = OfferDocument::new(c.offer, c.fit, c.advice, c.quote);
    offers(std::slice::from_ref(&offer))
}

/// A header and one line for each offer.
///
/// # Errors
/// [`Unsuitable`] when the writer fails, which memory alone could make it do.
pub fn offers(offers: &[OfferDocument]) -> Result<String, Unsuitable> {
    let lines = offers.iter().map(|o| COLUMNS.iter().map(|(_, cell)| safe(&cell(o))).collect());
    write(COLUMNS.iter().map(|(name, _)| *name).collect(), lines)
}

/// A header and lines of words; figures among them stay figures.
///
/// # Errors
/// As [`offers`].
pub fn rows(header: &[String], rows: &[Vec<String>]) -> Result<String, Unsuitable> {
    let cell = |text: &String| match text.parse::<f64>() {
        Ok(_) => text.clone(),
        Err(_) => safe(&Cell::Text(text.clone())),
    };
    let lines = rows.iter().map(|row| row.iter().map(cell).collect());
    write(header.iter().map(String::as_str).collect(), lines)
}

fn write(
    header: Vec<&str>,
    lines: impl Iterator<Item = Vec<String>>,
) -> Result<String, Unsuitable> {
    let failed = |e: &dyn std::fmt::Display| Unsuitable(format!("no CSV can be written: {e}"));
    let mut writer = csv::Writer::from_writer(Vec::new());
    writer.write_record(header).map_err(|e| failed(&e))?;
    for line in lines {
        writer.write_record(line).map_err(|e| failed(&e))?;
    }
    let bytes = writer.into_inner().map_err(|e| failed(&e))?;
    String::from_utf8(bytes).map_err(|e| failed(&e))
}

/// A cell that no spreadsheet computes.
fn safe(cell: &Cell) -> String {
    match cell {
        Cell::Text(text) if text.starts_with(['=', '+', '-', '@', '\t', '\r']) => {
            format!("'{text}")
        }
        other => other.text(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn formulas_become_text_and_figures_stay() {
        assert_eq!(safe(&Cell::Text("=HYPERLINK(\"x\")".into())), "'=HYPERLINK(\"x\")");
        assert_eq!(safe(&Cell::Text("@SUM(A1)".into())), "'@SUM(A1)");
        assert_eq!(safe(&Cell::Number(Some(-1.5))), "-1.5");
        assert_eq!(safe(&Cell::Number(None)), "");
    }
}
