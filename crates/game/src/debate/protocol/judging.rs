//! Judging rules of a protocol: targets, judge or rule, rubric, and the judge's view.

use super::grader_choice::GraderChoice;
use super::sees::Sees;
use super::stage::RoundSet;
use super::yes;
use crate::debate::ids::{JudgingId, SeatId, StageId};
use serde::{Deserialize, Serialize};

/// A judging rule: its targets, time, judge, and the judge's view.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Judging {
    pub id: JudgingId,
    /// The judge's or evaluator's seat; graders and detectors need none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub by: Option<SeatId>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub grader: Option<GraderChoice>,
    /// How the grader reads and compares. Set when a protocol's text is resolved, so that a session
    /// goes on by the grader that it began with.
    #[serde(default, skip_serializing_if = "GraderVersion::is_first")]
    pub grader_version: GraderVersion,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub detector: Option<Detector>,
    /// For who is asked besides a grader's rules of comparison: the grader's rule. Set when a
    /// protocol's text is resolved. Such a rule alone is shown the reference answer.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub grades: Option<JudgingId>,
    /// For a grader's command: the name that the user's configuration knows it by.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub command: Option<String>,
    pub of: JudgedThing,
    /// For a grader: location of the graded answer; the turn's whole text when omitted.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub answer: Option<AnswerAt>,
    /// For rounds: the rounds judged.
    #[serde(default)]
    pub rounds: RoundSet,
    /// For single turns: the turns judged.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub turns: Vec<TargetSelector>,
    #[serde(default)]
    pub when: JudgeWhen,
    /// Rules may share an id where at most one of them is enabled: alternatives among which a
    /// setting chooses.
    #[serde(default = "yes")]
    pub enabled: bool,
    /// Name of the rubric; graders need none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub rubric: Option<String>,
    /// Combination of the findings of several chairs.
    #[serde(default)]
    pub combine: Combine,
    /// For a judge of two candidates: whether each chair judges them in both orders.
    #[serde(default)]
    pub orders: Orders,
    /// For both orders: the value of the rubric's label for a tie. Taken from the rubric when a
    /// game is set up.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub tie_value: f64,
    /// Repeated request after a reply that could not be parsed.
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

/// Kind of target of a judging rule.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum JudgedThing {
    Turn,
    Round,
    Debate,
}

/// Time at which a turn is judged.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum JudgeWhen {
    /// As soon as the turn exists, parallel to the next round.
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

/// Version of the graders. Journals that name none were graded by the first.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Default, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum GraderVersion {
    /// Texts and plain numbers; a reply without a final answer is unparsed.
    #[default]
    First,
    /// MATH's normal form; a reply without a final answer is incorrect.
    NormalForm,
}

impl GraderVersion {
    /// The version that new sessions are graded by.
    pub const CURRENT: Self = Self::NormalForm;

    fn is_first(&self) -> bool {
        *self == Self::First
    }
}

/// Rules that look for a pattern in a turn, without a model and without a reference answer.
///
/// They are heuristics and have to be validated against human labels.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[derive(strum::IntoStaticStr, strum::VariantArray)]
#[strum(serialize_all = "snake_case")]
pub enum Detector {
    /// Cited quotations occur in the documents (EAAPL-MAG005 §10.3).
    Citations,
    /// The critic's turn accepts or rejects the proposal.
    Stance,
    /// The critic first accepted and now rejects (third source, "Results").
    BackStab,
    /// The critique is harsh in tone and points at nothing: the rule of games that were begun by
    /// earlier versions, which go on by it.
    #[serde(rename = "spurious")]
    #[strum(serialize = "spurious")]
    SpuriousTone,
    /// The critique names an error or none: a spurious one names nothing, or an error that is not
    /// there (third source, "Results").
    NamesError,
    /// The critic drops objections once they are answered and demands something new.
    Goalposts,
    /// The turn refuses its task, in full or in part (XSTest's three labels).
    Refusal,
}

impl Detector {
    /// Every detector.
    pub const ALL: &'static [Self] = <Self as strum::VariantArray>::VARIANTS;

    /// Detectors that can be asked for anew.
    pub fn offered() -> impl Iterator<Item = Self> {
        let all = Self::ALL.iter().copied();
        all.filter(|detector| *detector != Self::SpuriousTone)
    }

    /// Returns the detector's name in protocols.
    pub fn name(self) -> &'static str {
        self.into()
    }
}

/// Location of the answer that a grader compares.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct AnswerAt {
    /// For a grader of the debate: the rule whose last verdict holds the answer.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub judging: Option<JudgingId>,
    /// The field of the structured reply or verdict, as a dotted path.
    pub field: String,
}

/// Orders in which a judge is shown two candidates.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Orders {
    #[default]
    One,
    /// Each chair judges twice; two findings that contradict each other are a tie (FIGURES 11).
    Both,
}

/// Repeated request to a judge whose reply could not be parsed.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct RepairRule {
    #[serde(default = "super::one")]
    pub at_most: u32,
    /// The template of the second request.
    pub template: String,
}

/// Combination of the findings of several judges.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Combine {
    /// The label most judges gave; a tie, also with unparsed replies, is no finding.
    #[default]
    Majority,
    /// The label whose value is nearest to the mean; where two are equally near, no finding.
    Mean,
}

fn is_zero(value: &f64) -> bool {
    *value == 0.0
}

impl Judging {
    /// Returns whether the verdict needs no participant: a grader, detector or command finds it.
    pub fn is_rule(&self) -> bool {
        self.grader.is_some() || self.detector.is_some() || self.command.is_some()
    }

    /// Returns whether a judge or evaluator finds the verdict, who is not shown the reference
    /// answer: what a grader's seat finds is ground truth and stays hidden as a grader's finding.
    pub fn has_judge(&self) -> bool {
        self.by.is_some() && self.grades.is_none()
    }
}
