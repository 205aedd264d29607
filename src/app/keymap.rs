//! Which keys ask for which action: the defaults of the table, changed by the configuration.

use super::action::{ACTIONS, Action, Context};
use super::key::{self, Key};

/// A key or a sequence, where it works, and what it asks for.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Binding {
    /// The keys, one after the other.
    pub keys: Vec<Key>,
    /// Where.
    pub context: Context,
    /// What.
    pub action: Action,
}

/// All bindings.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Keymap {
    bindings: Vec<Binding>,
}

/// What a key means after the keys before it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Lookup {
    /// This action.
    Action(Action),
    /// The start of a longer sequence.
    Prefix,
    /// Nothing.
    Nothing,
}

impl Default for Keymap {
    fn default() -> Self {
        Self::new([]).0
    }
}

impl Keymap {
    /// The defaults, with the keys of some actions replaced. Whatever is wrong with the changes
    /// comes back as lines; what can be used is used.
    pub fn new<'a>(
        changes: impl IntoIterator<Item = (&'a str, &'a [String])>,
    ) -> (Self, Vec<String>) {
        let mut problems = Vec::new();
        let mut own: Vec<(Action, Vec<Vec<Key>>)> = Vec::new();
        for (name, keys) in changes {
            let Some(action) = Action::from_name(name) else {
                problems.push(format!("[keys] there is no action `{name}`{}", near(name)));
                continue;
            };
            let mut read = Vec::new();
            for text in keys {
                match Key::parse_sequence(text) {
                    Ok(sequence) => read.push(sequence),
                    Err(wrong) => problems.push(format!("[keys] {name}: {wrong}")),
                }
            }
            own.push((action, read));
        }
        let mut map = Self { bindings: Vec::new() };
        // What the user chose goes first, so that it wins over a default with the same keys.
        for (action, sequences) in &own {
            for keys in sequences {
                map.bind(*action, keys, true, &mut problems);
            }
        }
        for entry in ACTIONS {
            if own.iter().any(|(action, _)| *action == entry.action) {
                continue;
            }
            for text in entry.keys {
                if let Ok(keys) = Key::parse_sequence(text) {
                    map.bind(entry.action, &keys, false, &mut problems);
                }
            }
        }
        (map, problems)
    }

    fn bind(&mut self, action: Action, keys: &[Key], chosen: bool, problems: &mut Vec<String>) {
        for context in action.entry().contexts.iter().copied() {
            if context == Context::Text && keys.first().is_some_and(|k| k.typed().is_some()) {
                if chosen {
                    problems.push(format!(
                        "[keys] {}: `{}` would be typed, not obeyed, in a line of text",
                        action.name(),
                        key::sequence(keys)
                    ));
                }
                continue;
            }
            let clash = self.bindings.iter().find(|b| {
                b.context == context
                    && b.action != action
                    && (b.keys.starts_with(keys) || keys.starts_with(&b.keys))
            });
            match clash {
                None => {
                    self.bindings.push(Binding { keys: keys.to_vec(), context, action });
                }
                Some(other) => problems.push(format!(
                    "[keys] `{}` asks for {} already; {} does not get it",
                    key::sequence(keys),
                    other.action.name(),
                    action.name()
                )),
            }
        }
        problems.dedup();
    }

    /// What `key` means after `before`.
    pub fn lookup(&self, context: Context, before: &[Key], key: Key) -> Lookup {
        let mut prefix = false;
        for binding in self.bindings.iter().filter(|b| b.context == context) {
            let Some(rest) = binding.keys.strip_prefix(before) else { continue };
            match rest.split_first() {
                Some((first, [])) if *first == key => return Lookup::Action(binding.action),
                Some((first, _)) if *first == key => prefix = true,
                _ => {}
            }
        }
        if prefix { Lookup::Prefix } else { Lookup::Nothing }
    }

    /// What may follow `before`: the hint after a prefix.
    pub fn following(&self, context: Context, before: &[Key]) -> Vec<(String, Action)> {
        let after = |b: &Binding| Some(key::sequence(b.keys.strip_prefix(before)?));
        let here =
            self.bindings.iter().filter(|b| b.context == context && b.keys.len() > before.len());
        here.filter_map(|b| Some((after(b)?, b.action))).collect()
    }

    /// The keys of an action, as they are written, in the first of its contexts.
    pub fn keys_of(&self, action: Action) -> Vec<String> {
        let Some(context) = action.entry().contexts.first() else { return Vec::new() };
        let own = self.bindings.iter().filter(|b| b.action == action && b.context == *context);
        own.map(|b| key::sequence(&b.keys)).collect()
    }

    /// The first key of an action, for hints.
    pub fn hint(&self, action: Action) -> Option<String> {
        self.keys_of(action).into_iter().next()
    }
}

/// `; did you mean …?`, when a name comes close.
fn near(name: &str) -> String {
    let close = crate::market::query::nearest(name, ACTIONS.iter().map(|e| e.name));
    close.map_or(String::new(), |n| format!("; did you mean `{n}`?"))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn changed(changes: &[(&str, &[&str])]) -> (Keymap, Vec<String>) {
        let owned: Vec<(&str, Vec<String>)> = changes
            .iter()
            .map(|(n, keys)| (*n, keys.iter().map(ToString::to_string).collect()))
            .collect();
        Keymap::new(owned.iter().map(|(n, k)| (*n, k.as_slice())))
    }

    #[test]
    fn the_defaults_have_no_conflict() {
        let (map, problems) = changed(&[]);
        assert_eq!(problems, Vec::<String>::new());
        assert_eq!(map.lookup(Context::Table, &[], Key::char('j')), Lookup::Action(Action::Down));
        assert_eq!(map.lookup(Context::Table, &[], Key::char('g')), Lookup::Prefix);
        assert_eq!(
            map.lookup(Context::Table, &[Key::char('g')], Key::char('g')),
            Lookup::Action(Action::Top)
        );
        let following = map.following(Context::Table, &[Key::char('g')]);
        let expected = [
            ("g".into(), Action::Top),
            ("c".into(), Action::GoColumn),
            ("e".into(), Action::Elsewhere),
            ("n".into(), Action::Counts),
            ("p".into(), Action::Pareto),
        ];
        assert_eq!(following, expected);
    }

    #[test]
    fn every_action_can_be_reached_by_key_or_by_name() {
        let map = Keymap::default();
        for entry in ACTIONS {
            let reached = !map.keys_of(entry.action).is_empty() || entry.action.is_command();
            assert!(reached || entry.action == Action::SortByNumber, "{}", entry.name);
        }
    }

    #[test]
    fn no_printable_key_is_obeyed_in_a_line_of_text() {
        let map = Keymap::default();
        for c in ' '..='~' {
            assert_eq!(map.lookup(Context::Text, &[], Key::char(c)), Lookup::Nothing, "{c}");
        }
    }

    #[test]
    fn keys_can_be_changed_and_conflicts_are_told() {
        let (map, problems) = changed(&[("quit", &["Q"]), ("down", &["I"])]);
        assert_eq!(problems, Vec::<String>::new());
        assert_eq!(map.lookup(Context::Table, &[], Key::char('q')), Lookup::Nothing);
        assert_eq!(map.lookup(Context::Table, &[], Key::char('I')), Lookup::Action(Action::Down));

        let (map, problems) = changed(&[("quit", &["j"])]);
        assert_eq!(map.lookup(Context::Table, &[], Key::char('j')), Lookup::Action(Action::Quit));
        assert_eq!(problems, ["[keys] `j` asks for quit already; down does not get it"]);

        let (_, problems) = changed(&[("qit", &["j"]), ("quit", &["hyper-j"])]);
        assert!(problems[0].contains("no action `qit`"), "{problems:?}");
        assert!(problems[1].contains("`hyper-j` is no key"), "{problems:?}");
        let (_, problems) = changed(&[("text-accept", &["a"])]);
        assert!(problems[0].contains("would be typed"), "{problems:?}");
    }
}
