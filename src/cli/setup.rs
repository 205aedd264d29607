//! `haggle setup`: every field as it would be used, and where it comes from.

use super::args::SetupArgs;
use super::call::Call;
use super::failure::Failure;
use super::out::{self, Grid};
use crate::export::document::{self, VERSION};
use crate::setup::Field;
use serde_json::json;

pub(super) fn run(call: &Call, args: SetupArgs) -> Result<(), Failure> {
    let written = call.draft(args.setup.clone())?;
    let setup = call.setup(args.setup)?;
    let full = setup.to_draft();
    if args.print {
        return out::data(&full.to_yaml().map_err(Failure::failed)?);
    }
    let mut grid = Grid::new(&["field", "value", "from", "meaning"]);
    for field in Field::ALL.iter().copied() {
        let from = if written.get(field).is_some() { "you" } else { "default" };
        grid.row(vec![
            field.flag().to_owned(),
            full.get(field).unwrap_or_else(|| "auto".to_owned()),
            from.to_owned(),
            field.about().to_owned(),
        ]);
    }
    let document =
        json!({"schema": "haggle.setup/1", "haggle": VERSION, "setup": document::setup(&setup)});
    out::grid(call.global.format, &document, &grid)
}
