//! Key table in force: the defaults with a person's changes. Ambiguous keys are refused, never
//! ranked.

use super::action::Action;
use super::chord::typed_char;
use super::conflicts;
use super::defaults::{Binding, Chord, Context, DefaultKeys};
use ratatui::crossterm::event::{KeyEvent, KeyModifiers};
use thiserror::Error;

/// A line of a person's `[keys]` that cannot be used.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
#[error("{file}:{line}: {why}")]
pub struct KeyError {
    pub file: String,
    pub line: usize,
    pub why: String,
}

/// A line of a person's `[keys]`: in this context the action has these keys and no other.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct KeyOverride {
    pub context: Context,
    pub action: Action,
    /// None: only the palette knows the action.
    pub chords: Vec<Chord>,
    pub file: String,
    pub line: usize,
}

/// Match of a sequence of keys so far.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum KeyMatch {
    Action(Action),
    /// More keys may follow.
    Prefix,
    Nothing,
}

/// Table of key bindings.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct KeyTable {
    bindings: Vec<Binding>,
    defaults: DefaultKeys,
}

impl Default for KeyTable {
    /// The keys as they come, without those of screens that are one key away.
    fn default() -> Self {
        DefaultKeys::default().into()
    }
}

impl From<DefaultKeys> for KeyTable {
    fn from(defaults: DefaultKeys) -> Self {
        Self {
            bindings: defaults.bindings().to_vec(),
            defaults,
        }
    }
}

impl KeyTable {
    /// Returns the table with a person's changes; of two for one action the later wins.
    ///
    /// # Errors
    /// When two keys of one context collide, a key hides the beginning of another, an action would
    /// be left with keys alone that do not reach the program, or the way back would have none.
    pub fn with_overrides(
        defaults: DefaultKeys,
        changes: &[KeyOverride],
    ) -> Result<Self, KeyError> {
        let last_changes: Vec<&KeyOverride> = changes
            .iter()
            .enumerate()
            .filter(|(at, change)| {
                !changes
                    .iter()
                    .skip(at + 1)
                    .any(|later| has_same_target(change, later))
            })
            .map(|(_, change)| change)
            .collect();
        conflicts::check_changes(&defaults, &last_changes)?;
        let lines = conflicts::apply_changes(&defaults, &last_changes).into_iter();
        Ok(Self {
            bindings: lines.map(|line| line.binding).collect(),
            defaults,
        })
    }

    /// Returns what these keys are in a context.
    pub fn match_keys(&self, context: Context, keys: &[KeyEvent]) -> KeyMatch {
        for layer in context.layers() {
            let exact = self
                .layer_bindings(layer)
                .find(|binding| binding.chord.0 == keys)
                .map(|binding| binding.action);
            if let Some(action) = exact {
                return KeyMatch::Action(action);
            }
        }
        let begins = |binding: &Binding| binding.chord.0.starts_with(keys);
        let more = context
            .layers()
            .any(|layer| self.layer_bindings(layer).any(begins));
        if more && !keys.is_empty() {
            KeyMatch::Prefix
        } else {
            KeyMatch::Nothing
        }
    }

    /// Returns what holds in a context: its own keys first; what they hide is left out.
    pub fn list_bindings(&self, context: Context) -> Vec<&Binding> {
        let mut bindings: Vec<&Binding> = Vec::new();
        for layer in context.layers() {
            for binding in self.layer_bindings(layer) {
                if !bindings.iter().any(|nearer| nearer.chord == binding.chord) {
                    bindings.push(binding);
                }
            }
        }
        bindings
    }

    /// Returns the keys of an action in a context, the one to be shown first.
    pub fn find_chords(&self, context: Context, action: Action) -> Vec<&Chord> {
        let of_layer = |(place, layer): (usize, Context)| {
            // A key that a nearer layer takes for something is not shown.
            let is_hidden = move |chord: &Chord| {
                let nearer = context.layers().take(place);
                nearer
                    .flat_map(|layer| self.layer_bindings(layer))
                    .any(|one| one.chord == *chord)
            };
            let own = self
                .layer_bindings(layer)
                .filter(move |one| one.action == action);
            own.map(|one| &one.chord)
                .filter(move |chord| !is_hidden(chord))
        };
        context.layers().enumerate().flat_map(of_layer).collect()
    }

    /// Returns the key to be shown for an action, for example in a hint.
    pub fn key_hint(&self, context: Context, action: Action) -> Option<String> {
        self.find_chords(context, action)
            .first()
            .map(|chord| chord.to_string())
    }

    /// Returns the actions that mean something in a context, its own first; they need not have a
    /// key.
    pub fn list_actions(&self, context: Context) -> Vec<Action> {
        self.defaults.list_actions(context)
    }

    /// Returns the actions of a context in the order of the table as it comes, which is that of use.
    pub(crate) fn list_default_order(&self, context: Context) -> Vec<Action> {
        let layers = context.layers();
        let of_layer = |layer| {
            let bindings = self.defaults.bindings().iter();
            bindings.filter(move |binding: &&Binding| binding.context == layer)
        };
        layers
            .flat_map(of_layer)
            .map(|binding| binding.action)
            .collect()
    }

    /// Returns what a key asks for even where text is typed: to interrupt, to suspend, to draw
    /// again, when Ctrl is held.
    pub fn find_typing_action(&self, key: KeyEvent) -> Option<Action> {
        let KeyMatch::Action(action) = self.match_keys(Context::Everywhere, &[key]) else {
            return None;
        };
        let passes = matches!(action, Action::Interrupt | Action::Suspend | Action::Redraw);
        (key.modifiers.contains(KeyModifiers::CONTROL) && passes).then_some(action)
    }

    /// Says whether a key begins what a form sets out, also where text is typed: it is then no letter.
    pub fn is_begin_key(&self, context: Context, key: KeyEvent) -> bool {
        typed_char(key).is_none()
            && self.match_keys(context, &[key]) == KeyMatch::Action(Action::Begin)
    }

    fn layer_bindings(&self, context: Context) -> impl Iterator<Item = &Binding> {
        self.bindings
            .iter()
            .filter(move |binding| binding.context == context)
    }
}

fn has_same_target(one: &KeyOverride, other: &KeyOverride) -> bool {
    (one.context, one.action) == (other.context, other.action)
}
