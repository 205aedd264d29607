//! The quote as JSON, with everything it rests on.

use super::document::QuoteDocument;
use super::{Context, Export, Purpose, Unsuitable};
use crate::offer::Provider;

pub(super) const EXPORT: Export = Export {
    name: "json",
    about: "offer, fit, bill, assumptions and sources as JSON",
    purpose: Purpose::Data,
    providers: &Provider::ALL,
    framework: None,
    extension: "json",
    render,
};

fn render(c: &Context<'_>) -> Result<String, Unsuitable> {
    let mut text = serde_json::to_string_pretty(&QuoteDocument::new(c))
        .map_err(|e| Unsuitable(format!("the quote cannot be written as JSON: {e}")))?;
    text.push('\n');
    Ok(text)
}
