//! Keys of a screen that is one key away from everywhere: the one that leads there, and its own.

use super::action::Action;

/// What the table of keys knows of a screen; screens are listed in the order of their keys.
#[derive(Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct ScreenKeys {
    /// The key that leads there.
    pub key: &'static str,
    /// Its name, in the line at the top and in key files.
    pub name: &'static str,
    /// Name of the action that leads there, in key files and in the palette.
    pub action: &'static str,
    /// What that does, in at most 20 letters.
    pub label: &'static str,
    /// What that does, in one sentence.
    pub help: &'static str,
    /// Keys of its context, where that is [`Context::Screen`](super::Context::Screen).
    pub own: &'static [(&'static str, Action)],
}
