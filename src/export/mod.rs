//! Files that other programs accept as if their own users had written them: one file per target,
//! one line in [`EXPORTS`] for each.
//!
//! Pure: an export is a function from a [`Context`] to text. Nothing here rents anything. Text that
//! came from a market reaches a shell only through [`shell::quote`], after it was checked to be a
//! plain word; it reaches a comment only without line breaks ([`note`]).

mod aws;
mod az;
mod csv;
mod curl;
pub mod document;
mod dstack;
mod engine;
mod gcloud;
mod image;
mod json;
mod launch;
mod markdown;
mod note;
mod runpodctl;
mod script;
pub mod shell;
mod skypilot;
mod template;
mod trainer;
mod vastai;
mod yaml;

use crate::estimate::fit::{Advice, Fit};
use crate::estimate::quote::{PriceKind, Quote};
use crate::offer::{Offer, Provider};
use crate::setup::{Framework, Setup};
use crate::units::UnixSeconds;

pub use csv::{offers as csv_of_offers, rows as csv_of_rows};
pub use document::{ListDocument, OfferDocument};
pub use markdown::{escape as markdown_text, offers as markdown_of_offers};

/// What an export is made from: one offer, one setup, and what was estimated for the two.
#[derive(Clone, Copy, Debug)]
pub struct Context<'a> {
    /// What is to be rented.
    pub offer: &'a Offer,
    /// What is to be trained.
    pub setup: &'a Setup,
    /// Memory.
    pub fit: &'a Fit,
    /// What would make it fit, or fit better.
    pub advice: &'a [Advice],
    /// Hours and dollars.
    pub quote: &'a Quote,
    /// When the estimate was made.
    pub at: UnixSeconds,
    /// The project of Weights & Biases to report to, where the job is to.
    pub wandb: Option<&'a str>,
}

impl Context<'_> {
    /// Is the job to run on an interruptible machine?
    pub fn spot(&self) -> bool {
        self.quote.pricing == PriceKind::Spot
    }
}

/// Why an export cannot be written for an offer: what is in the way, and what would do.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{0}")]
pub struct Unsuitable(pub String);

impl Unsuitable {
    /// From a line of plain words.
    pub fn because(reason: impl Into<String>) -> Self {
        Self(reason.into())
    }
}

/// What an export is for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Purpose {
    /// To be read by a person or a program.
    Data,
    /// To rent the machine at its own provider.
    Launch,
    /// To rent it and run the job through an orchestrator.
    Engine,
    /// To train with the setup that was estimated.
    Trainer,
}

/// One target.
#[derive(Clone, Copy, Debug)]
pub struct Export {
    /// The name after `--as`.
    pub name: &'static str,
    /// One line that says what it is.
    pub about: &'static str,
    /// What it is for.
    pub purpose: Purpose,
    /// Whose offers it can be made of.
    pub providers: &'static [Provider],
    /// The framework that it is a file of; an estimate for another one would not describe it.
    pub framework: Option<Framework>,
    /// The usual ending of such a file, without the dot.
    pub extension: &'static str,
    /// Writes it.
    pub render: fn(&Context<'_>) -> Result<String, Unsuitable>,
}

/// All targets, in the order in which they are listed.
pub static EXPORTS: &[Export] = &[
    json::EXPORT,
    yaml::EXPORT,
    csv::EXPORT,
    markdown::EXPORT,
    vastai::EXPORT,
    runpodctl::EXPORT,
    curl::EXPORT,
    aws::EXPORT,
    az::EXPORT,
    gcloud::EXPORT,
    skypilot::EXPORT,
    dstack::EXPORT,
    trainer::axolotl::EXPORT,
    trainer::unsloth::EXPORT,
    trainer::torchtune::EXPORT,
    trainer::trl::EXPORT,
    trainer::llama_factory::EXPORT,
    script::EXPORT,
];

/// The target of that name.
pub fn find(name: &str) -> Option<&'static Export> {
    EXPORTS.iter().find(|e| e.name.eq_ignore_ascii_case(name))
}

impl Export {
    /// Writes the file, or says why it cannot be written and which targets can.
    ///
    /// # Errors
    /// [`Unsuitable`] when this target cannot express the offer or the setup.
    pub fn write(&self, context: &Context<'_>) -> Result<String, Unsuitable> {
        self.attempt(context).map_err(|Unsuitable(reason)| {
            let others = suitable(context).map(|e| e.name).collect::<Vec<_>>().join(", ");
            Unsuitable(format!("{reason}; what suits {}: {others}", context.offer.id()))
        })
    }

    fn attempt(&self, context: &Context<'_>) -> Result<String, Unsuitable> {
        let provider = context.offer.provider;
        if !self.providers.contains(&provider) {
            let whose: Vec<_> = self.providers.iter().map(|p| p.name()).collect();
            return Err(Unsuitable(format!(
                "{} is for offers of {}, not of {}",
                self.name,
                whose.join(", "),
                provider.name()
            )));
        }
        let text = (self.render)(context)?;
        // Editors, shellcheck and the system want to know whose script it is.
        let bare = self.extension == "sh" && !text.starts_with("#!");
        Ok(if bare { ["#!/bin/sh\n", &text].concat() } else { text })
    }
}

/// The targets that can be written for this offer and setup.
pub fn suitable(context: &Context<'_>) -> impl Iterator<Item = &'static Export> {
    EXPORTS.iter().filter(|e| e.attempt(context).is_ok())
}

#[cfg(test)]
pub(crate) mod tests;
