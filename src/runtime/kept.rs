//! Settings that were changed while the program ran, in the folder of what it remembers. The
//! settings file is the user's and is never written to; what was kept here wins over it, and the
//! settings page says so beside each.

use crate::config::{Paths, ViewConfig, store};
use std::path::PathBuf;

/// Where it lies.
pub fn file(paths: &Paths) -> Option<PathBuf> {
    paths.state.as_ref().map(|folder| folder.join("settings.toml"))
}

/// What was kept; nothing where there is no file, or none that can be read.
pub fn load(paths: &Paths) -> ViewConfig {
    let text = file(paths).and_then(|file| std::fs::read_to_string(file).ok());
    text.and_then(|text| toml::from_str(&text).ok()).unwrap_or_default()
}

/// Keeps `value` under `name`; without a value, forgets it.
///
/// # Errors
/// One line that says what is in the way.
pub fn save(paths: &Paths, name: &str, value: Option<&str>) -> Result<(), String> {
    let file = file(paths).ok_or("there is no home folder to keep settings in")?;
    let text = std::fs::read_to_string(&file).unwrap_or_default();
    let mut table: toml::Table = toml::from_str(&text).unwrap_or_default();
    match value {
        None => {
            table.remove(name);
        }
        Some(value) => {
            table.insert(name.to_string(), written(name, value));
        }
    }
    let text = toml::to_string(&table).map_err(|e| e.to_string())?;
    store::write_whole(&file, text.as_bytes()).map_err(|e| format!("{}: {e}", file.display()))
}

/// A value as it stands in the file.
fn written(name: &str, value: &str) -> toml::Value {
    match (name, value) {
        ("columns", list) => list.split(',').map(toml::Value::from).collect::<Vec<_>>().into(),
        (_, "yes") => true.into(),
        (_, "no") => false.into(),
        _ => value.into(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_kept_comes_back_and_can_be_forgotten() {
        let home = tempfile::tempdir().unwrap();
        let paths = Paths { state: Some(home.path().join("haggle")), ..Paths::default() };
        assert_eq!(load(&paths), ViewConfig::default());
        for (name, value) in
            [("theme", "light"), ("mouse", "no"), ("columns", "gpu,total"), ("query", "rel>95%?")]
        {
            save(&paths, name, Some(value)).unwrap();
        }
        let kept = load(&paths);
        assert_eq!(kept.theme.as_deref(), Some("light"));
        assert_eq!(kept.mouse, Some(false));
        assert_eq!(kept.columns, Some(vec!["gpu".into(), "total".into()]));
        assert_eq!(kept.query.as_deref(), Some("rel>95%?"));
        save(&paths, "theme", None).unwrap();
        assert_eq!(load(&paths).theme, None);
        assert!(save(&Paths::default(), "theme", None).is_err());
    }
}
