//! What a seat said in public, and what stood before it: two debates in which both are the same are two
//! draws of what others made of it.

use crate::rows::{DebateRow, TextHash, TurnRow};

/// A turn by its place and its text.
type SpokenTurn<'a> = (&'a str, u32, u32, &'a str, TextHash);

/// Public turns of a debate. Where a text is not known nothing else is the same.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Speech<'a> {
    Turns(Vec<SpokenTurn<'a>>),
    OfSession(&'a str),
}

/// What rollouts are compared by, and their rewards are averaged over.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum ComparedBy {
    /// By what the seat said: its proposal.
    Speech,
    /// By everything that was said.
    Transcript,
}

/// What a seat answered, and to what.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Answer<'a> {
    /// What others had said before the seat's first turn; a critic answers a proposal.
    pub before: Speech<'a>,
    pub speech: Speech<'a>,
}

impl<'a> Answer<'a> {
    pub(super) fn from_debate(debate: &'a DebateRow, seat: &str, by: ComparedBy) -> Self {
        let own = debate.turns.iter().filter(|turn| turn.seat == seat);
        let speech = match by {
            ComparedBy::Speech => Speech::from_turns(debate, own.collect()),
            ComparedBy::Transcript => Speech::from_turns(debate, debate.turns.iter().collect()),
        };
        Self {
            before: Speech::from_turns_before(debate, seat),
            speech,
        }
    }
}

impl<'a> Speech<'a> {
    fn from_turns(debate: &'a DebateRow, turns: Vec<&'a TurnRow>) -> Self {
        if turns.is_empty() {
            return Self::OfSession(&debate.session);
        }
        Self::from_texts(debate, turns.into_iter())
    }

    fn from_turns_before(debate: &'a DebateRow, seat: &str) -> Self {
        let first = debate.turns.iter().find(|turn| turn.seat == seat);
        let Some(first) = first else {
            return Self::Turns(Vec::new());
        };
        // Who speaks in the same stage was not heard.
        let before = debate
            .turns
            .iter()
            .take_while(|turn| (turn.round, &turn.stage) != (first.round, &first.stage));
        Self::from_texts(debate, before)
    }

    fn from_texts(debate: &'a DebateRow, turns: impl Iterator<Item = &'a TurnRow>) -> Self {
        let spoken_turns = turns.map(|turn| {
            let text = turn.text?;
            Some((
                turn.seat.as_str(),
                turn.index,
                turn.round,
                turn.stage.as_str(),
                text,
            ))
        });
        match spoken_turns.collect::<Option<Vec<_>>>() {
            Some(turns) => Self::Turns(turns),
            None => Self::OfSession(&debate.session),
        }
    }
}
