//! Saved views on disk: names, queries and orders, one to a line, in the folder of what the program
//! remembers. Views of the settings file stand beside them and are never written to.

use crate::config::{Paths, SavedView, store};
use std::collections::BTreeMap;
use std::path::PathBuf;

fn file(paths: &Paths) -> Option<PathBuf> {
    paths.state.as_ref().map(|folder| folder.join("views.toml"))
}

/// What was saved; nothing where there is no file, or none that can be read.
pub fn load(paths: &Paths) -> BTreeMap<String, SavedView> {
    let text = file(paths).and_then(|file| std::fs::read_to_string(file).ok());
    text.and_then(|text| toml::from_str(&text).ok()).unwrap_or_default()
}

/// Adds a view, or replaces the one of that name. Two runs that do so at once lose nothing; a file that
/// cannot be read is kept aside.
///
/// # Errors
/// One line that says what is in the way.
pub fn save(paths: &Paths, name: &str, view: &SavedView) -> Result<(), String> {
    let file = file(paths).ok_or("there is no home folder to keep views in")?;
    let add = |old: Option<Vec<u8>>| {
        let text = String::from_utf8(old.unwrap_or_default()).ok();
        let known = text.and_then(|text| toml::from_str::<BTreeMap<String, SavedView>>(&text).ok());
        let mut views = match known {
            Some(views) => views,
            None => store::keep_aside(&file).map(|_| BTreeMap::new())?,
        };
        views.insert(name.to_string(), view.clone());
        let text = toml::to_string(&views).map_err(std::io::Error::other)?;
        Ok(text.into_bytes())
    };
    store::update(&file, add).map_err(|e| format!("{}: {e}", file.display()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn views_come_back_at_the_next_start() {
        let home = tempfile::tempdir().unwrap();
        let paths = Paths { state: Some(home.path().join("haggle")), ..Paths::default() };
        assert_eq!(load(&paths), BTreeMap::new());
        let view = |query: &str| SavedView::Query(query.into());
        let big = view("vram>=80 gpu:\"RTX 4090\"");
        let fast = SavedView::Ordered { query: "region:eu,uk".into(), sort: "hours,-rel".into() };
        save(&paths, "big \"ones\"", &big).unwrap();
        save(&paths, "eu", &view("region:eu")).unwrap();
        save(&paths, "eu", &fast).unwrap();
        let views = load(&paths);
        assert_eq!(views["big \"ones\""], big);
        assert_eq!(views["eu"], fast);
        assert!(save(&Paths::default(), "a", &big).is_err());
        let file = home.path().join("haggle/views.toml");
        std::fs::write(&file, "no = [toml").unwrap();
        save(&paths, "us", &view("region:us")).unwrap();
        assert_eq!(load(&paths).len(), 1);
        let aside = home.path().join("haggle/views.toml.unreadable");
        assert_eq!(std::fs::read_to_string(aside).unwrap(), "no = [toml");
    }
}
