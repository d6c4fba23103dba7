//! What is judged, by whom or by which rule, and what the judge sees.

use super::sees::Sees;
use super::stage::RoundSet;
use super::yes;
use crate::debate::ids::{JudgingId, SeatId, StageId};
use serde::{Deserialize, Serialize};

/// Which turns or rounds are judged, when, by whom, and what the judge sees.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Judging {
    pub id: JudgingId,
    /// The judge's or evaluator's seat; graders and detectors need none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub by: Option<SeatId>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub grader: Option<Grader>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub detector: Option<Detector>,
    pub of: JudgedThing,
    /// For a grader: where the answer stands that is graded; the turn's whole text when left out.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub answer: Option<AnswerAt>,
    /// For rounds: which of them.
    #[serde(default)]
    pub rounds: RoundSet,
    /// For single turns: which ones.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub turns: Vec<TargetSelector>,
    #[serde(default)]
    pub when: JudgeWhen,
    /// Rules may share an id where at most one of them is enabled: alternatives among which a
    /// setting chooses.
    #[serde(default = "yes")]
    pub enabled: bool,
    /// The rubric's name; graders need none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub rubric: Option<String>,
    /// How the findings of several chairs become one.
    #[serde(default)]
    pub combine: Combine,
    /// For a judge of two candidates: whether each chair judges them in both orders.
    #[serde(default)]
    pub orders: Orders,
    /// For both orders: what the rubric's label for a tie is worth. It is taken from the rubric
    /// when a game is put together.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub tie_value: f64,
    /// Whether a reply that cannot be read is asked for again.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub repair: Option<RepairRule>,
    #[serde(default)]
    pub sees: Sees,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub max_tokens: Option<u32>,
}

/// Turns to judge.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct TargetSelector {
    pub seats: Vec<SeatId>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub stages: Option<Vec<StageId>>,
    #[serde(default)]
    pub rounds: RoundSet,
}

/// What a verdict is about.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum JudgedThing {
    Turn,
    Round,
    Debate,
}

/// When a turn is judged.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum JudgeWhen {
    /// As soon as it is there, beside the next round.
    #[default]
    Soon,
    /// After the last round.
    End,
}

/// Ground-truth graders. They alone see the reference answer.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Grader {
    /// Boxed if the reference or the reply is boxed, numeric if it is a number, alias otherwise.
    Auto,
    Exact,
    Alias,
    Boxed,
    Numeric,
}

/// Rules that look for a pattern in a turn, without a model and without a reference answer.
///
/// They are heuristics: how far they can be trusted is for people to find out by labelling.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Detector {
    /// Whether what is cited stands in the documents (EAAPL-MAG005 §10.3).
    Citations,
    /// Whether a critic's turn accepts or rejects the proposal.
    Stance,
    /// Whether a critic first accepted and now rejects (third source, "Results").
    BackStab,
    /// Whether a critique is harsh and points at nothing (third source, "Results").
    Spurious,
    /// Whether a critic drops its objections once they are answered and demands something new.
    Goalposts,
    /// Whether a turn refuses what it is asked, in full or in part (XSTest's three labels).
    Refusal,
}

impl Detector {
    /// Every detector.
    pub const ALL: [Detector; 6] = [
        Detector::Citations,
        Detector::Stance,
        Detector::BackStab,
        Detector::Spurious,
        Detector::Goalposts,
        Detector::Refusal,
    ];

    /// Returns the word by which it is named.
    pub fn name(self) -> &'static str {
        match self {
            Detector::Citations => "citations",
            Detector::Stance => "stance",
            Detector::BackStab => "back_stab",
            Detector::Spurious => "spurious",
            Detector::Goalposts => "goalposts",
            Detector::Refusal => "refusal",
        }
    }
}

/// Where the answer stands that a grader compares.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct AnswerAt {
    /// For a grader of the debate: the rule whose last verdict holds the answer.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub judging: Option<JudgingId>,
    /// The field of the structured reply or verdict, as a dotted path.
    pub field: String,
}

/// In which orders two candidates are shown to a judge.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Orders {
    #[default]
    One,
    /// Each chair judges twice; two findings that contradict each other are a tie (FIGURES 11).
    Both,
}

/// How a judge is asked again whose reply could not be read.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct RepairRule {
    #[serde(default = "super::one")]
    pub at_most: u32,
    /// The template of the second request.
    pub template: String,
}

/// How findings of several judges become one.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Combine {
    /// The label most judges gave; a tie, also with replies that could not be read, is no finding.
    #[default]
    Majority,
    /// The label whose value is nearest to the mean; where two are equally near, no finding.
    Mean,
}

fn is_zero(value: &f64) -> bool {
    *value == 0.0
}

impl Judging {
    /// Says whether the verdict needs nobody: a grader or a detector finds it on the spot.
    pub fn is_rule(&self) -> bool {
        self.grader.is_some() || self.detector.is_some()
    }
}
