//! Resolver of typed keys: reads chords against the table.

use super::action::Action;
use super::defaults::{Chord, Context};
use super::key_table::{KeyMatch, KeyTable};
use ratatui::crossterm::event::{KeyCode, KeyEvent};

/// Result of a key.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Resolved {
    Action(Action),
    /// A chord has begun.
    Pending,
    /// Space: what may follow is to be shown.
    Which,
    /// A chord that had begun is given up.
    Cancelled,
    Nothing,
}

/// A key that may follow.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Continuation {
    pub key: KeyEvent,
    pub leads: KeyTarget,
}

/// Target of a key that may follow.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum KeyTarget {
    To(Action),
    /// On to this many more chords.
    On(usize),
}

/// The chord that has begun, if one has.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Resolver {
    pending: Vec<KeyEvent>,
}

impl Resolver {
    /// Reads one key.
    pub fn resolve_key(&mut self, table: &KeyTable, context: Context, key: KeyEvent) -> Resolved {
        if key == KeyEvent::from(KeyCode::Char(' ')) {
            return Resolved::Which;
        }
        if key.code == KeyCode::Esc && !self.pending.is_empty() {
            self.reset();
            return Resolved::Cancelled;
        }
        self.pending.push(key);
        match table.match_keys(context, &self.pending) {
            KeyMatch::Action(action) => {
                self.reset();
                Resolved::Action(action)
            }
            KeyMatch::Prefix => Resolved::Pending,
            KeyMatch::Nothing => {
                self.reset();
                Resolved::Nothing
            }
        }
    }

    /// Returns the keys typed so far; the status line shows them.
    pub fn pending_chord(&self) -> Chord {
        Chord(self.pending.clone())
    }

    /// Returns the keys typed so far and those that may follow, in the order of the help.
    pub fn list_continuations(
        &self,
        table: &KeyTable,
        context: Context,
    ) -> (Chord, Vec<Continuation>) {
        let next = find_continuations(table, context, &self.pending);
        (self.pending_chord(), next)
    }

    /// Forgets what was begun, for example when another screen comes up.
    pub fn reset(&mut self) {
        self.pending.clear();
    }
}

/// Returns the keys that may follow, in the order of the help.
pub fn find_continuations(
    table: &KeyTable,
    context: Context,
    prefix: &[KeyEvent],
) -> Vec<Continuation> {
    let mut continuations: Vec<Continuation> = Vec::new();
    for binding in table.list_bindings(context) {
        let Some([key, more @ ..]) = binding.chord.0.strip_prefix(prefix) else {
            continue;
        };
        let leads = if more.is_empty() {
            KeyTarget::To(binding.action)
        } else {
            KeyTarget::On(1)
        };
        match continuations.iter_mut().find(|known| known.key == *key) {
            Some(Continuation {
                leads: KeyTarget::On(count),
                ..
            }) => *count += 1,
            Some(_) => {}
            None => continuations.push(Continuation { key: *key, leads }),
        }
    }
    continuations
}
