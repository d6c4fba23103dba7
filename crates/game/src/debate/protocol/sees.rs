//! The `sees` table of a stage or judging rule: the content of a seat's view.

use crate::debate::ids::{JudgingId, SeatId, StageId};
use serde::{Deserialize, Serialize};

/// Content of a view. Everything not named here stays hidden.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Sees {
    /// The topic with its context and preceding conversation.
    #[serde(default)]
    pub topic: bool,
    #[serde(default)]
    pub documents: DocumentsSeen,
    /// Entries retrieved from long-term memory, when the run uses it: once a debate, the same for
    /// every speaker and judge.
    #[serde(default)]
    pub memory: bool,
    #[serde(default)]
    pub own_private: OwnPrivate,
    /// For a rule on turns: what the chair whose turn is judged thought in private before it. Whoever judges by
    /// that rule is alone in being shown it.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub judged_private: bool,
    /// All options of the topic.
    #[serde(default)]
    pub options: bool,
    /// Verdicts on the visible turns: off unless the experiment turns them on.
    #[serde(default)]
    pub verdicts: bool,
    /// For lessons: what the debate was decided, and what each seat was paid for that. Never why, so that
    /// somebody else's in their place differ in nothing else.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub rewards: bool,
    /// Rules whose findings about earlier rounds are shown.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub rulings: Vec<JudgingId>,
    /// The rule that checks citations: its findings are shown with the turns, and arguments that
    /// rest on a fabricated citation are removed.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub screened_by: Option<JudgingId>,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub turns: Vec<TurnSelector>,
    /// The order in which turns of one stage are shown.
    #[serde(default)]
    pub peer_order: PeerOrder,
}

/// Documents that a seat is shown.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum DocumentsSeen {
    #[default]
    None,
    All,
    /// The first document in round 1, one more in each later round.
    ByRound,
}

/// Private reasoning of its own that a chair is shown.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum OwnPrivate {
    #[default]
    None,
    ThisRound,
    All,
}

/// Order of turns made at the same time.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum PeerOrder {
    /// Shuffled by the session's seed, separately for each reader and round (FIGURES 11).
    #[default]
    Shuffled,
    /// By the numbers of the seats.
    Seat,
}

/// Public turns, selected by seat, stage and round.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct TurnSelector {
    /// Seat names, or `self` (the reader's own chair) and `peers` (the other chairs of its seat).
    pub seats: Vec<SeatId>,
    /// Every stage when omitted.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub stages: Option<Vec<StageId>>,
    #[serde(default)]
    pub rounds: RoundsSeen,
}

/// Rounds that a selector covers, relative to the reader's round.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum RoundsSeen {
    /// Everything before: earlier rounds, and earlier stages of this one.
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

impl DocumentsSeen {
    /// Returns the number of the topic's documents, from the first, that are shown in a round.
    pub fn count_visible(self, given: usize, round: u32) -> usize {
        match self {
            DocumentsSeen::None => 0,
            DocumentsSeen::All => given,
            DocumentsSeen::ByRound => given.min(round as usize),
        }
    }
}
