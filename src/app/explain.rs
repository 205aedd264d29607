//! One cell of the table in full: its whole text, what the column means, and the figures that it is
//! made of, each with who says so and when.

use super::App;
use super::facts::{Fact, age_words, basis_word, facts};
use crate::market::query::Field;

/// The names of the facts that a column rests on; all of a section where the name is empty.
const fn rests_on(field: Field) -> &'static [(&'static str, &'static str)] {
    match field {
        Field::Provider => &[("Offer", "provider")],
        Field::Gpu => &[("Offer", "GPU"), ("Offer", "GPU as the provider calls it")],
        Field::Gpus => &[("Offer", "GPUs")],
        Field::Vram => &[("Offer", "memory per GPU"), ("Memory of one GPU", "usable")],
        Field::Price | Field::Each | Field::Pricing | Field::OnDemand | Field::Spot => {
            &[("Price", "on demand"), ("Price", "spot"), ("Price", "spot interruptions")]
        }
        Field::Rel => &[("Offer", "reliability")],
        Field::Down => &[("Offer", "download")],
        Field::Up => &[("Offer", "upload")],
        Field::Region | Field::Country => &[("Offer", "region"), ("Offer", "country")],
        Field::Host => &[("Offer", "host")],
        Field::Disk => &[("Offer", "largest disk")],
        Field::Verified => &[("Offer", "verified")],
        Field::Avail => &[("Offer", "available")],
        Field::Fit | Field::Headroom | Field::Need => &[("Memory of one GPU", "")],
        Field::Speed => &[("Time", "speed")],
        Field::Hours | Field::Fetch | Field::FetchTime => &[("Time", "")],
        Field::Total => &[("Bill", "")],
        Field::Flag => &[("Offer", "looks odd")],
        Field::Storage => &[("Price", "disk, running")],
        Field::StorageStopped => &[("Price", "disk, stopped")],
        Field::Egress => &[("Price", "traffic out")],
        Field::Ingress => &[("Price", "traffic in")],
        Field::Minimum => &[("Price", "shortest bill")],
        Field::Rental => &[("Offer", "longest rental")],
        Field::Cuda => &[("Offer", "CUDA up to")],
        Field::Vcpus => &[("Offer", "vCPUs")],
        Field::Ram => &[("Offer", "main memory")],
        Field::Link => &[("Offer", "link")],
        Field::Type => &[("Offer", "machine type")],
        Field::Age | Field::Basis | Field::Source | Field::Mark | Field::Id => {
            &[("Offer", "provider")]
        }
    }
}

/// The current cell, line by line.
pub fn explain(app: &App) -> Vec<String> {
    let field = app.column;
    let Some(detail) = &app.detail else { return vec!["no offer is selected".to_string()] };
    let text = app.cell_text(field).unwrap_or_default();
    let mut lines = vec![
        format!("{} of {}: {text}", field.info().noun, detail.id),
        field.info().help.to_string(),
        String::new(),
    ];
    let wanted = rests_on(field);
    let rests = |f: &&Fact| {
        wanted
            .iter()
            .any(|(section, name)| f.section == *section && (name.is_empty() || f.name == *name))
    };
    for fact in facts(detail, app.now).iter().filter(rests) {
        let age = age_words(fact.age_seconds);
        let said = [basis_word(fact.basis), fact.source.as_str(), age.as_str()];
        let said: Vec<&str> = said.into_iter().filter(|s| !s.is_empty()).collect();
        lines.push(format!("{}: {} ({})", fact.name, fact.value, said.join(", ")));
    }
    lines
}
