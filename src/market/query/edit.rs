//! Edits of a query's text: what the filter keys do, so that keys and typing are one language.
//!
//! Only the condition that changes is rewritten; the rest of the text stays as it was typed.

use super::{Condition, Expr, Field, Item, Pattern, Query, QueryError, Test};

/// Sets the condition on `field` to `condition` (`vram>=24`): the conditions on that field that
/// stand by themselves give way, negated ones (`!region:CN`) stay. An empty `condition` removes.
pub fn replace_field(text: &str, field: Field, condition: &str) -> Result<String, QueryError> {
    Query::parse(condition)?;
    edit(text, condition, |expr| matches!(expr, Expr::Test(c) if c.field == field))
}

/// Removes the conditions on `field` that stand by themselves, negated ones too.
pub fn remove_field(text: &str, field: Field) -> Result<String, QueryError> {
    edit(text, "", |expr| expr.field() == Some(field))
}

/// Keeps only rows whose `field` is `item` (the key `=` on a cell).
pub fn keep(text: &str, field: Field, item: Item) -> Result<String, QueryError> {
    replace_field(text, field, &equals(field, vec![item]).to_string())
}

/// Hides rows whose `field` is `item` (the key `x` on a cell); joins what was hidden so before.
pub fn exclude(text: &str, field: Field, item: Item) -> Result<String, QueryError> {
    let query = Query::parse(text)?;
    let hidden = |expr: &Expr| match expr {
        Expr::Not(inner) => match &**inner {
            Expr::Test(Condition {
                field: f, test: Test::OneOf { items, exact: true }, ..
            }) => (*f == field).then(|| items.clone()),
            _ => None,
        },
        _ => None,
    };
    let mut items: Vec<Item> = query.conditions().iter().filter_map(hidden).flatten().collect();
    if !items.contains(&item) {
        items.push(item);
    }
    let condition = Expr::Not(Box::new(Expr::Test(equals(field, items))));
    edit(text, &condition.to_string(), |expr| hidden(expr).is_some())
}

/// Puts `condition` in the place of the `at`-th one; an empty text removes it.
pub fn replace_condition(text: &str, at: usize, condition: &str) -> Result<String, QueryError> {
    let query = Query::parse(text)?;
    let conditions = query.conditions();
    splice(text, &query, condition, |i, _| i == at && i < conditions.len())
}

/// Adds a condition at the end.
pub fn add(text: &str, condition: &str) -> Result<String, QueryError> {
    Query::parse(condition)?;
    edit(text, condition, |_| false)
}

fn equals(field: Field, items: Vec<Item>) -> Condition {
    Condition { field, test: Test::OneOf { items, exact: true }, keep_unknown: false }
}

/// The item that equals a text.
pub fn item_of_text(text: &str) -> Item {
    Item::Matches(Pattern::quoted_if_needed(text))
}

fn edit(text: &str, condition: &str, goes: impl Fn(&Expr) -> bool) -> Result<String, QueryError> {
    let query = Query::parse(text)?;
    splice(text, &query, condition, |_, expr| goes(expr))
}

/// Takes out the conditions that go; the new one stands where the first of them stood, or at the
/// end.
fn splice(
    text: &str,
    query: &Query,
    condition: &str,
    goes: impl Fn(usize, &Expr) -> bool,
) -> Result<String, QueryError> {
    let going: Vec<usize> = query
        .conditions()
        .iter()
        .enumerate()
        .filter(|(at, expr)| goes(*at, expr))
        .map(|(at, _)| at)
        .collect();
    let wanted = rebuilt(query, &going, condition)?;
    let typed = in_place(text, query, &going, condition);
    // The text as typed is kept where it still says the same (a lost `and` may have broken it).
    let same = typed.filter(|t| Query::parse(t).as_ref() == Ok(&wanted));
    Ok(same.unwrap_or_else(|| wanted.to_string()))
}

/// The query after the edit, from its parts.
fn rebuilt(query: &Query, going: &[usize], condition: &str) -> Result<Query, QueryError> {
    let new = Query::parse(condition)?;
    let place = going.first().copied().unwrap_or(query.conditions.len());
    let mut conditions = Vec::new();
    for (at, expr) in query.conditions.iter().enumerate() {
        if at == place {
            conditions.extend(new.conditions.iter().cloned());
        }
        if !going.contains(&at) {
            conditions.push(expr.clone());
        }
    }
    if place >= query.conditions.len() {
        conditions.extend(new.conditions.iter().cloned());
    }
    Ok(Query { conditions, unknown: query.unknown, ..Query::default() })
}

/// The text after the edit, changed only where it must be.
fn in_place(text: &str, query: &Query, going: &[usize], condition: &str) -> Option<String> {
    let mut out = text.to_owned();
    for (nth, at) in going.iter().enumerate().rev() {
        let span = query.span(*at)?;
        let shared = query.spans.iter().filter(|s| **s == span).count() > 1;
        if shared {
            return None;
        }
        if nth == 0 && !condition.is_empty() {
            out.replace_range(span, condition);
        } else {
            let before = out.get(..span.start)?.trim_end().to_owned();
            let after = out.get(span.end..)?.trim_start().to_owned();
            let gap = if before.is_empty() || after.is_empty() { "" } else { " " };
            out = format!("{before}{gap}{after}");
        }
    }
    if going.is_empty() && !condition.is_empty() {
        let gap = if out.trim().is_empty() { "" } else { " " };
        out = format!("{}{gap}{condition}", out.trim_end());
    }
    Some(out)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn keys_edit_what_was_typed_and_leave_the_rest() {
        let text = "vram>=24   rel > 95% !region:CN";
        let set = |field, to| replace_field(text, field, to).unwrap();
        assert_eq!(set(Field::Vram, "vram>=48"), "vram>=48   rel > 95% !region:CN");
        assert_eq!(set(Field::Rel, ""), "vram>=24 !region:CN");
        assert_eq!(set(Field::Region, "region:eu"), "vram>=24   rel > 95% !region:CN region:eu");
        assert_eq!(remove_field(text, Field::Region).unwrap(), "vram>=24   rel > 95%");
        assert_eq!(add("", "fit:yes").unwrap(), "fit:yes");
    }

    #[test]
    fn an_or_is_put_in_parentheses_before_something_joins_it() {
        let text = add("gpu:4090 or gpu:3090", "fit:yes").unwrap();
        assert_eq!(text, "(gpu:4090 or gpu:3090) fit:yes");
        assert_eq!(replace_field("a1b2c and vram>=24", Field::Vram, "").unwrap(), "a1b2c");
        let text = replace_field("(vram>=24 fit:yes) rel>95%", Field::Vram, "vram>=48").unwrap();
        assert_eq!(text, "vram>=48 fit:yes rel>95%");
    }

    #[test]
    fn cells_are_kept_and_excluded() {
        let card = || item_of_text("RTX 4090");
        assert_eq!(keep("gpu:3090", Field::Gpu, card()).unwrap(), "gpu=\"RTX 4090\"");
        let text = exclude("fit:yes", Field::Gpu, card()).unwrap();
        assert_eq!(text, "fit:yes !gpu=\"RTX 4090\"");
        let text = exclude(&text, Field::Gpu, item_of_text("L4")).unwrap();
        assert_eq!(text, "fit:yes !gpu=\"RTX 4090\"|L4");
        assert_eq!(exclude(&text, Field::Gpu, item_of_text("L4")).unwrap(), text);
        assert_eq!(exclude("", Field::Rel, Item::Unknown).unwrap(), "!rel=unknown");
    }

    proptest! {
        #[test]
        fn an_edit_never_breaks_a_query(at in 0usize..6, text in "(vram>=24|rel>95%|4090|gpu:a\\|b|\\(fit:yes or fit:tight\\)|!host:7)( and | |  )(vram<80|region:eu|total<20\\$| )") {
            let fields = [Field::Vram, Field::Rel, Field::Gpu, Field::Fit, Field::Host, Field::Total];
            prop_assume!(Query::parse(&text).is_ok());
            let without = remove_field(&text, fields[at]).unwrap();
            let query = Query::parse(&without).unwrap();
            prop_assert!(query.conditions().iter().all(|e| e.field() != Some(fields[at])), "{}", without);
            let again = replace_field(&without, Field::Total, "total<5$").unwrap();
            let query = Query::parse(&again).unwrap();
            let total = query.condition_on(Field::Total).map(ToString::to_string);
            prop_assert_eq!(total.as_deref(), Some("total<5$"));
        }
    }
}
