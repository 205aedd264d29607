//! What can be taken away of the selected offer, and where to.

use super::desk::Detail;
use crate::export::{self, Context, Export, Unsuitable};
use crate::setup::Setup;
use crate::units::UnixSeconds;

/// Where an export goes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Target {
    /// A file in the present folder.
    #[default]
    File,
    /// The terminal's clipboard.
    Clipboard,
    /// Standard output, after leaving.
    Print,
}

impl Target {
    /// All of them, in order.
    pub const ALL: [Target; 3] = [Target::File, Target::Clipboard, Target::Print];

    /// In words.
    pub const fn words(self) -> &'static str {
        match self {
            Target::File => "a file here",
            Target::Clipboard => "the clipboard",
            Target::Print => "standard output, and quit",
        }
    }

    /// The one after it, or before it.
    pub fn neighbour(self, up: bool) -> Target {
        let step = if up { 1 } else { Target::ALL.len() - 1 };
        let at = Target::ALL.iter().position(|t| *t == self).unwrap_or(0);
        Target::ALL[(at + step) % Target::ALL.len()]
    }
}

/// A format, and why it cannot be had where it cannot.
#[derive(Clone, Debug)]
pub struct Format {
    /// The export.
    pub export: &'static Export,
    /// Why not.
    pub problem: Option<String>,
}

/// The page.
#[derive(Clone, Debug)]
pub struct ExportPage {
    /// The offer's id.
    pub id: String,
    /// The formats: what suits first.
    pub formats: Vec<Format>,
    /// The selected one.
    pub selected: usize,
    /// Where to.
    pub target: Target,
}

impl ExportPage {
    /// What can be made of `detail`.
    pub fn new(detail: &Detail, setup: &Setup, now: UnixSeconds) -> Self {
        let mut formats: Vec<Format> = export::EXPORTS
            .iter()
            .map(|export| {
                let problem = write(export, detail, setup, now).err();
                Format { export, problem: problem.map(|p| first_clause(&p.to_string())) }
            })
            .collect();
        formats.sort_by_key(|f| f.problem.is_some());
        Self { id: detail.id.clone(), formats, selected: 0, target: Target::File }
    }

    /// Moves the selection.
    pub fn step(&mut self, by: isize) {
        let last = self.formats.len().saturating_sub(1);
        self.selected = self.selected.saturating_add_signed(by).min(last);
    }

    /// The selected format.
    pub fn picked(&self) -> Option<&Format> {
        self.formats.get(self.selected)
    }
}

/// The part of a message before it lists what else would do; the page shows that itself.
fn first_clause(message: &str) -> String {
    message.split("; what suits").next().unwrap_or(message).to_string()
}

/// Writes `export` of an offer.
pub fn write(
    export: &Export,
    detail: &Detail,
    setup: &Setup,
    now: UnixSeconds,
) -> Result<String, Unsuitable> {
    export.write(&Context {
        offer: &detail.offer,
        setup,
        fit: &detail.fit,
        advice: &detail.advice,
        quote: &detail.quote,
        at: now,
        wandb: None,
    })
}

/// The launch command of an offer's own provider.
pub fn launch(detail: &Detail) -> Option<&'static Export> {
    let of = |e: &&Export| {
        e.purpose == export::Purpose::Launch && e.providers.contains(&detail.offer.provider)
    };
    export::EXPORTS.iter().filter(of).min_by_key(|e| e.providers.len())
}

/// A name for the file: `haggle-vast-123-1.json`, of harmless letters only.
pub fn file_name(id: &str, export: &Export) -> String {
    let plain = id.chars().map(|c| if c.is_ascii_alphanumeric() { c } else { '-' });
    let plain: String = plain.take(60).collect();
    let kind = if export.extension == export.name { "" } else { export.name };
    let joint = if kind.is_empty() { "" } else { "." };
    format!("haggle-{plain}{joint}{kind}.{}", export.extension)
}
