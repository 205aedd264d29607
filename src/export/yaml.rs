//! The quote as YAML. The writer quotes what older readers take for something else (`NO`, `on`,
//! `12:30`).

use super::document::QuoteDocument;
use super::{Context, Export, Purpose, Unsuitable};
use crate::offer::Provider;

pub(super) const EXPORT: Export = Export {
    name: "yaml",
    about: "offer, fit, bill, assumptions and sources as YAML",
    purpose: Purpose::Data,
    providers: &Provider::ALL,
    framework: None,
    extension: "yaml",
    render,
};

fn render(c: &Context<'_>) -> Result<String, Unsuitable> {
    serde_saphyr::to_string(&QuoteDocument::new(c))
        .map_err(|e| Unsuitable(format!("the quote cannot be written as YAML: {e}")))
}
