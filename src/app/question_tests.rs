//! What the question brings onto the screen: columns that it names, why one price hides rows, and
//! what the chart compares with.

use super::tests::{app, script};
use super::*;

fn heads(app: &App) -> Vec<Field> {
    app.grid.columns.iter().map(|c| c.column.field).collect()
}

#[test]
fn both_prices_in_one_table_are_told_apart() {
    let mut app = app();
    assert!(!heads(&app).contains(&Field::Pricing));
    script(&mut app, ":set pricing both<enter>");
    let at = heads(&app).iter().position(|f| *f == Field::Pricing).unwrap();
    assert_eq!(heads(&app)[at - 1], Field::Price);
    let words = |row: &grid::Row| row.cells[at].text.clone();
    assert!(app.grid.rows.iter().map(words).all(|w| w == "spot" || w == "on-demand"));
    script(&mut app, ":set pricing spot<enter>");
    assert!(!heads(&app).contains(&Field::Pricing));
}

#[test]
fn figures_that_the_question_names_are_shown() {
    let mut app = app();
    assert!(!heads(&app).contains(&Field::Fetch));
    script(&mut app, "f<ctrl-u>fetch<50%<enter>");
    assert!(heads(&app).contains(&Field::Fetch), "{:?}", heads(&app));
    script(&mut app, "f<ctrl-u>verified:yes<enter>");
    assert!(!heads(&app).contains(&Field::Fetch) && !heads(&app).contains(&Field::Verified));
}

#[test]
fn a_price_that_is_not_shown_is_named_with_its_key() {
    let mut app = app();
    script(&mut app, "f<ctrl-u>pricing:spot<enter>");
    assert_eq!(app.desk.shown(), 0);
    let words = app.one_price().unwrap();
    assert_eq!(words, "Only on-demand prices are shown; o shows spot prices, or both.");
    script(&mut app, "oo");
    assert!(app.desk.shown() > 0 && app.one_price().is_none());
}

/// 10 M tokens at 0.48 $ a million are 4.80 $: on the axis, and below the front in words.
#[test]
fn a_hosted_price_is_a_line_of_the_chart() {
    let mut app = app();
    assert_eq!(app.limits().hosted, None);
    script(&mut app, ":set tokens 10M<enter>:set hosted 0.48 Example 2026-11-30<enter>$");
    let usd = app.limits().hosted.unwrap();
    assert!((usd - 4.8).abs() < 1e-9);
    let Some(Overlay::Pareto(page)) = &app.overlay else { panic!("the page is open") };
    let (_, up) = page.axes(app.limits()).unwrap();
    assert!((up.low..=up.high).contains(&usd.log10()));
    let last = pareto_page::lines(&app, page).pop().unwrap();
    assert!(last.contains("hosted: 4.80$ by Example"), "{last}");
}

/// Half a month's work that is interrupted twice an hour and never saved.
#[test]
fn a_job_that_never_ends_says_never_in_its_row() {
    let mut app = app();
    script(
        &mut app,
        ":set tokens 20B<enter>:set pricing spot<enter>:set checkpoint-every never<enter>",
    );
    script(&mut app, ":set assume hazard=2/h<enter>f<ctrl-u>fit:yes<enter>");
    let at = heads(&app).iter().position(|f| *f == Field::Hours).unwrap();
    assert!(app.grid.rows.iter().any(|row| row.cells[at].text == "never"), "{:?}", app.grid.rows);
    script(&mut app, ":set checkpoint-every 5m<enter>:set assume hazard=0.01/h<enter>");
    assert!(app.grid.rows.iter().all(|row| row.cells[at].text != "never"));
}
