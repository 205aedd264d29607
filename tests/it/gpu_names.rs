//! Every spelling of a GPU that the reference material holds means the card that it should.
//!
//! Needs the reference material (below the folder that `HAGGLE_SHARED` names); says so and
//! passes where it is absent.

use crate::shared;
use haggle::gpu::catalogue;
use haggle::units::Gib;
use std::collections::BTreeMap;

fn name(spelling: &str, memory: Option<f64>) -> Option<&'static str> {
    let id = catalogue().identify(spelling, memory.map(Gib::new))?;
    catalogue().get(id).map(|g| g.name)
}

/// Spellings in one cell of the table: names apart by commas or slashes, other names in quotes,
/// notes in brackets.
fn spellings(cell: &str) -> Vec<String> {
    let mut found = Vec::new();
    for (i, piece) in cell.split('"').enumerate() {
        if i % 2 == 1 {
            found.push(piece.to_owned());
            continue;
        }
        let mut plain = String::new();
        let mut depth = 0;
        for c in piece.chars() {
            match c {
                '(' => depth += 1,
                ')' => depth -= 1,
                c if depth <= 0 => plain.push(c),
                _ => {}
            }
        }
        found.extend(plain.split([',', '/']).map(|p| p.trim().to_owned()));
    }
    found.retain(|s| !s.is_empty() && s != "-" && !s.contains('?'));
    found
}

#[test]
fn every_spelling_of_the_table_means_its_row() {
    let Some(path) = shared("truth/gpus.csv") else { return };
    let mut reader = csv::Reader::from_path(path).unwrap();
    let headers = reader.headers().unwrap().clone();
    let column = |name: &str| headers.iter().position(|h| h == name).unwrap();
    let mut wrong = Vec::new();
    let mut seen = 0;
    for row in reader.records().map(Result::unwrap) {
        let canonical = &row[column("canonical")];
        let memory: f64 = row[column("vram_gb")].parse().unwrap();
        let mut expect = |spelling: &str| {
            seen += 1;
            let found = name(spelling, Some(memory));
            if found != Some(canonical) && !twins(canonical).contains(&found.unwrap_or("-")) {
                wrong.push(format!("{spelling} ({memory}) is {found:?}, not {canonical}"));
            }
        };
        expect(canonical);
        for provider in ["vast", "runpod", "tensordock", "gpuhunt", "skypilot"] {
            for spelling in spellings(&row[column(provider)]) {
                // Notes of the table, and names that it gives as a pattern.
                if spelling.contains("with gpu_ram") || spelling.contains("laptop (") {
                    continue;
                }
                expect(&spelling);
            }
        }
        for spelling in spellings(&row[column("gcp")]) {
            if spelling.starts_with("nvidia-") {
                expect(&spelling);
            }
        }
        for spelling in spellings(&row[column("vultr")]) {
            if spelling.starts_with("NVIDIA_") && !spelling.contains(' ') {
                expect(&spelling);
            }
        }
    }
    assert!(seen > 300, "{seen} spellings");
    assert!(wrong.is_empty(), "{} of {seen}:\n{}", wrong.len(), wrong.join("\n"));
}

/// Cards that the table gives under one spelling and one size: nobody could tell them apart.
fn twins(canonical: &str) -> &'static [&'static str] {
    match canonical {
        "A100 PCIe 40GB" => &["A100 SXM 40GB"],
        "A100 PCIe 80GB" => &["A100 SXM 80GB"],
        "V100 PCIe 16GB" => &["V100 SXM2 16GB"],
        "V100 SXM2 16GB" => &["V100 PCIe 16GB"],
        "H100 PCIe" => &["H100 SXM"],
        "RTX PRO 6000 Blackwell Workstation" => &["RTX PRO 6000 Blackwell Server"],
        _ => &[],
    }
}

#[test]
fn runpods_own_list_of_ids_is_known_and_its_slices_are_none() {
    let Some(path) = shared("providers/samples/runpod/gpu_ids_2026-02-12.csv") else { return };
    let mut rows = 0;
    for row in csv::Reader::from_path(path).unwrap().records().map(Result::unwrap) {
        let (id, shown, memory) = (&row[0], &row[1], row[2].parse::<f64>().unwrap());
        let found = name(id, Some(memory));
        rows += 1;
        if id.contains("MIG") {
            assert_eq!((found, name(shown, Some(memory))), (None, None), "{id}");
            continue;
        }
        assert!(found.is_some(), "{id}");
        let plain = name(shown, Some(memory));
        assert!(plain == found || shown == "Tesla V100", "{shown}: {plain:?}, {id}: {found:?}");
    }
    assert!(rows >= 45, "{rows}");
}

/// Of the names that Vast.ai's command line offers, those of cards that we do not list are unknown,
/// not taken for a neighbour.
#[test]
fn vasts_own_list_is_known_or_unknown_never_mistaken() {
    let Some(path) = shared("providers/samples/vast/gpu_names_vast-cli_2026-08-06.txt") else {
        return;
    };
    let text = std::fs::read_to_string(path).unwrap();
    let digits = |s: &str| -> String { s.chars().filter(char::is_ascii_digit).collect() };
    let mut known = 0;
    for spelling in text.lines().map(str::trim).filter(|l| !l.is_empty()) {
        let Some(found) = name(spelling, None) else { continue };
        known += 1;
        let model = digits(spelling);
        assert!(digits(found).starts_with(&model) || model.len() < 2, "{spelling}: {found}");
        for word in ["Ti", "laptop", "Mobile", "Max-Q", "NVL", "PCI", "SXM", "Ada", "XTX", "GRE"] {
            let (a, b) = (spelling.to_lowercase(), found.to_lowercase());
            let word = word.to_lowercase();
            let differs = a.contains(&word) != b.contains(&word);
            assert!(
                !differs || ["sxm", "ti", "pci"].contains(&word.as_str()),
                "{spelling}: {found}"
            );
        }
    }
    assert!(known >= 75, "{known}");
}

/// Catalogues in SkyPilot's form: memory is per GPU, in all GPUs, or in GB where MiB should stand.
#[test]
fn catalogues_of_others_name_cards_that_we_know() {
    let Some(folder) = shared("providers/samples/skypilot") else { return };
    let mut unknown = BTreeMap::<String, usize>::new();
    let mut rows = 0;
    for file in std::fs::read_dir(folder).unwrap().map(|f| f.unwrap().path()) {
        if file.extension().is_none_or(|e| e != "csv") {
            continue;
        }
        let mut reader = csv::ReaderBuilder::new().flexible(true).from_path(&file).unwrap();
        let headers = reader.headers().unwrap().clone();
        let Some(at) = headers.iter().position(|h| h == "AcceleratorName") else { continue };
        for row in reader.records().filter_map(Result::ok) {
            let spelling = row.get(at).unwrap_or("").trim();
            if spelling.is_empty() || spelling.starts_with("tpu") || spelling == "CPU_NODE" {
                continue;
            }
            rows += 1;
            let sizes = [None, Some(16.0), Some(40.0), Some(80.0), Some(96.0)];
            if sizes.iter().all(|size| name(spelling, *size).is_none()) {
                *unknown.entry(spelling.to_owned()).or_default() += 1;
            }
        }
    }
    assert!(rows > 2000, "{rows}");
    assert!(unknown.is_empty(), "{unknown:?}");
}
