//! What is written about keys is made from the one table of actions.

use haggle::app::action::key_table;

#[test]
fn the_readme_has_the_table_of_keys() {
    let readme = include_str!("../../README.md");
    let (_, rest) = readme.split_once("<!-- keys:begin").expect("the README has a place for it");
    let (_, rest) = rest.split_once("-->\n").expect("the mark ends");
    let (table, _) = rest.split_once("<!-- keys:end -->").expect("the place ends");
    assert_eq!(table.trim(), key_table().trim(), "write this into the README:\n{}", key_table());
}
