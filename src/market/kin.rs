//! Offers beside an offer: the same hardware in other places, and other numbers of the same card.

use super::table::RowId;
use super::{Table, View, ViewRow};
use crate::estimate::quote::PriceKind;
use crate::estimate::scaling::{self, Count};
use crate::offer::Offer;
use crate::setup::Setup;
use crate::units::{Hours, Usd, UsdPerHour, hours, usd, usd_per_hour};
use std::collections::HashMap;

/// The cheapest job on the same hardware at one place of one provider.
#[derive(Clone, Debug, PartialEq)]
pub struct Elsewhere {
    /// Which line.
    pub line: ViewRow,
    /// Its offer.
    pub offer: Offer,
    /// Price per hour, of the kind of the line.
    pub price: Option<UsdPerHour>,
    /// Expected total.
    pub total: Option<Usd>,
    /// Expected hours.
    pub hours: Option<Hours>,
    /// Offers of this hardware there.
    pub offers: usize,
    /// The query shows the line.
    pub shown: bool,
    /// It is the place of the offer that was asked about.
    pub own: bool,
}

/// The heads of [`Elsewhere::cells`]; `>` heads a column of figures.
pub const ELSEWHERE: [&str; 8] =
    ["provider", "place", "offer", ">offers", ">$/h", ">hours", ">total", ""];

impl Elsewhere {
    /// The cells of a table of places.
    pub fn cells(&self) -> [String; 8] {
        let unknown = || "?".to_string();
        let kind = if self.line.kind == PriceKind::Spot { "spot" } else { "" };
        let remark = match (self.own, self.shown) {
            (true, _) => "here",
            (false, true) => "",
            (false, false) => "hidden by the query",
        };
        let remark = [kind, remark].into_iter().filter(|w| !w.is_empty()).collect::<Vec<_>>();
        let place = self.offer.place.raw.to_string();
        [
            self.offer.provider.name().to_string(),
            if place.is_empty() { unknown() } else { place },
            self.offer.id(),
            self.offers.to_string(),
            self.price.map_or_else(unknown, usd_per_hour),
            self.hours.map_or_else(unknown, hours),
            self.total.map_or_else(unknown, usd),
            remark.join(", "),
        ]
    }
}

/// The cheapest line at a place so far.
struct Best {
    row: RowId,
    kind: PriceKind,
    total: f64,
    hours: f64,
    shown: bool,
    offers: usize,
}

impl Best {
    /// Cheaper, or as cheap and faster; what has no total is last.
    fn is_beaten_by(&self, total: f64, hours: f64) -> bool {
        let key = |v: f64| if v.is_finite() { v } else { f64::INFINITY };
        (key(total), key(hours)) < (key(self.total), key(self.hours))
    }
}

impl View {
    /// The same card in the same number at every place of every provider, hidden by the query or
    /// not: the cheapest job of each place, cheapest first. Empty where the card is not known.
    pub fn elsewhere(&self, table: &Table, line: ViewRow) -> Vec<Elsewhere> {
        let own = table.class_code(line.row).and_then(|code| table.classes().get(code));
        let (Some(own), Some(pricings)) = (own.filter(|c| c.gpu.is_some()), self.pricings()) else {
            return Vec::new();
        };
        let alike: Vec<bool> =
            table.classes().iter().map(|c| c.gpu == own.gpu && c.gpus == own.gpus).collect();
        let columns = table.columns();
        let mut best: HashMap<_, Best> = HashMap::new();
        for row in table.rows() {
            let Some(slot) = table.slot(row) else { continue };
            let class = columns.class.get(slot).map(|c| *c as usize);
            if !class.and_then(|c| alike.get(c)).is_some_and(|alike| *alike) {
                continue;
            }
            let key = (columns.provider.get(slot), columns.place.get(slot));
            for (at, plane) in pricings.planes.iter().enumerate() {
                if !self.filter().base().get(at).is_some_and(|lines| lines.has(slot)) {
                    continue;
                }
                let figures = pricings.priced(table, plane).figures(slot);
                let (total, hours) = (figures.total, figures.hours);
                let shown = self.filter().is_shown(at, slot);
                let found = Best { row, kind: plane.kind, total, hours, shown, offers: 0 };
                let place = best.entry(key).or_insert(Best { total: f64::NAN, ..found });
                place.offers += usize::from(at == 0 || pricings.planes.len() == 1);
                if place.is_beaten_by(total, hours) {
                    *place = Best { offers: place.offers, ..found };
                }
            }
        }
        let here = table.slot(line.row).map(|s| (columns.provider.get(s), columns.place.get(s)));
        let mut places: Vec<Elsewhere> = best
            .into_iter()
            .filter_map(|(key, best)| place(table, &best, Some(key) == here))
            .collect();
        places.sort_by(|a, b| {
            let key = |e: &Elsewhere| {
                let or_last = |v: Option<f64>| v.unwrap_or(f64::INFINITY);
                [
                    or_last(e.total.map(Usd::get)),
                    or_last(e.hours.map(Hours::get)),
                    or_last(e.price.map(UsdPerHour::get)),
                ]
            };
            let (left, right) = (key(a), key(b));
            let order = left.iter().zip(&right).map(|(l, r)| l.total_cmp(r)).find(|o| o.is_ne());
            order.unwrap_or_else(|| a.offer.key.cmp(&b.offer.key))
        });
        places
    }
}

fn place(table: &Table, best: &Best, own: bool) -> Option<Elsewhere> {
    let offer = table.offer(best.row)?;
    let price = match best.kind {
        PriceKind::OnDemand => offer.price.on_demand,
        PriceKind::Spot => offer.price.spot,
    };
    Some(Elsewhere {
        line: ViewRow { row: best.row, kind: best.kind },
        offer,
        price,
        total: best.total.is_finite().then(|| Usd::new(best.total)),
        hours: best.hours.is_finite().then(|| Hours::new(best.hours)),
        offers: best.offers,
        shown: best.shown,
        own,
    })
}

/// The job on 1, 2, 4 and 8 GPUs of the kind of `offer`, and the row that each is made of: same
/// card, provider and place.
pub fn scaling(
    table: &Table,
    setup: &Setup,
    offer: &Offer,
    kind: PriceKind,
) -> Vec<(Count, Option<RowId>)> {
    let alike: Vec<bool> =
        table.classes().iter().map(|c| c.gpu.is_some() && c.gpu == offer.hardware.gpu).collect();
    let id = offer.id();
    let same_card =
        |row: &RowId| table.class_code(*row).and_then(|c| alike.get(c)).is_some_and(|alike| *alike);
    let mut kin: Vec<(Option<RowId>, Offer)> = vec![(table.find(&id), offer.clone())];
    for row in table.rows().filter(same_card) {
        let found = table
            .offer(row)
            .filter(|o| o.provider == offer.provider && o.place == offer.place && o.id() != id);
        kin.extend(found.map(|o| (Some(row), o)));
    }
    let offers: Vec<&Offer> = kin.iter().map(|(_, offer)| offer).collect();
    let row = |i: usize| kin.get(i).and_then(|(row, _)| *row);
    scaling::compare(setup, &offers, kind)
        .into_iter()
        .map(|count| {
            let row = count.offer.and_then(row);
            (count, row)
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::market::{Ask, Query, synthetic};
    use crate::setup::Draft;
    use crate::units::UnixSeconds;
    use std::collections::BTreeMap;

    /// Every place, its cheapest total and its number of offers, counted apart from the view.
    #[test]
    fn every_place_with_the_same_hardware_is_listed_cheapest_first() {
        let mut table = Table::new();
        table.insert(1, &synthetic::market(600, 3));
        let draft = Draft::default();
        let model = crate::model::find(draft.model_name()).unwrap();
        let setup = draft.resolve(model).unwrap();
        let query = Query::parse("rel>95%").unwrap();
        let mut view = View::new();
        let now = UnixSeconds(synthetic::MADE_AT + 60);
        view.refresh(&table, &Ask { setup: &setup, query: &query, sort: &[], now });
        let line = view
            .points(&table)
            .into_iter()
            .map(|p| p.line)
            .max_by_key(|line| view.elsewhere(&table, *line).len())
            .unwrap();
        let offer = table.offer(line.row).unwrap();
        let mut places: BTreeMap<String, (f64, usize)> = BTreeMap::new();
        for row in table.rows() {
            let other = table.offer(row).unwrap();
            let same = other.hardware.gpu == offer.hardware.gpu
                && other.hardware.gpus == offer.hardware.gpus
                && other.price.on_demand.is_some();
            if same {
                let quote = view.row_quote(&table, row, PriceKind::OnDemand).unwrap();
                let total = quote.total.map_or(f64::INFINITY, |t| t.expected.get());
                let key = format!("{} {}", other.provider.name(), other.place.raw);
                let entry = places.entry(key).or_insert((f64::INFINITY, 0));
                *entry = (entry.0.min(total), entry.1 + 1);
            }
        }
        let found = view.elsewhere(&table, line);
        assert!(found.len() > 3);
        assert_eq!(found.len(), places.len());
        for place in &found {
            let key = format!("{} {}", place.offer.provider.name(), place.offer.place.raw);
            let (total, offers) = places[&key];
            assert_eq!(place.offers, offers, "{key}");
            assert!((place.total.unwrap().get() - total).abs() < 1e-9, "{key}");
        }
        assert!(found.is_sorted_by_key(|p| p.total.unwrap().get()));
        assert_eq!(found.iter().filter(|p| p.own).count(), 1);
        let hidden = |p: &&Elsewhere| p.offer.reliability.is_none_or(|r| r.get() <= 0.95);
        assert!(found.iter().filter(|p| !p.shown).all(|p| hidden(&p)));
    }
}
