//! What stands beside an offer: the same hardware elsewhere, or other numbers of the same card.

use super::desk::Desk;
use super::facts::verdict_word;
use crate::estimate::scaling::{Count, cheapest_count};
use crate::market::kin::{ELSEWHERE, Elsewhere};
use crate::market::{RowId, ViewRow};
use crate::units::{Usd, hours, usd};

/// Which of the two.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum AroundKind {
    /// Other places.
    Elsewhere,
    /// Other numbers.
    Counts,
}

/// The page.
#[derive(Clone, Debug, PartialEq)]
pub struct AroundPage {
    /// What is compared.
    pub kind: AroundKind,
    /// Beside which line.
    pub line: ViewRow,
    /// Its offer.
    pub id: String,
    /// Its hardware, in words.
    pub hardware: String,
    /// Places, when it is about places.
    pub places: Vec<Elsewhere>,
    /// Numbers, when it is about numbers.
    pub counts: Vec<(Count, Option<RowId>)>,
    /// The ids of the offers that the numbers are made of.
    ids: Vec<Option<String>>,
    /// The selected line.
    pub at: usize,
}

/// The heads of the table of numbers; `>` heads a column of figures.
pub const COUNTS: [&str; 7] =
    [">GPUs", "divided by", "fit", ">hours", ">total", ">$ per hour saved", "offer"];

impl AroundPage {
    /// What stands beside a line of `desk`; `None` when its offer is gone.
    pub fn new(desk: &Desk, kind: AroundKind, line: ViewRow) -> Option<AroundPage> {
        let (view, table) = (desk.view(), desk.table());
        let offer = table.offer(line.row)?;
        let card = crate::market::column::card_name(&offer);
        let hardware = match kind {
            AroundKind::Elsewhere => format!("{}× {card}", offer.hardware.count()),
            AroundKind::Counts => card.to_string(),
        };
        let mut page = AroundPage {
            kind,
            line,
            id: offer.id(),
            hardware,
            places: Vec::new(),
            counts: Vec::new(),
            ids: Vec::new(),
            at: 0,
        };
        match kind {
            AroundKind::Elsewhere => {
                page.places = view.elsewhere(table, line);
                page.at = page.places.iter().position(|p| p.own).unwrap_or(0);
            }
            AroundKind::Counts => {
                let counts = crate::market::kin::scaling(table, desk.setup(), &offer, line.kind);
                let id = |row: Option<RowId>| row.and_then(|row| table.id(row));
                page.ids = counts.iter().map(|(_, row)| id(*row)).collect();
                let own = |(c, _): &(Count, _)| Some(f64::from(c.gpus)) == offer.hardware.gpus;
                page.at = counts.iter().position(own).unwrap_or(0);
                page.counts = counts;
            }
        }
        Some(page)
    }

    /// The market or the setup has changed.
    pub fn renew(&mut self, desk: &Desk) {
        if let Some(page) = AroundPage::new(desk, self.kind, self.line) {
            let last = page.len().saturating_sub(1);
            *self = AroundPage { at: self.at.min(last), ..page };
        }
    }

    /// The heading.
    pub fn title(&self) -> String {
        match self.kind {
            AroundKind::Elsewhere => format!("{} elsewhere, cheapest job first", self.hardware),
            AroundKind::Counts => format!("How many {}?", self.hardware),
        }
    }

    /// Lines.
    pub fn len(&self) -> usize {
        self.places.len() + self.counts.len()
    }

    /// Nothing to compare with?
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// The heads of the columns.
    pub fn heads(&self) -> &'static [&'static str] {
        match self.kind {
            AroundKind::Elsewhere => &ELSEWHERE,
            AroundKind::Counts => &COUNTS,
        }
    }

    /// The cells of every line.
    pub fn rows(&self) -> Vec<Vec<String>> {
        match self.kind {
            AroundKind::Elsewhere => self.places.iter().map(|p| p.cells().to_vec()).collect(),
            AroundKind::Counts => self.counts.iter().zip(&self.ids).map(count_cells).collect(),
        }
    }

    /// What it comes to, in words.
    pub fn words(&self) -> String {
        match self.kind {
            AroundKind::Elsewhere => {
                match (self.places.first(), self.places.iter().find(|p| p.own)) {
                    (None, _) => "no other place is known for this hardware".to_string(),
                    (Some(first), _) if first.total.is_none() => {
                        "the total of the job is not known on this hardware".to_string()
                    }
                    (Some(first), _) if first.own => {
                        "nowhere is this hardware cheaper for the job".to_string()
                    }
                    (Some(first), own) => {
                        let less = own
                            .and_then(|own| Some(own.total?.get() - first.total?.get()))
                            .map_or_else(String::new, |v| format!(", {} less", usd(Usd::new(v))));
                        let place = &first.offer.place.raw;
                        format!("cheapest at {}, {place}{less}", first.offer.provider.name())
                    }
                }
            }
            AroundKind::Counts => scaling_words(self.counts.iter().map(|(count, _)| count)),
        }
    }

    /// The line of the table that the selected line is made of.
    pub fn picked(&self) -> Option<ViewRow> {
        let count = self.counts.get(self.at).and_then(|(_, row)| *row);
        let count = count.map(|row| ViewRow { row, kind: self.line.kind });
        self.places.get(self.at).map(|p| p.line).or(count)
    }
}

fn count_cells((count, id): (&(Count, Option<RowId>), &Option<String>)) -> Vec<String> {
    let count = &count.0;
    let unknown = || "?".to_string();
    let saved = match count.usd_per_hour_saved {
        Some(usd) if usd <= 0.0 => "cheaper too".to_string(),
        Some(dollars) => usd(Usd::new(dollars)),
        None => String::new(),
    };
    vec![
        count.gpus.to_string(),
        count.shard.to_string(),
        verdict_word(count.estimate.fit.verdict).to_string(),
        count.quote.hours.map_or_else(unknown, |h| hours(h.expected)),
        count.quote.total.map_or_else(unknown, |t| usd(t.expected)),
        saved,
        id.clone().unwrap_or_else(|| "none with so many; price per GPU".to_string()),
    ]
}

/// Where more cards stop paying: `cheapest with 2; 4 buy each hour saved for 1.30$`.
pub fn scaling_words<'a>(counts: impl Iterator<Item = &'a Count>) -> String {
    let counts: Vec<Count> = counts.cloned().collect();
    let Some(best) = cheapest_count(&counts) else {
        return "on none of these numbers does the job fit with a known total".to_string();
    };
    let mut words = vec![format!("the cheapest job is on {}", best.gpus)];
    for count in counts.iter().filter(|c| c.gpus > best.gpus) {
        match count.usd_per_hour_saved {
            Some(dollars) if dollars > 0.0 => words.push(format!(
                "{} buy each hour saved for {}",
                count.gpus,
                usd(Usd::new(dollars))
            )),
            Some(_) => {}
            None => words.push(format!("{} save nothing", count.gpus)),
        }
    }
    words.join("; ")
}
