//! The one table of actions. The keymap, the help screen, the hint after a prefix, the command
//! line, the README's table of keys and the check of the configuration are made from it.

/// Where a key is pressed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Context {
    /// The table, with nothing over it.
    Table,
    /// A list or page over the table.
    List,
    /// A line of text.
    Text,
}

/// What belongs together in the help.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Group {
    /// Moving about.
    Move,
    /// What is shown.
    Filter,
    /// In which order.
    Sort,
    /// The training setup.
    Setup,
    /// A closer look.
    Look,
    /// Taking it away.
    Take,
    /// Typing.
    Type,
    /// The program itself.
    Program,
}

impl Group {
    /// All groups, in the order of the help.
    pub const ALL: [Group; 8] = [
        Group::Move,
        Group::Filter,
        Group::Sort,
        Group::Setup,
        Group::Look,
        Group::Take,
        Group::Type,
        Group::Program,
    ];

    /// The heading.
    pub const fn title(self) -> &'static str {
        match self {
            Group::Move => "Move",
            Group::Filter => "Filter",
            Group::Sort => "Sort",
            Group::Setup => "Training setup",
            Group::Look => "Look closer",
            Group::Take => "Take away",
            Group::Type => "In a line of text",
            Group::Program => "Program",
        }
    }
}

/// A row of the table.
#[derive(Clone, Copy, Debug)]
pub struct Entry {
    /// The action.
    pub action: Action,
    /// Its name in the configuration and on the command line.
    pub name: &'static str,
    /// What it does, in one line.
    pub about: &'static str,
    /// Keys that it has unless the configuration says otherwise.
    pub keys: &'static [&'static str],
    /// Where these keys work.
    pub contexts: &'static [Context],
    /// Where it stands in the help.
    pub group: Group,
}

macro_rules! actions {
    ($($group:ident in $contexts:ident { $($variant:ident $name:literal [$($key:literal),*] $about:literal;)* })*) => {
        /// Something that the user can ask for.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
        pub enum Action {
            $($(#[doc = $about] $variant,)*)*
        }

        /// All actions, in the order of the help.
        pub const ACTIONS: &[Entry] = &[
            $($(Entry {
                action: Action::$variant,
                name: $name,
                about: $about,
                keys: &[$($key),*],
                contexts: $contexts,
                group: Group::$group,
            },)*)*
        ];
    };
}

const TABLE: &[Context] = &[Context::Table];
const BOTH: &[Context] = &[Context::Table, Context::List];
const LIST: &[Context] = &[Context::List];
const TEXT: &[Context] = &[Context::Text];
const ALL: &[Context] = &[Context::Table, Context::List, Context::Text];

actions! {
    Move in BOTH {
        Down "down" ["j", "down"] "Next row.";
        Up "up" ["k", "up"] "Previous row.";
        Left "left" ["h", "left"] "Column to the left, or previous value.";
        Right "right" ["l", "right"] "Column to the right, or next value.";
        PageDown "page-down" ["pgdn", "ctrl-f"] "One page down.";
        PageUp "page-up" ["pgup", "ctrl-b"] "One page up.";
        HalfDown "half-page-down" ["ctrl-d"] "Half a page down.";
        HalfUp "half-page-up" ["ctrl-u"] "Half a page up.";
        Top "top" ["gg", "home"] "First row.";
        Bottom "bottom" ["G", "end"] "Last row.";
    }
    Move in TABLE {
        PanelDown "panel-down" ["}", "shift-down"] "Scroll the side panel down.";
        PanelUp "panel-up" ["{", "shift-up"] "Scroll the side panel up.";
    }
    Filter in TABLE {
        Search "search" ["/"] "Any text: GPU, provider, place, host.";
        Query "query" ["f"] "Edit the whole query, with completion.";
        FilterVram "filter-vram" ["v"] "Memory per GPU.";
        FilterReliability "filter-reliability" ["%"] "Reliability.";
        FilterBandwidth "filter-bandwidth" ["b"] "Download speed.";
        FilterRegion "filter-region" ["R"] "Region: europe, us, !cn; continents, countries.";
        FilterPrice "filter-price" ["p"] "Price per hour.";
        FilterTotal "filter-total" ["T"] "Total cost of the job.";
        FitOnly "fit-only" ["F"] "Only what fits, or everything again.";
        UnknownPolicy "unknown-reliability" ["N"] "Keep or hide offers that state no reliability.";
        KeepCell "keep-like-this" ["="] "Keep what equals the current cell.";
        ExcludeCell "exclude-like-this" ["x"] "Exclude what equals the current cell.";
        ClearQuery "clear-query" ["X"] "Show everything.";
        DefaultQuery "default-query" [] "Back to the query of the start.";
        Views "views" ["'"] "Saved views.";
        SaveView "save-view" ["\""] "Save query and order as a view.";
        Why "why" ["w"] "Why rows are hidden, and what would bring them back.";
    }
    Filter in BOTH {
        WhyNot "why-not" ["H"] "Why one offer is hidden: search it, see its checklist.";
    }
    Sort in TABLE {
        SortMenu "sort" ["s"] "Choose sort keys.";
        SortColumn "sort-column" ["S"] "Sort by the current column; again turns it round.";
        SortAdd "sort-add" ["a"] "Add the current column as a further key.";
        GoColumn "go-column" ["gc"] "Go to a column by its letters or its number.";
        SortByNumber "sort-by-number" [] "Sort by the column of that number (keys 1 to 9).";
        Columns "columns" ["C"] "Choose and order columns.";
    }
    Setup in TABLE {
        EditSetup "setup" ["J", "t"] "Edit the training setup.";
        WhatIf "what-if" ["W"] "Replace an assumption: share of peak, hazard, fees, speeds, idle.";
        NextPricing "pricing" ["o"] "On demand, spot, or both.";
        CheckpointLess "checkpoint-more-often" ["["] "Shorter time between checkpoints.";
        CheckpointMore "checkpoint-less-often" ["]"] "Longer time between checkpoints.";
        ApplyAdvice "apply-advice" ["A"] "Apply what would make this offer fit.";
        Undo "undo" ["u"] "Undo the last change of query, order or setup.";
        Redo "redo" ["U"] "Redo it.";
    }
    Look in TABLE {
        Panel "panel" ["tab"] "Show or hide the side panel: facts, fit, bill, time.";
        Explain "explain" ["i"] "The current cell in full: what it is, who says so, when.";
        Detail "detail" ["d", "enter"] "Every figure of this offer, its longest sequence: says who, when?";
        Mark "mark" ["space"] "Mark or unmark this offer.";
        ClearMarks "clear-marks" ["M"] "Unmark all, and forget the noted setups.";
        NoteSetup "note-setup" ["K"] "Note this setup: c then compares the offer under each.";
        Compare "compare" ["c"] "Compare marked offers, or one under the noted setups.";
        Freeze "freeze" ["z"] "Hold the market still, or let it go on.";
        Providers "providers" ["P"] "Providers: state, rows, age, errors.";
        Elsewhere "elsewhere" ["E", "ge"] "The same hardware in other places, cheapest job first.";
        Counts "gpu-counts" ["n", "gn"] "1, 2, 4, 8 of this card: hours, dollars, fit.";
        Pareto "pareto" ["$", "gp"] "Cost against hours: the front, as a chart to walk along.";
    }
    Look in BOTH {
        Deadline "deadline" ["D"] "Deadline, a line in the chart of cost against hours.";
        Budget "budget" ["B"] "Budget, a line in the chart of cost against hours.";
    }
    Take in TABLE {
        Export "export" ["e"] "Export this offer: data, command or file.";
        CopyCommand "copy-command" ["y"] "Copy the launch command.";
        CopyJson "copy-json" ["Y"] "Copy the offer with its quote as JSON.";
        CopyRow "copy-row" ["ctrl-y"] "Copy the row as text.";
        CopyCell "copy-cell" ["ctrl-k"] "Copy the current cell.";
    }
    Program in LIST {
        Accept "accept" ["enter"] "Take the selected line.";
        Toggle "toggle" ["space"] "Turn the selected line on or off.";
        RaiseLine "raise" ["K", "shift-up"] "Move the selected line up.";
        LowerLine "lower" ["J", "shift-down"] "Move the selected line down.";
        PinLine "freeze-column" ["f"] "Hold the selected column: it never goes for want of room.";
        ClearLine "clear-line" ["del", "backspace"] "Clear the selected line.";
        Close "close" ["esc", "q"] "Close this page.";
    }
    Type in TEXT {
        TextAccept "text-accept" ["enter"] "Take what is typed.";
        TextCancel "text-cancel" ["esc", "ctrl-g"] "Leave without a change.";
        TextComplete "text-complete" ["tab"] "Next completion.";
        TextCompleteBack "text-complete-back" ["backtab"] "Previous completion.";
        TextUp "text-up" ["up", "ctrl-p"] "Previous line, or an earlier entry.";
        TextDown "text-down" ["down", "ctrl-n"] "Next line, or a later entry.";
        TextLeft "text-left" ["left", "ctrl-b"] "One character to the left.";
        TextRight "text-right" ["right", "ctrl-f"] "One character to the right.";
        TextWordLeft "text-word-left" ["alt-b", "ctrl-left"] "One word to the left.";
        TextWordRight "text-word-right" ["alt-f", "ctrl-right"] "One word to the right.";
        TextHome "text-home" ["home", "ctrl-a"] "To the start.";
        TextEnd "text-end" ["end", "ctrl-e"] "To the end.";
        TextBackspace "text-backspace" ["backspace", "ctrl-h"] "Delete the character before.";
        TextDelete "text-delete" ["del", "ctrl-d"] "Delete the character after.";
        TextDeleteWord "text-delete-word" ["ctrl-w", "alt-backspace"] "Delete the word before.";
        TextDeleteToStart "text-delete-to-start" ["ctrl-u"] "Delete everything before.";
        TextDeleteToEnd "text-delete-to-end" ["ctrl-k"] "Delete everything after.";
    }
    Program in TABLE {
        Help "help" ["?", "f1"] "All keys, searchable.";
        Command "command" [":"] "Any action by its name.";
        Refresh "refresh" ["r", "ctrl-r", "f5"] "Ask the providers again.";
        Settings "settings" [","] "Settings: theme, characters, mouse, start; kept for the next time.";
        Reload "reload" [] "Read the settings file again.";
        MouseToggle "mouse" ["m"] "Mouse on, or off so that text can be selected.";
        Suspend "suspend" ["ctrl-z"] "Back to the shell for a while.";
        Back "back" ["esc"] "Close what is open; clear the fuzzy text.";
        Quit "quit" ["q"] "Quit.";
    }
    Program in ALL {
        Redraw "redraw" ["ctrl-l"] "Draw everything anew.";
        ForceQuit "quit-now" ["ctrl-c"] "Quit, from anywhere.";
    }
}

impl Action {
    /// Its row of the table.
    pub fn entry(self) -> &'static Entry {
        // The rows stand in the order of the enum (a test holds it).
        &ACTIONS[self as usize]
    }

    /// Its name in the configuration and on the command line.
    pub fn name(self) -> &'static str {
        self.entry().name
    }

    /// The action of that name.
    pub fn from_name(name: &str) -> Option<Action> {
        ACTIONS.iter().find(|e| e.name == name).map(|e| e.action)
    }

    /// Can it be asked for by name on the command line?
    pub fn is_command(self) -> bool {
        self.entry().contexts.contains(&Context::Table) && self != Action::SortByNumber
    }
}

/// The table of keys for the README, in Markdown: one row for each group.
pub fn key_table() -> String {
    let mut text = String::from("| | keys |\n|---|---|\n");
    for group in Group::ALL {
        let entries = ACTIONS.iter().filter(|e| e.group == group && e.is_for_table());
        let words: Vec<String> = entries.map(Entry::for_readme).collect();
        if !words.is_empty() {
            let row = format!("| {} | {} |\n", group.title(), words.join(" · "));
            text.push_str(&row);
        }
    }
    text
}

impl Entry {
    fn is_for_table(&self) -> bool {
        self.contexts.contains(&Context::Table)
    }

    fn for_readme(&self) -> String {
        let keys: Vec<String> =
            self.keys.iter().map(|k| format!("`{}`", k.replace('|', "\\|"))).collect();
        let keys = match (self.action, keys.is_empty()) {
            (Action::SortByNumber, _) => "`1`…`9`".to_string(),
            (_, true) => "`:`".to_string(),
            (_, false) => keys.join(" "),
        };
        format!("{keys} {}", self.name)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rows_stand_in_order_and_names_are_unique() {
        let mut names = std::collections::BTreeSet::new();
        for (index, entry) in ACTIONS.iter().enumerate() {
            assert_eq!(entry.action as usize, index);
            assert!(names.insert(entry.name), "{} twice", entry.name);
            assert!(entry.about.ends_with(['.', '?']) && entry.about.len() < 70, "{}", entry.about);
            assert_eq!(Action::from_name(entry.name), Some(entry.action));
        }
    }

    #[test]
    fn the_readme_table_has_every_action() {
        let table = key_table();
        for entry in ACTIONS.iter().filter(|e| e.is_for_table()) {
            assert!(table.contains(entry.name), "{}", entry.name);
        }
    }
}
