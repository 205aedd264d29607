use super::*;
use crate::estimate::quote::PriceKind;
use crate::market::synthetic;
use crate::market::testing::{now, setup};
use crate::market::view::Ask;
use CheckAnswer::{Passes, Unknown};
use proptest::prelude::*;

fn table() -> Table {
    let mut table = Table::new();
    table.insert(1, &synthetic::market(250, 11));
    table
}

fn view(table: &Table, query: &str, pricing: &str) -> View {
    let mut view = View::new();
    let query = Query::parse(query).unwrap();
    view.refresh(table, &Ask { setup: &setup(pricing), query: &query, sort: &[], now: now() });
    view
}

fn shown(table: &Table, query: &str) -> usize {
    view(table, query, "both").shown()
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(20))]

    #[test]
    fn the_reasons_sum_up_to_what_is_hidden(
        parts in proptest::collection::vec(prop_oneof![
            Just("vram>=24"), Just("rel>95%"), Just("rel>97%?"), Just("down>=500mbps"), Just("region:eu|us"),
            Just("gpu:4090|3090"), Just("!host:3400"), Just("price<1$"), Just("gpus:1|2"), Just("provider:vast"),
            Just("(gpu:h100 or rel>99%)"), Just("!(verified:yes down>1gbps)"), Just("unknown:keep"), Just("4090"),
        ], 0..5),
        pricing in prop_oneof![Just("on-demand"), Just("spot"), Just("both")],
    ) {
        let mut parts = parts;
        parts.dedup();
        let text = parts.join(" ");
        let Ok(_) = Query::parse(&text) else { return Ok(()) };
        let table = table();
        let view = view(&table, &text, pricing);
        let why = market(&view, &table);
        let first: usize = why.conditions.iter().map(|c| c.first).sum();
        let before: usize = why.before.iter().map(|e| e.count).sum();
        prop_assert_eq!(first + before, why.total - why.shown);
        prop_assert_eq!(view.excluded().iter().map(|e| e.count).sum::<usize>(), why.total - why.shown);
        for condition in &why.conditions {
            prop_assert!(condition.alone <= condition.first);
            prop_assert!(condition.first <= condition.together);
            prop_assert!(condition.unknown <= condition.together);
        }
    }

    #[test]
    fn what_a_checklist_proposes_shows_its_offer(
        parts in proptest::collection::vec(prop_oneof![
            Just("vram>=80"), Just("rel>99.5%"), Just("rel<50%"), Just("down>=5000mbps"), Just("region:eu"),
            Just("price<0.2$"), Just("total<=1$"), Just("done<1h"), Just("gpus=8"), Just("gpu:h100|a100"),
            Just("!provider:vast"), Just("fit:yes"), Just("(gpu:h100 or rel>99%)"), Just("cuda>=13"),
        ], 1..5),
        pick in 0..1000usize,
    ) {
        let mut parts = parts;
        parts.sort_unstable();
        parts.dedup();
        let table = table();
        let view = view(&table, &parts.join(" "), "both");
        let lines = hidden(&view, &table, usize::MAX);
        let before: usize = view.excluded().iter().filter(|e| e.condition.is_none()).map(|e| e.count).sum();
        prop_assert_eq!(lines.len() + before, view.total() - view.shown());
        let Some(line) = lines.get(pick % lines.len().max(1)) else { return Ok(()) };
        let list = offer(&view, &table, line.row, line.kind);
        prop_assert!(!list.shown());
        for check in &list.checks {
            prop_assert_eq!(check.needed.is_some(), !check.passes(), "{:?}", check);
        }
        let query = list.query.clone().unwrap();
        let after = self::view(&table, &query, "both");
        let list = offer(&after, &table, line.row, line.kind);
        prop_assert!(list.shown(), "{} -> {}: {:?}", parts.join(" "), query, list);
        prop_assert_eq!(list.query, None);
    }

    #[test]
    fn a_relaxation_brings_exactly_what_it_says(
        parts in proptest::collection::vec(prop_oneof![
            Just("vram>=80"), Just("rel>99.5%"), Just("down>=5000mbps"), Just("region:eu"), Just("price<0.2$"),
            Just("gpus=8"), Just("gpu:h100"), Just("verified:yes"), Just("age<2h"),
        ], 1..4),
    ) {
        let mut parts = parts;
        parts.sort_unstable();
        parts.dedup();
        let text = parts.join(" ");
        let table = table();
        let view = view(&table, &text, "both");
        let why = market(&view, &table);
        for relaxation in &why.relaxations {
            let after = shown(&table, &relaxation.query);
            prop_assert_eq!(after, why.shown + relaxation.brings, "{} -> {}", text, relaxation.query);
            prop_assert!(relaxation.brings > 0);
        }
    }
}

#[test]
fn alone_means_that_dropping_it_shows_them() {
    let table = table();
    let text = "vram>=24 rel>97% region:eu";
    let before = view(&table, text, "both");
    let why = market(&before, &table);
    for (at, condition) in why.conditions.iter().enumerate() {
        let without = crate::market::query::replace_condition(text, at, "").unwrap();
        assert_eq!(shown(&table, &without), why.shown + condition.alone, "{without}");
    }
}

#[test]
fn near_misses_are_the_nearest() {
    let table = table();
    let view = view(&table, "rel>=99.9% provider:vast", "on-demand");
    let why = market(&view, &table);
    let rel = |line: &ViewRow| table.offer(line.row).unwrap().reliability.unwrap().get();
    let nearest: Vec<f64> = why.conditions[0].nearest.iter().map(|n| rel(&n.line)).collect();
    let mut all: Vec<f64> = table
        .rows()
        .filter_map(|r| table.offer(r))
        .filter(|o| o.provider == crate::offer::Provider::Vast)
        .filter_map(|o| o.reliability.map(crate::units::Share::get))
        .filter(|r| *r < 0.999)
        .collect();
    all.sort_by(|a, b| b.total_cmp(a));
    assert_eq!(nearest, all[..3]);
}

#[test]
fn an_offer_has_a_checklist() {
    let table = table();
    let view = view(&table, "provider:aws rel>95% vram>=1", "on-demand");
    let row = table.rows().find(|r| table.id(*r).unwrap().starts_with("aws:")).unwrap();
    let checks = offer(&view, &table, row, PriceKind::OnDemand).checks;
    let answers: Vec<CheckAnswer> = checks.iter().map(|c| c.answer).collect();
    assert_eq!(answers, [Passes, Passes, Passes, Unknown, Passes]);
    assert_eq!(checks[3].needed.as_deref(), Some("rel>95%?"));
    assert_eq!(checks[3].condition, "rel>95%");
    assert_eq!(checks[3].value.as_deref(), Some("?"));
}
