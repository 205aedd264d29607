//! The columns of the table: one list for the screen, for `list --format table|csv`, and for help.

use super::eval::{Frame, figure};
use super::query::{DISK_SHORT, Field, Query, verdict_word};
use super::sort::{SortBy, SortKey};
use super::table::{Mark, Table};
use super::view::{View, ViewRow};
use super::words::{availability_word, basis_name, link_word, verified_word};
use crate::estimate::bill::RowQuote;
use crate::estimate::quote::PriceKind;
use crate::gpu;
use crate::offer::{Flags, Offer};
use crate::setup::{Pricing, Setup};
use crate::units::{
    Gib, Hours, Mbps, Share, Usd, UsdPerHour, duration, gib, hours, mbps, percent, usd,
    usd_per_hour,
};
use std::cell::OnceCell;

/// On which side a cell's text stands.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Align {
    /// Words.
    Left,
    /// Figures.
    Right,
}

/// A column of the table.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Column {
    /// What it shows; also what a query and a sort key call it.
    pub field: Field,
    /// Its head.
    pub title: &'static str,
    /// The narrowest and widest it may be, in cells. Figures are never cut.
    pub width: (u16, u16),
    /// On which side its text stands.
    pub align: Align,
    /// Which columns go first when there is no room: the highest numbers.
    pub priority: u8,
    /// Shown unless somebody chooses otherwise.
    pub default: bool,
}

impl Column {
    /// The name in queries, sort keys and CSV heads.
    pub fn name(&self) -> &'static str {
        self.field.name()
    }

    /// What it means, with its unit.
    pub fn help(&self) -> &'static str {
        self.field.info().help
    }

    /// The column of a field.
    pub fn of(field: Field) -> Option<&'static Column> {
        COLUMNS.iter().find(|c| c.field == field)
    }

    /// The column of a name: a field's name or alias.
    pub fn from_name(name: &str) -> Option<&'static Column> {
        Field::from_name(name).and_then(|(field, _)| Column::of(field))
    }
}

const fn column(
    field: Field,
    title: &'static str,
    width: (u16, u16),
    align: Align,
    priority: u8,
) -> Column {
    Column { field, title, width, align, priority, default: priority < 20 }
}

/// All columns, in their order. Those with a priority below 20 are shown by default.
pub const COLUMNS: &[Column] = &[
    column(Field::Provider, "PROVIDER", (4, 10), Align::Left, 2),
    column(Field::Gpus, "N", (2, 4), Align::Right, 0),
    column(Field::Gpu, "GPU", (8, 24), Align::Left, 0),
    column(Field::Vram, "VRAM", (4, 6), Align::Right, 4),
    column(Field::Price, "$/H", (5, 8), Align::Right, 1),
    column(Field::Rel, "REL", (5, 7), Align::Right, 5),
    column(Field::Down, "DOWN", (4, 6), Align::Right, 6),
    column(Field::Up, "UP", (4, 6), Align::Right, 9),
    column(Field::Region, "REGION", (2, 22), Align::Left, 7),
    column(Field::Fit, "FIT", (3, 5), Align::Left, 0),
    column(Field::Hours, "HOURS", (4, 6), Align::Right, 3),
    column(Field::Total, "TOTAL", (5, 8), Align::Right, 0),
    column(Field::Pricing, "PRICING", (4, 9), Align::Left, 21),
    column(Field::OnDemand, "ON DEMAND", (5, 9), Align::Right, 22),
    column(Field::Spot, "SPOT", (5, 8), Align::Right, 23),
    column(Field::Each, "$/H/GPU", (5, 8), Align::Right, 24),
    column(Field::Headroom, "ROOM", (4, 7), Align::Right, 25),
    column(Field::Need, "NEED", (4, 7), Align::Right, 26),
    column(Field::Speed, "TOK/S", (4, 8), Align::Right, 27),
    column(Field::Fetch, "FETCH%", (4, 7), Align::Right, 28),
    column(Field::FetchTime, "FETCH", (3, 6), Align::Right, 29),
    column(Field::Disk, "DISK", (4, 8), Align::Right, 30),
    column(Field::Verified, "VERIFIED", (3, 8), Align::Left, 31),
    column(Field::Avail, "AVAIL", (3, 6), Align::Left, 32),
    column(Field::Age, "AGE", (3, 6), Align::Right, 33),
    column(Field::Country, "CC", (2, 3), Align::Left, 34),
    column(Field::Host, "HOST", (4, 12), Align::Left, 35),
    column(Field::Type, "TYPE", (4, 26), Align::Left, 36),
    column(Field::Link, "LINK", (4, 9), Align::Left, 37),
    column(Field::Cuda, "CUDA", (4, 5), Align::Right, 38),
    column(Field::Vcpus, "VCPU", (3, 6), Align::Right, 39),
    column(Field::Ram, "RAM", (3, 7), Align::Right, 40),
    column(Field::Storage, "DISK $/GB/MO", (5, 12), Align::Right, 41),
    column(Field::StorageStopped, "STOPPED $/GB/MO", (5, 15), Align::Right, 42),
    column(Field::Egress, "OUT $/GB", (5, 8), Align::Right, 43),
    column(Field::Ingress, "IN $/GB", (5, 8), Align::Right, 44),
    column(Field::Minimum, "MIN BILL", (4, 8), Align::Right, 45),
    column(Field::Rental, "MAX RENT", (4, 8), Align::Right, 46),
    column(Field::Basis, "BASIS", (4, 8), Align::Left, 47),
    column(Field::Source, "SOURCE", (6, 24), Align::Left, 48),
    column(Field::Flag, "FLAGS", (4, 30), Align::Left, 49),
    column(Field::Mark, "MARK", (4, 8), Align::Left, 50),
    column(Field::Id, "ID", (8, 28), Align::Left, 51),
];

/// The `chosen` columns and what else is asked about: which price, when both are shown, and the figures
/// that the query or the order names.
pub fn asked_for(
    chosen: &[&'static Column],
    setup: &Setup,
    query: &Query,
    sort: &[SortKey],
) -> Vec<&'static Column> {
    let missing = |field: Field| !chosen.iter().any(|c| c.field == field);
    let sorted = |field: Field| sort.iter().any(|k| k.by == SortBy::Field(field));
    let named = query.fields();
    let mut columns = chosen.to_vec();
    if setup.pricing == Pricing::Both && missing(Field::Pricing) {
        let after = chosen.iter().position(|c| c.field == Field::Price).map_or(0, |at| at + 1);
        columns.splice(after..after, Column::of(Field::Pricing));
    }
    columns.extend(COLUMNS.iter().filter(|c| {
        let wanted = sorted(c.field) || (c.align == Align::Right && named.contains(&c.field));
        wanted && c.field != Field::Pricing && missing(c.field)
    }));
    columns
}

/// Hours of a job that interruptions never let finish.
const NEVER: &str = "never";

/// What is not stated looks like this.
pub const UNKNOWN_TEXT: &str = "?";

/// What a cell holds.
#[derive(Clone, Debug, PartialEq)]
pub enum CellValue {
    /// A figure, in the base unit of its field (GiB, GB, Mbit/s, $, hours, share).
    Number(f64),
    /// Words.
    Text(String),
    /// Not stated, or not known.
    Unknown,
}

/// A cell: its value, and how it is written.
#[derive(Clone, Debug, PartialEq)]
pub struct Cell {
    /// As written on the screen, with the unit that the head does not say.
    pub text: String,
    /// As scripts want it.
    pub value: CellValue,
}

impl Cell {
    fn number(v: f64, text: String) -> Self {
        Self { text, value: CellValue::Number(v) }
    }

    fn words(text: impl Into<String>) -> Self {
        let text = text.into();
        Self { value: CellValue::Text(text.clone()), text }
    }

    fn unknown() -> Self {
        Self { text: UNKNOWN_TEXT.into(), value: CellValue::Unknown }
    }

    /// Is the value unknown?
    pub fn is_unknown(&self) -> bool {
        self.value == CellValue::Unknown
    }
}

impl View {
    /// A line, for its cells. A row that is gone has unknown cells only.
    pub fn line<'a>(&'a self, table: &'a Table, line: ViewRow) -> LineCells<'a> {
        LineCells {
            view: self,
            line,
            found: table.slot(line.row).zip(self.frame(table, line.kind)),
            offer: OnceCell::new(),
            quote: OnceCell::new(),
        }
    }

    /// A cell of a line.
    pub fn cell(&self, table: &Table, line: ViewRow, column: &Column) -> Cell {
        self.line(table, line).cell(column)
    }
}

/// The cells of one line. What several of them need is looked up once.
pub struct LineCells<'a> {
    view: &'a View,
    line: ViewRow,
    found: Option<(usize, Frame<'a>)>,
    offer: OnceCell<Option<Offer>>,
    quote: OnceCell<Option<RowQuote>>,
}

impl LineCells<'_> {
    /// A cell as it is shown: a total of which parts are unknown is at least what it says (`≥`), and
    /// one that rests on what the user put in place of our figures has a star; hours of a job that
    /// would never end say so.
    pub fn seen(&self, column: &Column) -> Cell {
        let mut cell = self.cell(column);
        if column.field == Field::Hours
            && cell.is_unknown()
            && self.quote().is_some_and(|q| q.never_finishes)
        {
            cell.text = NEVER.into();
        }
        if column.field == Field::Total && !cell.is_unknown() {
            if self.quote().is_some_and(|q| q.items.iter().any(Option::is_none)) {
                cell.text.insert(0, '≥');
            }
            if self.view.setup().is_some_and(|setup| setup.what_if().is_some()) {
                cell.text.push('*');
            }
        }
        cell
    }

    /// A cell: its value, and how it is written.
    pub fn cell(&self, column: &Column) -> Cell {
        let Some((slot, frame)) = &self.found else { return Cell::unknown() };
        match figure(column.field, frame, *slot) {
            Some(v) if v.is_finite() => Cell::number(v, written(column.field, v)),
            Some(_) => Cell::unknown(),
            None => self
                .offer
                .get_or_init(|| frame.table.offer(self.line.row))
                .as_ref()
                .and_then(|offer| words(column.field, offer, frame, self.line, *slot))
                .unwrap_or_else(Cell::unknown),
        }
    }

    /// Is its disk too small for the job?
    pub fn is_disk_short(&self) -> bool {
        self.quote().is_some_and(|quote| quote.disk_short)
    }

    fn quote(&self) -> Option<&RowQuote> {
        let (_, frame) = self.found.as_ref()?;
        let find = || self.view.row_quote(frame.table, self.line.row, self.line.kind);
        self.quote.get_or_init(find).as_ref()
    }
}

/// A figure of a field as it is written in a table.
pub fn written(field: Field, v: f64) -> String {
    match field {
        Field::Gpus | Field::Vcpus | Field::Vram | Field::Ram if v.fract() == 0.0 => {
            format!("{v:.0}")
        }
        Field::Gpus | Field::Vcpus => format!("{v:.2}"),
        Field::Headroom if v < 0.0 => format!("-{}", gib(Gib::new(-v))),
        Field::Vram | Field::Ram | Field::Need | Field::Headroom => gib(Gib::new(v)),
        Field::Price | Field::OnDemand | Field::Spot | Field::Each => {
            usd_per_hour(UsdPerHour::new(v))
        }
        Field::Total => usd(Usd::new(v)),
        Field::Rel | Field::Fetch => percent(Share::new(v)),
        Field::Down | Field::Up => mbps(Mbps::new(v)),
        Field::Hours | Field::FetchTime | Field::Minimum | Field::Rental => hours(Hours::new(v)),
        Field::Age => duration((v * 3600.0).round() as i64),
        Field::Cuda => format!("{v:.1}"),
        Field::Disk | Field::Speed => format!("{v:.0}"),
        Field::Storage | Field::StorageStopped | Field::Egress | Field::Ingress => {
            let text = format!("{v:.5}");
            text.trim_end_matches('0').trim_end_matches('.').to_owned()
        }
        _ => format!("{v}"),
    }
}

fn words(
    field: Field,
    offer: &Offer,
    frame: &Frame<'_>,
    line: ViewRow,
    slot: usize,
) -> Option<Cell> {
    let class = frame.table.class_code(line.row).and_then(|c| frame.classes.get(c));
    Some(match field {
        Field::Provider => Cell::words(offer.provider.name()),
        Field::Gpu => Cell::words(card_name(offer)),
        Field::Fit => match verdict_word(class?.fit.verdict)? {
            "yes" => Cell::words("fits"),
            word => Cell::words(word),
        },
        Field::Region => Cell::words(place_name(offer)?),
        Field::Country => Cell::words(offer.place.country?.code()),
        Field::Pricing => Cell::words(super::kind_name(line.kind)),
        Field::Verified => Cell::words(verified_word(offer.verified)?),
        Field::Avail => Cell::words(availability_word(offer.availability)?),
        Field::Host => Cell::words(offer.host.as_ref()?.as_str()),
        Field::Type => Cell::words(offer.hardware.instance_type.as_ref()?.as_str()),
        Field::Link => Cell::words(link_word(offer.hardware.link)?),
        Field::Basis => Cell::words(basis_name(offer.origin.basis)),
        Field::Source => Cell::words(offer.origin.source),
        Field::Flag => Cell::words(flag_names(offer.flags, frame.is_disk_short(slot))),
        Field::Mark => Cell::words(mark_name(frame.table.mark(line.row))),
        Field::Id => Cell::words(frame.table.id(frame.table.row_at(slot))?),
        _ => return None,
    })
}

/// The card's name: the catalogue's, or what the provider calls it.
pub fn card_name(offer: &Offer) -> &str {
    let known = offer.hardware.gpu.and_then(|id| gpu::catalogue().get(id));
    known.map_or(offer.hardware.gpu_raw.as_str(), |g| g.name)
}

fn place_name(offer: &Offer) -> Option<&str> {
    if !offer.place.raw.is_empty() {
        return Some(offer.place.raw.as_str());
    }
    let country = offer.place.country.as_ref().map(crate::offer::Country::code);
    country.or(offer.place.continent.map(crate::offer::Continent::code))
}

fn flag_names(flags: Flags, disk_short: bool) -> String {
    let mut names = flags.names();
    if disk_short {
        names.push(DISK_SHORT);
    }
    names.join(" ")
}

fn mark_name(mark: Mark) -> &'static str {
    if mark == Mark::Same { "" } else { mark.name() }
}

impl View {
    /// The frame of one kind of price, as of the last refresh.
    pub(crate) fn frame<'a>(&'a self, table: &'a Table, kind: PriceKind) -> Option<Frame<'a>> {
        let pricings = self.pricings()?;
        let plane = pricings.planes.iter().find(|p| p.kind == kind)?;
        Some(super::view::frame(table, pricings, plane, self.now()))
    }
}
