//! What a seat is shown.

use crate::debate::ids::{JudgingId, SeatId, StageId};
use serde::{Deserialize, Serialize};

/// What a seat is shown. Everything that is not named here stays hidden.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Sees {
    /// The topic with its context and preceding conversation.
    #[serde(default)]
    pub topic: bool,
    #[serde(default)]
    pub documents: Documents,
    /// Entries retrieved from long-term memory, when the run uses it.
    #[serde(default)]
    pub memory: bool,
    #[serde(default)]
    pub own_private: OwnPrivate,
    /// The options of the topic, all of them.
    #[serde(default)]
    pub options: bool,
    /// Verdicts on the turns that are seen: off unless the experiment turns them on.
    #[serde(default)]
    pub verdicts: bool,
    /// What these rules found about earlier rounds.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub rulings: Vec<JudgingId>,
    /// The rule that checks citations: its findings stand beside the turns that are seen, and
    /// arguments that rest on a fabricated citation are left out of them.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub screened_by: Option<JudgingId>,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub turns: Vec<TurnSelector>,
    /// The order in which turns of one stage are shown.
    #[serde(default)]
    pub peer_order: PeerOrder,
}

/// Which documents a seat is shown.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Documents {
    #[default]
    None,
    All,
    /// The first document in round 1, one more in each later round.
    ByRound,
}

/// How much of its own private reasoning a chair is shown.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum OwnPrivate {
    #[default]
    None,
    ThisRound,
    All,
}

/// The order of turns that were made side by side.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum PeerOrder {
    /// Shuffled by the session's seed, anew for each reader and round (FIGURES 11).
    #[default]
    Shuffled,
    /// As the seats are numbered.
    Seat,
}

/// Public turns, selected by seat, stage and round.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct TurnSelector {
    /// Seat names, or `self` (the reader's own chair) and `peers` (the other chairs of its seat).
    pub seats: Vec<SeatId>,
    /// Every stage when left out.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub stages: Option<Vec<StageId>>,
    #[serde(default)]
    pub rounds: RoundsSeen,
}

/// Which rounds a selector reaches, counted from the reader's round.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum RoundsSeen {
    /// Everything that came before: earlier rounds, and earlier stages of this one.
    #[default]
    Before,
    /// Earlier rounds only.
    Earlier,
    /// The round before this one.
    Previous,
    /// This round only.
    This,
    First,
}

impl Documents {
    /// Returns how many of the topic's documents, the first ones, are shown in a round.
    pub fn shown(self, given: usize, round: u32) -> usize {
        match self {
            Documents::None => 0,
            Documents::All => given,
            Documents::ByRound => given.min(round as usize),
        }
    }
}
