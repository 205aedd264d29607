//! Which places a query may show, by its conditions on places alone: for sources that ask region by
//! region, before there are offers.

use super::{Answer, region};
use crate::market::query::{Expr, Field, Item, Query, Test};
use crate::offer::Place;

impl Query {
    /// May an offer at `place` be shown, as far as the conditions on places say?
    pub fn may_show(&self, place: &Place) -> bool {
        self.conditions().iter().all(|condition| outcomes(condition, place).holds)
    }
}

/// What may come of a condition when nothing but the place is known.
#[derive(Clone, Copy)]
struct Outcomes {
    holds: bool,
    fails: bool,
}

fn outcomes(expr: &Expr, place: &Place) -> Outcomes {
    let of = |list: &[Expr]| -> Vec<Outcomes> { list.iter().map(|e| outcomes(e, place)).collect() };
    match expr {
        Expr::And(list) => {
            let list = of(list);
            Outcomes { holds: list.iter().all(|o| o.holds), fails: list.iter().any(|o| o.fails) }
        }
        Expr::Or(list) => {
            let list = of(list);
            Outcomes { holds: list.iter().any(|o| o.holds), fails: list.iter().all(|o| o.fails) }
        }
        Expr::Not(inner) => {
            let Outcomes { holds, fails } = outcomes(inner, place);
            Outcomes { holds: fails, fails: holds }
        }
        Expr::Test(condition) => match (&condition.field, &condition.test) {
            (Field::Region, Test::OneOf { items, exact }) => one_of(items, *exact, place),
            _ => Outcomes { holds: true, fails: true },
        },
        Expr::Word { .. } => Outcomes { holds: true, fails: true },
    }
}

fn one_of(items: &[Item], exact: bool, place: &Place) -> Outcomes {
    let at = (place.raw.as_str(), place.country, place.continent);
    let mut all = Outcomes { holds: false, fails: true };
    for item in items {
        let Item::Matches(pattern) = item else { return Outcomes { holds: true, fails: true } };
        match region::answer(pattern, exact, at) {
            Answer::Yes => return Outcomes { holds: true, fails: false },
            Answer::No => {}
            Answer::Unknown => all.holds = true,
        }
    }
    all
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn places_in_view_are_told_from_the_query_alone() {
        for (query, frankfurt, virginia) in [
            ("", true, true),
            ("rel>95% gpu:h100", true, true),
            ("region:eu", true, false),
            ("region:eu price<2", true, false),
            ("region:us-east-1", false, true),
            ("!region:de", false, true),
            ("region:de or region:us", true, true),
            ("region:de or gpu:h100", true, true),
            ("not (region:us or price>3)", true, false),
            ("region:cn", false, false),
        ] {
            let asked = Query::parse(query).unwrap();
            assert_eq!(asked.may_show(&Place::aws("eu-central-1")), frankfurt, "{query}");
            assert_eq!(asked.may_show(&Place::aws("us-east-1")), virginia, "{query}");
        }
    }
}
