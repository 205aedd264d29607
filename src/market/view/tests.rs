use super::*;
use crate::market::column::{COLUMNS, Column};
use crate::market::query::{Field, Kind};
use crate::market::synthetic;
use crate::market::testing::{now, setup, setup_on};
use crate::offer::{Offer, Provider};
use crate::units::{Share, UsdPerHour};
use proptest::prelude::*;

fn table(count: usize, seed: u64) -> Table {
    let mut table = Table::new();
    table.insert(1, &synthetic::market(count, seed));
    table
}

fn refresh(view: &mut View, table: &Table, query: &str, pricing: &str, sort: &str) {
    let query = Query::parse(query).unwrap();
    let sort = SortKey::parse_list(sort).unwrap();
    view.refresh(table, &Ask { setup: &setup(pricing), query: &query, sort: &sort, now: now() });
}

fn view(table: &Table, query: &str, pricing: &str, sort: &str) -> View {
    let mut view = View::new();
    refresh(&mut view, table, query, pricing, sort);
    view
}

fn offers(view: &mut View, table: &Table) -> Vec<Offer> {
    let lines = view.window(table, 0, usize::MAX).to_vec();
    lines.iter().map(|l| table.offer(l.row).unwrap()).collect()
}

type Test<'a> = Box<dyn Fn(&Offer) -> bool + 'a>;

/// Filters computed without any of the code under test.
#[test]
fn each_filter_shows_what_a_plain_loop_finds() {
    let table = table(3000, 5);
    let all: Vec<Offer> = table.rows().filter_map(|r| table.offer(r)).collect();
    let rel = |o: &Offer| o.reliability.map(Share::get);
    let mbps = |o: &Offer| o.download.map(crate::units::Mbps::get);
    let country = |o: &Offer| o.place.country.map(|c| c.code().to_owned());
    let raw = |o: &Offer| o.hardware.gpu_raw.as_str().to_owned();
    let cases: Vec<(&str, Test<'_>)> = vec![
        ("", Box::new(|_| true)),
        ("rel>95%", Box::new(|o| rel(o).is_some_and(|r| r > 0.95))),
        ("rel>95%?", Box::new(|o| rel(o).is_none_or(|r| r > 0.95))),
        ("rel:unknown", Box::new(|o| rel(o).is_none())),
        ("!rel>95%", Box::new(|o| rel(o).is_some_and(|r| r <= 0.95))),
        ("!rel>95%?", Box::new(|o| rel(o).is_none_or(|r| r <= 0.95))),
        ("rel>95% unknown:keep", Box::new(|o| rel(o).is_none_or(|r| r > 0.95))),
        ("down>=1gbps", Box::new(|o| mbps(o).is_some_and(|d| d >= 1000.0))),
        ("gpus:1|2", Box::new(|o| o.hardware.gpus.unwrap() <= 2.0)),
        ("gpus=4..8", Box::new(|o| o.hardware.gpus.unwrap() >= 4.0)),
        ("provider:vast,aws", Box::new(|o| matches!(o.provider, Provider::Vast | Provider::Aws))),
        ("region:de|uk", Box::new(|o| matches!(country(o).as_deref(), Some("DE" | "GB")))),
        ("!country:US", Box::new(|o| country(o).as_deref() != Some("US"))),
        ("gpu:4090", Box::new(|o| raw(o) == "RTX 4090")),
        ("4090", Box::new(|o| raw(o) == "RTX 4090")),
        ("4090*", Box::new(|o| raw(o) == "RTX 4090")),
        ("a100", Box::new(|o| raw(o).contains("A100"))),
        ("A100*", Box::new(|o| raw(o).contains("A100"))),
        ("gpu:h100?sxm*", Box::new(|o| raw(o) == "H100 SXM")),
        ("rtx490", Box::new(|o| raw(o) == "RTX 4090")),
        ("verified:yes", Box::new(|o| o.verified == Some(true))),
        ("price<0.5", Box::new(|o| o.price.on_demand < Some(UsdPerHour::new(0.5)))),
        ("gpu:4090 or gpu:3090", Box::new(|o| raw(o) == "RTX 4090" || raw(o) == "RTX 3090")),
        ("!(gpu:4090 or gpu:3090)", Box::new(|o| raw(o) != "RTX 4090" && raw(o) != "RTX 3090")),
        ("age<30m", Box::new(|o| o.origin.fetched_at.age_at(now()) < 1800)),
    ];
    for (query, test) in cases {
        let expected = all.iter().filter(|o| test(o)).count();
        assert_eq!(view(&table, query, "on-demand", "").shown(), expected, "{query}");
    }
}

#[test]
fn vram_means_what_the_card_is_sold_as() {
    let table = table(2000, 5);
    let mut at_least = view(&table, "vram>=24 gpu:4090|l4|t4", "on-demand", "");
    let names: Vec<String> =
        offers(&mut at_least, &table).iter().map(|o| o.hardware.gpu_raw.to_string()).collect();
    assert!(names.iter().any(|n| n == "RTX 4090"), "23.99 GiB is a 24 GB card");
    assert!(names.iter().any(|n| n == "L4"), "22.49 GiB is a 24 GB card");
    assert!(names.iter().all(|n| n != "Tesla T4"));
    assert!(view(&table, "vram<=24 gpu:4090", "on-demand", "").shown() > 0);
    assert_eq!(view(&table, "vram>24 gpu:4090", "on-demand", "").shown(), 0);
}

/// A machine type of which nobody says what is inside: a row with a price and without a card.
#[test]
fn what_nobody_opens_is_shown_and_meets_no_filter_of_cards() {
    let mut untold = synthetic::offer(Provider::Azure, "NC8lds_xl/eastus");
    untold.hardware = crate::offer::Hardware::untold("Standard_NC8lds_xl_RTXPRO6000BSE_v6");
    let mut table = Table::new();
    table.insert(1, &[untold.clone(), synthetic::offer(Provider::Vast, "1-1")]);
    let row = table.find(&untold.id()).unwrap();
    assert_eq!(table.offer(row), Some(untold));
    let keys = |query: &str| -> Vec<String> {
        let mut view = view(&table, query, "on-demand", "total");
        offers(&mut view, &table).iter().map(|o| o.key.to_string()).collect()
    };
    assert_eq!(keys(""), ["1-1", "NC8lds_xl/eastus"], "an unknown total stands last");
    for query in ["gpus:1", "gpus<=1", "vram>=24", "vram<1000", "each<9", "fit:fits"] {
        assert_eq!(keys(query), ["1-1"], "{query}");
    }
    for query in ["gpus:unknown", "vram:unknown", "gpus:8 unknown:keep", "rtxpro6000", "gpus:8?"] {
        assert!(keys(query).contains(&"NC8lds_xl/eastus".to_owned()), "{query}");
    }
    let view = view(&table, "", "on-demand", "");
    let class = view.class_estimate(&table, row).unwrap();
    assert_eq!(class.fit.verdict, crate::estimate::fit::Verdict::Unknown);
    assert!(class.fit.reason.as_ref().unwrap().contains("not stated"));
    assert_eq!(class.speed.tokens_per_second, None);
}

#[test]
fn both_prices_are_rows_and_a_price_that_is_missing_hides_with_its_reason() {
    let table = table(1000, 9);
    let with_spot = table.rows().filter_map(|r| table.offer(r)).filter(|o| o.price.spot.is_some());
    let with_spot = with_spot.count();
    let both = view(&table, "", "both", "");
    assert_eq!((both.shown(), both.total()), (1000 + with_spot, 1000 + with_spot));
    let spot = view(&table, "", "spot", "");
    assert_eq!((spot.shown(), spot.total()), (with_spot, 1000));
    assert_eq!(spot.excluded()[0].reason, "no spot price");
    assert_eq!(spot.excluded()[0].count, 1000 - with_spot);
    let cheap = view(&table, "pricing:spot", "both", "");
    assert_eq!(cheap.shown(), with_spot);
}

#[test]
fn what_is_not_stated_is_counted_apart() {
    let table = table(1000, 9);
    let view = view(&table, "rel>95%", "on-demand", "");
    let silent = table.rows().filter_map(|r| table.offer(r)).filter(|o| o.reliability.is_none());
    let unknown: Vec<&Excluded> = view.excluded().iter().filter(|e| e.unknown).collect();
    assert_eq!(unknown.len(), 1);
    assert_eq!(
        (unknown[0].reason.as_str(), unknown[0].count),
        ("reliability unknown", silent.count())
    );
}

fn sorts() -> impl Strategy<Value = String> {
    let names: Vec<&'static str> =
        crate::market::query::FIELDS.iter().map(|f| f.name).chain(["runs"]).collect();
    proptest::collection::vec((0..names.len(), any::<bool>()), 0..3).prop_map(move |keys| {
        let key =
            |(at, down): (usize, bool)| format!("{}{}", if down { "-" } else { "" }, names[at]);
        keys.into_iter().map(key).collect::<Vec<_>>().join(",")
    })
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(20))]

    #[test]
    fn an_order_is_total_and_windows_are_its_slices(sort in sorts(), pricing in 0usize..3, offset in 0usize..2600, len in 0usize..400) {
        let pricing = ["on-demand", "spot", "both"][pricing];
        let table = table(2500, 21);
        let mut whole = view(&table, "rel>90%?", pricing, &sort);
        let lines = whole.window(&table, 0, usize::MAX).to_vec();
        prop_assert_eq!(lines.len(), whole.shown());
        let distinct: std::collections::HashSet<ViewRow> = lines.iter().copied().collect();
        prop_assert_eq!(distinct.len(), lines.len());
        let mut part = view(&table, "rel>90%?", pricing, &sort);
        let expected: Vec<ViewRow> = lines.iter().copied().skip(offset).take(len).collect();
        prop_assert_eq!(part.window(&table, offset, len).to_vec(), expected);
        if let Some(line) = lines.get(offset) {
            prop_assert_eq!(part.position_of(&table, line.row, line.kind), Some(offset));
        }
    }

    #[test]
    fn what_is_brought_up_to_date_equals_what_is_made_anew(seed in 0u64..1000, steps in proptest::collection::vec((0usize..6, 0usize..5, 0usize..4), 1..8)) {
        let queries = ["", "rel>95%", "total<5$ or fit:yes", "price<0.5 !gpu:4090", "age<40m unknown:keep", "new -x9"];
        let sorts = ["", "-rel,total", "gpu,price", "age", "provider,-down"];
        let pricings = ["on-demand", "spot", "both", "on-demand"];
        let mut table = Table::new();
        let mut kept = View::new();
        for (generation, (query, sort, pricing)) in steps.into_iter().enumerate() {
            let generation = generation as u64 + 1;
            let mut offers = synthetic::market(150 + generation as usize * 30, seed);
            for offer in offers.iter_mut().step_by(generation as usize + 1) {
                offer.price.on_demand = offer.price.on_demand.map(|p| p * 1.25);
            }
            offers.truncate(400);
            table.insert(generation, &offers);
            refresh(&mut kept, &table, queries[query], pricings[pricing], sorts[sort]);
            if generation.is_multiple_of(2) {
                table.finish(Provider::Vast, generation);
            }
            if generation.is_multiple_of(3) {
                table.look();
            }
            refresh(&mut kept, &table, queries[query], pricings[pricing], sorts[sort]);
            let mut fresh = view(&table, queries[query], pricings[pricing], sorts[sort]);
            prop_assert_eq!(kept.shown(), fresh.shown());
            prop_assert_eq!(kept.total(), fresh.total());
            prop_assert_eq!(kept.excluded(), fresh.excluded());
            prop_assert_eq!(kept.window(&table, 0, 500).to_vec(), fresh.window(&table, 0, 500).to_vec());
        }
    }
}

#[test]
fn sorted_figures_rise_and_unknown_ones_come_last() {
    let table = table(2000, 4);
    for (sort, down) in
        [("rel", false), ("-rel", true), ("down", false), ("price", false), ("-price", true)]
    {
        let mut view = view(&table, "", "on-demand", sort);
        let column = Column::from_name(sort.trim_start_matches('-')).unwrap();
        let lines = view.window(&table, 0, usize::MAX).to_vec();
        let figures: Vec<Option<f64>> = lines
            .iter()
            .map(|l| match view.cell(&table, *l, column).value {
                crate::market::column::CellValue::Number(v) => Some(v),
                _ => None,
            })
            .collect();
        let known = figures.iter().take_while(|f| f.is_some()).count();
        assert!(figures[known..].iter().all(Option::is_none), "{sort}");
        let known: Vec<f64> = figures[..known].iter().flatten().copied().collect();
        assert!(known.windows(2).all(|w| if down { w[0] >= w[1] } else { w[0] <= w[1] }), "{sort}");
        assert!(known.len() > 10);
    }
}

#[test]
fn every_column_has_a_cell_and_every_field_a_column() {
    let table = table(300, 2);
    let mut view = view(&table, "", "both", "");
    let lines = view.window(&table, 0, 300).to_vec();
    for column in COLUMNS {
        let mut known = 0;
        for line in &lines {
            let cell = view.cell(&table, *line, column);
            assert!(!cell.text.contains("NaN") && !cell.text.contains("inf"), "{}", cell.text);
            known += usize::from(!cell.is_unknown());
        }
        let silent = matches!(
            column.field,
            Field::Type
                | Field::Fit
                | Field::Need
                | Field::Headroom
                | Field::Speed
                | Field::Hours
                | Field::Total
                | Field::Fetch
                | Field::FetchTime
                | Field::Minimum
        );
        assert!(known > 0 || silent, "{}", column.name());
    }
    for info in crate::market::query::FIELDS {
        assert!(Column::of(info.field).is_some(), "{}", info.name);
        assert!(!matches!(info.kind, Kind::Choice(words) if words.is_empty()));
    }
}

#[test]
fn one_figure_is_read_as_all_of_them_are() {
    let table = table(200, 6);
    let view = view(&table, "", "both", "");
    for kind in view.kinds() {
        let frame = view.frame(&table, kind).unwrap();
        for info in crate::market::query::FIELDS {
            let Some(source) = crate::market::eval::source(info.field, &frame) else { continue };
            for slot in 0..200 {
                let one = crate::market::eval::figure(info.field, &frame, slot).unwrap();
                assert_eq!(one.to_bits(), source.get(slot).to_bits(), "{}", info.name);
            }
        }
    }
}

#[test]
fn the_figures_that_rank_are_those_of_the_bill() {
    let table = table(2000, 8);
    let mut view = view(&table, "", "both", "");
    let lines = view.window(&table, 0, usize::MAX).to_vec();
    let figure = |line: ViewRow, field: Field| match view
        .cell(&table, line, Column::of(field).unwrap())
        .value
    {
        crate::market::column::CellValue::Number(v) => Some(v),
        _ => None,
    };
    let mut known = 0;
    for line in lines {
        let quote = view.row_quote(&table, line.row, line.kind).unwrap();
        assert_eq!(figure(line, Field::Total), quote.total.map(|t| t.expected.get()));
        assert_eq!(figure(line, Field::Hours), quote.hours.map(|h| h.expected.get()));
        assert_eq!(figure(line, Field::FetchTime), quote.fetch.map(crate::units::Hours::get));
        known += usize::from(quote.total.is_some());
    }
    let cards = crate::gpu::catalogue().iter().count();
    assert_eq!(known > 500, cards > 0, "{known} totals are known");
}

#[test]
fn a_disk_that_is_too_small_for_the_job_is_flagged() {
    let table = table(800, 3);
    let setup = setup_on("on-demand", "1tb");
    let ask = |query: &str| {
        let query = Query::parse(query).unwrap();
        let mut view = View::new();
        view.refresh(&table, &Ask { setup: &setup, query: &query, sort: &[], now: now() });
        view
    };
    let mut short = ask("flag:disk-short");
    let lines = short.window(&table, 0, usize::MAX).to_vec();
    assert!(!lines.is_empty());
    for line in &lines {
        assert!(short.row_quote(&table, line.row, line.kind).unwrap().disk_short);
        let cell = short.cell(&table, *line, Column::of(Field::Flag).unwrap());
        assert!(cell.text.contains("disk-short"), "{}", cell.text);
    }
    let all = ask("");
    let rows = table.rows().filter_map(|r| all.row_quote(&table, r, PriceKind::OnDemand));
    assert_eq!(rows.filter(|q| q.disk_short).count(), lines.len());
}

/// The default order by the book: every line quoted, all of them sorted.
fn by_the_book(view: &View, table: &Table) -> Vec<ViewRow> {
    let mut lines: Vec<ViewRow> = Vec::new();
    for kind in view.kinds() {
        lines.extend(table.rows().map(|row| ViewRow { row, kind }));
    }
    lines.retain(|l| {
        let price = table.offer(l.row).unwrap().price;
        match l.kind {
            PriceKind::Spot => price.spot.is_some(),
            PriceKind::OnDemand => price.on_demand.is_some() || price.spot.is_none(),
        }
    });
    let unknown_last = |v: Option<f64>| v.filter(|v| v.is_finite()).unwrap_or(f64::INFINITY);
    let weigh = |l: &ViewRow| {
        use crate::estimate::fit::Verdict;
        let offer = table.offer(l.row).unwrap();
        let class = view.class_estimate(table, l.row).unwrap();
        let quote = view.row_quote(table, l.row, l.kind).unwrap();
        let runs = match class.fit.verdict {
            _ if quote.disk_short || quote.never_finishes => 2.0,
            Verdict::Fits | Verdict::Tight => 0.0,
            Verdict::Unknown => 1.0,
            Verdict::No => 2.0,
        };
        let price = match l.kind {
            PriceKind::OnDemand => offer.price.on_demand,
            PriceKind::Spot => offer.price.spot,
        };
        let figures = [
            runs,
            unknown_last(quote.total.map(|t| t.expected.get())),
            unknown_last(quote.hours.map(|h| h.expected.get())),
            unknown_last(class.fit.headroom_gib().map(|h| -h)),
            unknown_last(price.map(UsdPerHour::get)),
            offer.origin.fetched_at.age_at(now()) as f64,
        ];
        (figures, offer.provider as usize, offer.key.as_str().to_owned(), l.kind as usize)
    };
    let mut weighed: Vec<_> = lines.into_iter().map(|l| (weigh(&l), l)).collect();
    weighed.sort_by(|(a, _), (b, _)| {
        let figures = a.0.iter().zip(&b.0).map(|(x, y)| x.total_cmp(y));
        let order = figures.fold(std::cmp::Ordering::Equal, std::cmp::Ordering::then);
        order.then_with(|| (a.1, &a.2, a.3).cmp(&(b.1, &b.2, b.3)))
    });
    weighed.into_iter().map(|(_, l)| l).collect()
}

#[test]
fn the_first_lines_are_those_that_pricing_every_line_finds() {
    for (count, seed, pricing) in [(900, 31, "on-demand"), (700, 32, "both"), (900, 33, "spot")] {
        let table = table(count, seed);
        let mut lazy = view(&table, "", pricing, "");
        let expected = by_the_book(&lazy, &table);
        // Only the top is asked for, so most rows are never priced.
        let top = lazy.window(&table, 0, 30).to_vec();
        assert_eq!(top, expected[..30.min(expected.len())], "{pricing}");
        assert!(!lazy.pricings().unwrap().is_whole(&table), "{pricing}: priced without need");
        assert_eq!(lazy.window(&table, 0, usize::MAX).to_vec(), expected, "{pricing}");
    }
}

/// A job that cannot run on an offer has no finished job to compare, whichever way one asks.
#[test]
fn what_cannot_run_never_ranks_above_what_can() {
    use crate::estimate::fit::Verdict;
    let table = table(900, 41);
    for (sort, pricing) in [("total", "both"), ("-total", "spot"), ("hours", "both"), ("", "both")]
    {
        let (setup, query) = (setup_on(pricing, "1tb"), Query::default());
        let sort = SortKey::parse_list(sort).unwrap();
        let mut view = View::new();
        view.refresh(&table, &Ask { setup: &setup, query: &query, sort: &sort, now: now() });
        let lines = view.window(&table, 0, usize::MAX).to_vec();
        let ranks = lines.iter().filter_map(|l| {
            let quote = view.row_quote(&table, l.row, l.kind)?;
            quote.total?;
            Some(match view.class_estimate(&table, l.row)?.fit.verdict {
                _ if quote.disk_short => 2,
                Verdict::Fits | Verdict::Tight => 0,
                Verdict::Unknown => 1,
                Verdict::No => 2,
            })
        });
        let ranks: Vec<u8> = ranks.collect();
        assert!(ranks.is_sorted(), "{sort:?}");
        assert!(ranks.contains(&0) && ranks.contains(&2), "{sort:?}: nothing to tell apart");
    }
}

#[test]
fn a_bound_is_never_above_the_total() {
    let table = table(1500, 12);
    for (pricing, disk) in [("on-demand", "100gb"), ("both", "1tb"), ("spot", "50gb")] {
        let setup = setup_on(pricing, disk);
        let mut view = View::new();
        let query = Query::default();
        view.refresh(&table, &Ask { setup: &setup, query: &query, sort: &[], now: now() });
        let mut known = 0;
        for kind in view.kinds() {
            let priced = view.frame(&table, kind).unwrap().priced;
            assert!(priced.bounded);
            for slot in 0..table.slots() {
                let (bound, total) = (priced.at_least(slot), priced.figures(slot).total);
                // A total that is unknown for another reason than these two has a bound all the same.
                assert!(!bound.is_nan() || total.is_nan(), "slot {slot}: {bound} {total}");
                assert!(total.is_nan() || bound <= total, "slot {slot}: {bound} > {total}");
                known += usize::from(!total.is_nan());
            }
        }
        assert!(known > 100 || crate::gpu::catalogue().iter().count() == 0);
    }
}

#[test]
fn a_fee_below_zero_leaves_no_bound_to_rely_on() {
    let mut offers = synthetic::market(600, 44);
    for offer in offers.iter_mut().step_by(7) {
        offer.fees.ingress = Some(crate::units::UsdPerGb::new(-0.02));
    }
    let mut table = Table::new();
    table.insert(1, &offers);
    let mut view = view(&table, "", "on-demand", "");
    let expected = by_the_book(&view, &table);
    assert_eq!(view.window(&table, 0, 25).to_vec(), expected[..25]);
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(24))]

    /// One view that is asked one thing after the other, with rests in between in which it prepares
    /// what may come, shows what a new view shows.
    #[test]
    fn preparing_changes_nothing_that_is_shown(
        seed in 0u64..1000,
        steps in proptest::collection::vec((0usize..5, 0usize..6, 0usize..3, 0usize..700, 0usize..30), 1..7),
    ) {
        let queries = ["", "rel>95%?", "total<9$", "rtx", "hours<20 fetch<50%"];
        let sorts = ["", "total", "-total", "hours,price", "region,total", "-down"];
        let setups = [setup("on-demand"), setup("both"), setup_on("on-demand", "400gb")];
        let table = table(600, seed);
        let mut kept = View::new();
        for (query, sort, setup, offset, rest) in steps {
            let query = Query::parse(queries[query]).unwrap();
            let sort = SortKey::parse_list(sorts[sort]).unwrap();
            let ask = Ask { setup: &setups[setup], query: &query, sort: &sort, now: now() };
            kept.refresh(&table, &ask);
            let top = kept.window(&table, 0, 20).to_vec();
            for _ in 0..rest {
                if !kept.prepare(&table) {
                    break;
                }
            }
            let mut fresh = View::new();
            fresh.refresh(&table, &ask);
            prop_assert_eq!(kept.shown(), fresh.shown());
            prop_assert_eq!(kept.excluded(), fresh.excluded());
            prop_assert_eq!(&top, &fresh.window(&table, 0, 20).to_vec());
            prop_assert_eq!(kept.window(&table, offset, 25).to_vec(), fresh.window(&table, offset, 25).to_vec());
            if let Some(line) = fresh.window(&table, offset, 1).first().copied() {
                prop_assert_eq!(kept.position_of(&table, line.row, line.kind), Some(offset));
            }
        }
    }
}
