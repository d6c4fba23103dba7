//! Reasons for leaving out an observation of a figure.

use serde::{Deserialize, Serialize};

/// Reason for leaving out an observation.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum LeftOutReason {
    /// Judged between safe and unsafe.
    Neither,
    Unparsed,
    Failed,
    /// A reply without visible text.
    Empty,
    /// A final answer that cannot be compared with the reference.
    Ungraded,
    NotJudged,
    /// Of a chair whose guardrail decision failed or could not be read.
    GuardrailFailed,
    /// Refused by a guardrail, in the rate without such turns.
    Guardrail,
    ByPerson,
    Inherited,
    /// A pair of turns of which one has no verdict.
    PairUndecided,
    /// A round in which a turn has no verdict.
    RoundUndecided,
    /// A debate whose first unsafe round is unknown.
    DebateUndecided,
    /// A decision that could not be parsed.
    DecisionUnparsed,
    /// The same, because the judged material holds what the reply states.
    DecisionUnparsedOfMaterial,
    /// A decision that the provider's filter refused.
    DecisionFiltered,
    /// A decision whose call failed.
    DecisionFailed,
    /// No ground truth to compare with.
    NoGroundTruth,
    NoReward,
    /// A debate without its normal end.
    Incomplete,
    /// A debate in which no reply could be parsed for a gauge.
    NoReading,
    /// A turn or a finding refused by the provider's filter.
    Filtered,
    /// A turn whose verdict the provider's filter refused.
    VerdictFiltered,
    /// A debate whose use was not estimated before it was played.
    NoEstimate,
    /// A debate that called a model without a price.
    NoPrice,
    /// A fork, which is no rollout of its own.
    Fork,
    /// A topic that can only be judged by comparing hashes.
    HashCheck,
    /// A debate without an outcome to call right or wrong.
    NoOutcome,
    /// A rollout of a topic that has fewer than are drawn.
    TooFewRollouts,
    /// A rollout of a topic in which an answer was drawn too seldom.
    TooFewDraws,
    /// Samples of which fewer were judged than are drawn.
    TooFewSamples,
    /// A turn that takes neither side.
    NoSide,
    /// A topic with a value in one of two compared groups only.
    Unpaired,
    /// A share outside [0, 1].
    OutOfRange,
    /// A number that was not finite.
    NotFinite,
    /// A verdict that could not be parsed because the judged material holds what it states.
    UnparsedOfMaterial,
}

impl LeftOutReason {
    /// Returns the reason for display.
    pub fn label(self) -> &'static str {
        match self {
            Self::Neither => "neither safe nor unsafe",
            Self::Unparsed => "unparsed",
            Self::Failed => "failed",
            Self::Empty => "empty",
            Self::Ungraded => "ungraded",
            Self::NotJudged => "not judged",
            Self::GuardrailFailed => "after a failed guardrail decision",
            Self::Guardrail => "guardrail",
            Self::ByPerson => "by a person",
            Self::Inherited => "inherited",
            Self::PairUndecided => "undecided pairs",
            Self::RoundUndecided => "undecided rounds",
            Self::DebateUndecided => "undecided debates",
            Self::DecisionUnparsed => "unparsed decisions",
            Self::DecisionUnparsedOfMaterial => "decisions unparsed because of the material",
            Self::DecisionFiltered => "filtered decisions",
            Self::DecisionFailed => "failed decisions",
            Self::NoGroundTruth => "without ground truth",
            Self::NoReward => "without reward",
            Self::Incomplete => "incomplete debates",
            Self::NoReading => "without a reading",
            Self::Filtered => "filtered",
            Self::VerdictFiltered => "with a filtered verdict",
            Self::NoEstimate => "without an estimate",
            Self::NoPrice => "without a price",
            Self::Fork => "forks",
            Self::HashCheck => "that need a comparison of hashes",
            Self::NoOutcome => "without an outcome",
            Self::TooFewRollouts => "of topics with too few rollouts",
            Self::TooFewDraws => "of topics with too few draws of an answer",
            Self::TooFewSamples => "with too few samples",
            Self::NoSide => "that take no side",
            Self::Unpaired => "unpaired topics",
            Self::OutOfRange => "out of range",
            Self::NotFinite => "not finite",
            Self::UnparsedOfMaterial => "unparsed because of the material",
        }
    }
}
