//! Saved views on disk: names and queries, one to a line, in the folder of what the program
//! remembers. Views of the settings file stand beside them and are never written to.

use crate::config::{Paths, store};
use std::collections::BTreeMap;
use std::path::PathBuf;

fn file(paths: &Paths) -> Option<PathBuf> {
    paths.state.as_ref().map(|folder| folder.join("views.toml"))
}

/// What was saved; nothing where there is no file, or none that can be read.
pub fn load(paths: &Paths) -> BTreeMap<String, String> {
    let text = file(paths).and_then(|file| std::fs::read_to_string(file).ok());
    text.and_then(|text| toml::from_str(&text).ok()).unwrap_or_default()
}

/// Adds a view, or replaces the one of that name.
///
/// # Errors
/// One line that says what is in the way.
pub fn save(paths: &Paths, name: &str, query: &str) -> Result<(), String> {
    let file = file(paths).ok_or("there is no home folder to keep views in")?;
    let mut views = load(paths);
    views.insert(name.to_string(), query.to_string());
    let text = toml::to_string(&views).map_err(|e| e.to_string())?;
    store::write_whole(&file, text.as_bytes()).map_err(|e| format!("{}: {e}", file.display()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn views_come_back_at_the_next_start() {
        let home = tempfile::tempdir().unwrap();
        let paths = Paths { state: Some(home.path().join("haggle")), ..Paths::default() };
        assert_eq!(load(&paths), BTreeMap::new());
        save(&paths, "big \"ones\"", "vram>=80 gpu:\"RTX 4090\"").unwrap();
        save(&paths, "eu", "region:eu").unwrap();
        save(&paths, "eu", "region:eu,uk").unwrap();
        let views = load(&paths);
        assert_eq!(views["big \"ones\""], "vram>=80 gpu:\"RTX 4090\"");
        assert_eq!(views["eu"], "region:eu,uk");
        assert!(save(&Paths::default(), "a", "b").is_err());
    }
}
