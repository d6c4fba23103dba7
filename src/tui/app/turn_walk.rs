//! Walk through a list of turns in debates: it travels with the debate that is opened from the list, so that the
//! next one is reached without coming back.

use elenchus_view::{TurnAddress, Way};
use std::sync::Arc;

/// A list of turns, in the order of the list, and the turn that is open.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TurnWalk {
    /// What one of them is called, as `wrong or unsafe turn`.
    what: &'static str,
    turns: Arc<[TurnAddress]>,
    here: TurnAddress,
    place: Place,
}

/// Where the open turn is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Place {
    /// It is one of the list.
    Listed(usize),
    /// It is none of them: this one comes after it.
    Before(usize),
}

impl TurnWalk {
    /// A walk that begins at a turn of the list; `None` where the list has none at this place.
    pub fn from_list(what: &'static str, turns: Vec<TurnAddress>, at: usize) -> Option<Self> {
        Some(Self {
            what,
            here: turns.get(at)?.clone(),
            turns: turns.into(),
            place: Place::Listed(at),
        })
    }

    /// A walk that begins at a turn beside the list, before the turn of the list at a place.
    pub fn from_unlisted(
        what: &'static str,
        turns: Vec<TurnAddress>,
        here: TurnAddress,
        next: usize,
    ) -> Self {
        Self {
            what,
            turns: turns.into(),
            here,
            place: Place::Before(next),
        }
    }

    /// Returns the turn that is open.
    pub fn address(&self) -> &TurnAddress {
        &self.here
    }

    /// Returns the walk at the next turn of the list, or at the one before; `None` at its end.
    pub fn step(&self, way: Way) -> Option<Self> {
        let at = match (self.place, way) {
            (Place::Listed(at), Way::Forth) => at + 1,
            (Place::Before(at), Way::Forth) => at,
            (Place::Listed(at) | Place::Before(at), Way::Back) => at.checked_sub(1)?,
        };
        Some(Self {
            here: self.turns.get(at)?.clone(),
            place: Place::Listed(at),
            ..self.clone()
        })
    }

    /// Says which of the list is open.
    pub fn describe(&self) -> String {
        let Self { what, turns, .. } = self;
        match self.place {
            Place::Listed(at) => format!("{what} {} of {}", at + 1, turns.len()),
            Place::Before(_) if turns.is_empty() => format!("no {what} in the list"),
            Place::Before(_) => format!("no {what}"),
        }
    }

    /// Says that the list goes no further.
    pub fn describe_end(&self, way: Way) -> String {
        let Self { what, turns, .. } = self;
        match (turns.is_empty(), way) {
            (true, _) => format!("no {what} in the list"),
            (false, Way::Forth) => format!("no further {what} of {}", turns.len()),
            (false, Way::Back) => format!("no {what} before this one"),
        }
    }
}
