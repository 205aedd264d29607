//! Walking a market of which each answer shows only so many rows, cheapest first: which price to ask
//! from next, and how much of the market has been seen.
//!
//! The first answers are spread over the prices at which cards are rented, so that every kind of
//! card is seen before the rate limit ends the walk; what is left of it goes to the gap that
//! probably hides the most rows.

/// $/h from which the first answers are asked: the cheapest cards, then about doubling.
const SPREAD: [f64; 8] = [0.0, 0.15, 0.3, 0.5, 0.9, 1.7, 3.3, 8.0];
/// Smallest step of the cursor, where a whole page has one price.
const STEP: f64 = 1e-9;

/// A stretch of prices that has been seen.
#[derive(Clone, Copy, Debug, PartialEq)]
struct Seen {
    from: f64,
    /// Exclusive; infinite when the market ends there.
    to: f64,
    first_row: f64,
    rows: usize,
}

/// What has been seen of a market.
#[derive(Clone, Debug, Default)]
pub(super) struct Walk {
    seen: Vec<Seen>,
}

impl Walk {
    /// The price to ask from next. `None` when nothing is left.
    pub(super) fn next(&self) -> Option<f64> {
        let fresh = SPREAD.iter().copied().find(|p| !self.covers(*p));
        if fresh.is_some() && self.seen.last().is_none_or(|s| s.to.is_finite()) {
            return fresh;
        }
        self.gaps().into_iter().max_by(|a, b| a.1.total_cmp(&b.1)).map(|(from, _)| from)
    }

    /// Takes note of an answer to the question from `from`: its rows, the prices of the first and
    /// the last of them, and whether more may follow.
    pub(super) fn note(&mut self, from: f64, rows: usize, prices: Option<(f64, f64)>, full: bool) {
        let (first_row, last) = prices.unwrap_or((from, from));
        let to = match full {
            true if last > from => last,
            true => from + STEP.max(from * STEP),
            false => f64::INFINITY,
        };
        self.seen.push(Seen { from, to, first_row, rows });
        self.seen.sort_by(|a, b| a.from.total_cmp(&b.from));
    }

    fn covers(&self, price: f64) -> bool {
        self.seen.iter().any(|s| s.from <= price && price < s.to)
    }

    /// Share of the market that was seen: exact when no gap is left, otherwise estimated.
    pub(super) fn share(&self) -> f64 {
        let seen: usize = self.seen.iter().map(|s| s.rows).sum();
        let hidden: f64 = self.gaps().iter().map(|(_, rows)| rows).sum();
        if hidden > 0.0 { seen as f64 / (seen as f64 + hidden) } else { 1.0 }
    }

    /// The stretches between what was seen: where they begin, and how many rows they probably hide
    /// (the mean density of their neighbours, per doubling of the price).
    fn gaps(&self) -> Vec<(f64, f64)> {
        let mut gaps = Vec::new();
        let mut reached: Option<Seen> = None;
        for seen in &self.seen {
            if let Some(before) = reached.filter(|b| b.to < seen.from) {
                let width = octaves(before.to, seen.from);
                let rows = f64::midpoint(density(before), density(*seen)) * width;
                gaps.push((before.to, rows.max(1.0)));
            }
            reached = reached.filter(|b| b.to > seen.to).or(Some(*seen));
        }
        if let Some(last) = reached.filter(|b| b.to.is_finite()) {
            gaps.push((last.to, density(last).max(1.0)));
        }
        gaps
    }
}

fn octaves(from: f64, to: f64) -> f64 {
    (to.max(1e-6) / from.max(1e-6)).log2().max(0.0)
}

/// Rows per doubling of the price.
fn density(seen: Seen) -> f64 {
    let from = seen.first_row.max(seen.from).max(1e-3);
    let width = if seen.to.is_finite() { octaves(from, seen.to) } else { 1.0 };
    seen.rows as f64 / width.max(0.01)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use std::collections::BTreeSet;

    /// Walks over `market` (sorted) with pages of 64, at most `pages` of them.
    fn walk(market: &[f64], pages: usize) -> (Walk, BTreeSet<usize>, usize) {
        let (mut walk, mut found, mut asked) = (Walk::default(), BTreeSet::new(), 0);
        while let Some(from) = walk.next().filter(|_| asked < pages) {
            asked += 1;
            let start = market.partition_point(|p| *p < from);
            let page = &market[start..(start + 64).min(market.len())];
            found.extend(start..start + page.len());
            let prices = page.first().copied().zip(page.last().copied());
            walk.note(from, page.len(), prices, page.len() == 64);
        }
        (walk, found, asked)
    }

    #[test]
    fn a_small_market_takes_one_answer() {
        let market: Vec<f64> = (0..50).map(|i| 0.1 + f64::from(i) * 0.1).collect();
        let (walk, found, asked) = walk(&market, 10);
        assert_eq!((found.len(), asked), (50, 1));
        assert_eq!(walk.share(), 1.0);
    }

    #[test]
    fn a_market_of_three_hundred_is_covered_within_ten_answers() {
        let market: Vec<f64> = (0..300).map(|i| 0.05 * 1.02f64.powi(i)).collect();
        let (walk, found, asked) = walk(&market, 10);
        assert_eq!(found.len(), 300, "{asked} answers");
        assert_eq!(walk.share(), 1.0);
    }

    #[test]
    fn of_a_large_market_every_price_range_is_seen_and_the_share_is_about_right() {
        let market: Vec<f64> =
            (0..7000).map(|i| 0.04 * 600f64.powf(f64::from(i) / 7000.0)).collect();
        let (walk, found, _) = walk(&market, 10);
        let truth = found.len() as f64 / 7000.0;
        assert!((walk.share() / truth - 1.0).abs() < 0.3, "{} against {truth}", walk.share());
        for price in [0.04, 0.16, 0.31, 0.51, 0.91, 1.71, 3.31, 8.1] {
            assert!(found.iter().any(|i| (market[*i] / price - 1.0).abs() < 0.05), "{price}");
        }
    }

    #[test]
    fn a_page_of_one_price_does_not_stop_the_walk() {
        let mut market = vec![0.15; 100];
        market.extend([0.2, 0.3]);
        let (walk, found, _) = walk(&market, 20);
        assert!(found.contains(&101));
        assert!(walk.next().is_none());
    }

    proptest! {
        #[test]
        fn it_ends_and_finds_what_it_says(mut market in prop::collection::vec(0.01f64..20.0, 0..1500)) {
            market.sort_by(f64::total_cmp);
            let (walk, found, asked) = walk(&market, 200);
            prop_assert!(asked < 200);
            prop_assert!(walk.next().is_none());
            prop_assert_eq!(found.len(), market.len());
        }
    }
}
