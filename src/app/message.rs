//! What reaches the program, and what it asks the world to do.

use super::Options;
use super::key::Key;
use super::settings::Setting;
use crate::config::SavedView;
use crate::model::Model;
use crate::offer::Provider;
use crate::provider::Update;
use crate::session::Stock;
use std::sync::Arc;

/// What the mouse did.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum MouseKind {
    /// The left button.
    Click,
    /// The wheel, towards the user.
    WheelDown,
    /// The wheel, away from the user.
    WheelUp,
}

/// A movement of the mouse that means something.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Mouse {
    /// What it did.
    pub kind: MouseKind,
    /// Column of the screen, from 0.
    pub column: u16,
    /// Row of the screen, from 0.
    pub row: u16,
}

/// What comes in from the terminal.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Input {
    /// A key.
    Key(Key),
    /// Pasted text.
    Paste(String),
    /// The mouse.
    Mouse(Mouse),
    /// The screen has this many columns and rows now.
    Resize(u16, u16),
    /// The terminal has, or has lost, the user's attention.
    Focus(bool),
}

/// Everything that can happen.
#[derive(Debug)]
pub enum Msg {
    /// From the terminal.
    Input(Input),
    /// From providers, in the order in which they spoke.
    Providers(Vec<Update>),
    /// The whole saved market, of which only the beginning was shown so far, or why it cannot be
    /// read.
    Loaded(Result<Box<Stock>, String>),
    /// Time has passed.
    Tick,
    /// An effect has been carried out, or has failed.
    Done(Outcome),
}

/// How an effect went.
#[derive(Clone, Debug, PartialEq)]
pub enum Outcome {
    /// Written to this file.
    Wrote(String),
    /// The sequence for the clipboard went to the terminal: what was copied.
    Copied(String),
    /// The clipboard could not take it; it lies in this file.
    CopiedToFile {
        /// Why.
        why: String,
        /// Where.
        file: String,
    },
    /// A model that is not built in was found, or was not.
    Model {
        /// What was asked for.
        name: String,
        /// The model, or why there is none.
        found: Result<Arc<Model>, String>,
    },
    /// The settings were read again, or cannot be.
    Settings(Result<Box<Options>, String>),
    /// Anything else worth saying.
    Note(String),
    /// It failed.
    Failed(String),
}

impl Effect {
    /// Is its outcome sent later, by [`Msg::Done`]?
    pub const fn answers_later(&self) -> bool {
        matches!(self, Effect::FindModel(_) | Effect::Reload)
    }
}

/// What the world is asked to do.
#[derive(Clone, Debug, PartialEq)]
pub enum Effect {
    /// Ask these providers again; none named means all.
    Fetch(Vec<Provider>),
    /// Write a new file into the present folder; never over another one.
    Write {
        /// The name.
        name: String,
        /// What it holds.
        text: String,
        /// It is a script to be run.
        executable: bool,
    },
    /// Put text into the clipboard, or into a file of this name where that cannot be.
    Copy {
        /// The text.
        text: String,
        /// What it is, in words.
        what: String,
        /// The file to fall back to.
        file: String,
    },
    /// Keep a view for the next start.
    SaveView {
        /// Its name.
        name: String,
        /// What it shows.
        view: SavedView,
    },
    /// Keep a setting for the next start; without a value, forget what was kept and read the
    /// settings again.
    Keep {
        /// Which.
        setting: Setting,
        /// As it stands in the file.
        value: Option<String>,
    },
    /// Read the settings file again.
    Reload,
    /// Find a model that is not built in: at the hub, or in a file.
    FindModel(String),
    /// Listen to the mouse, or not.
    Mouse(bool),
    /// Forget what is on the screen and draw everything.
    Redraw,
    /// Stop until the shell continues us.
    Suspend,
    /// Leave.
    Quit {
        /// What to print afterwards.
        print: Option<String>,
    },
}
