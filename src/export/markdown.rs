//! The bill as a Markdown document with tables, for a pull request or a chat.

use super::document::{OfferDocument, RangeDocument, name, rfc3339};
use super::{Context, Export, Purpose, Unsuitable, note};
use crate::offer::Provider;
use std::fmt::Write as _;

pub(super) const EXPORT: Export = Export {
    name: "markdown",
    about: "the bill as a Markdown table",
    purpose: Purpose::Data,
    providers: &Provider::ALL,
    framework: None,
    extension: "md",
    render,
};

#[expect(clippy::unnecessary_wraps, reason = "the signature that all targets share")]
fn render(c: &Context<'_>) -> Result<String, Unsuitable> {
    let offer = OfferDocument::new(c.offer, c.fit, c.advice, c.quote);
    let mut text = format!("# {} on {}\n\n", escape(&c.setup.model.name), escape(&offer.id));
    text.push_str("| item | dollars | how | basis | source |\n|---|---:|---|---|---|\n");
    for item in offer.quote.items() {
        let _ = writeln!(
            text,
            "| {} | {} | {} | {} | {} |",
            name(&item.name),
            item.usd.map_or_else(|| "unknown".to_owned(), |u| format!("{u:.2}")),
            escape(&item.unit),
            name(&item.basis),
            escape(&item.source),
        );
    }
    let _ = write!(text, "| **total** | **{}** | {} | | |\n\n", middle(&offer), spread(&offer));
    for line in note::lines(c) {
        let _ = writeln!(text, "- {}", escape(line.trim()));
    }
    let _ = write!(text, "\nEstimated {}.\n", rfc3339(c.at));
    Ok(text)
}

/// A table of offers, one line each.
pub fn offers(offers: &[OfferDocument]) -> String {
    let mut text = String::from(
        "| offer | GPU | n | region | $/h | fit | hours | total $ | low–high |\n|---|---|---:|---|---:|---|---:|---:|---|\n",
    );
    for o in offers {
        let price = match o.quote.pricing() {
            crate::estimate::quote::PriceKind::Spot => o.price.spot_usd_per_hour,
            crate::estimate::quote::PriceKind::OnDemand => o.price.on_demand_usd_per_hour,
        };
        let figure = |value: Option<f64>, digits: usize| {
            value.map_or_else(|| "?".to_owned(), |v| format!("{v:.digits$}"))
        };
        let _ = writeln!(
            text,
            "| {} | {} | {} | {} | {} | {} | {} | {} | {} |",
            escape(&o.id),
            escape(o.gpu.unwrap_or(o.gpu_raw.as_str())),
            o.gpus.map_or_else(|| "?".to_owned(), |n| n.0.to_string()),
            escape(&o.region.raw),
            figure(price, 3),
            name(&o.fit.verdict()),
            figure(o.quote.hours().and_then(|h| h.expected), 1),
            middle(o),
            spread(o),
        );
    }
    if let Some(what_if) = offers.first().and_then(|o| o.quote.what_if()) {
        let _ = writeln!(text, "\n**What-if**, not haggle's own figures: {}", escape(what_if));
    }
    text
}

fn middle(offer: &OfferDocument) -> String {
    let expected = offer.quote.total().and_then(|t| t.expected);
    // Where parts are unknown, it is at least that.
    let least = if offer.quote.items().iter().any(|i| i.usd.is_none()) { "≥" } else { "" };
    expected.map_or_else(|| "?".to_owned(), |v| format!("{least}{v:.2}"))
}

fn spread(offer: &OfferDocument) -> String {
    match offer.quote.total() {
        Some(RangeDocument { low: Some(low), high: Some(high), .. }) => {
            format!("{low:.2}–{high:.2}")
        }
        Some(RangeDocument { low: Some(low), .. }) => format!("{low:.2} and more"),
        _ => String::new(),
    }
}

/// `text` so that Markdown and the HTML in it show it as it is.
pub fn escape(text: &str) -> String {
    let mut safe = String::with_capacity(text.len());
    for c in note::one_line(text).chars() {
        match c {
            '&' => safe.push_str("&amp;"),
            '<' => safe.push_str("&lt;"),
            '>' => safe.push_str("&gt;"),
            '|' | '\\' | '`' | '*' | '_' | '[' | ']' | '!' | '#' => {
                safe.push('\\');
                safe.push(c);
            }
            c => safe.push(c),
        }
    }
    safe
}

#[cfg(test)]
mod tests {
    use super::escape;

    #[test]
    fn foreign_text_forms_no_cells_links_or_tags() {
        assert_eq!(escape("a|b"), "a\\|b");
        assert_eq!(escape("[x](javascript:1)"), "\\[x\\](javascript:1)");
        assert_eq!(escape("<img src=x>"), "&lt;img src=x&gt;");
        assert_eq!(escape("a\nb"), "a b");
    }
}
