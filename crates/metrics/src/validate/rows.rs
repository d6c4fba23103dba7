//! Input of a validation: turns with the findings of evaluators and the labels of people, and the
//! options.

use crate::topic_names::RowTopic;
use serde::{Deserialize, Serialize};
use std::collections::{BTreeMap, BTreeSet};

/// One turn's chosen attempt, or a debate as a whole, with all findings and labels.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct ValidateRow {
    /// Unit of independence (FIGURES 1).
    pub topic: RowTopic,
    pub arm: String,
    pub category: Option<String>,
    pub session: String,
    /// Address of the attempt in its session.
    pub turn: String,
    /// Seat and index of the chair.
    pub seat: String,
    /// From 1.
    pub round: u32,
    /// Never pooled with real debates.
    pub simulated: bool,
    /// The topic can only be judged by comparing hashes: reported separately.
    pub hash_check: bool,
    /// Findings by evaluator; one that was not asked about this turn is absent.
    pub found: BTreeMap<String, EvaluatorFinding>,
    pub labels: Vec<GivenLabel>,
}

/// Finding of an evaluator on a turn.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub enum EvaluatorFinding {
    Found {
        /// Spelling in the evaluator's rubric.
        label: String,
        /// Its side in a two-by-two table.
        side: LabelSide,
        /// Probability of the positive class by the evaluator, in [0, 1].
        score: Option<f64>,
    },
    /// The reply could not be parsed.
    Unparsed,
    /// The verdict is missing.
    Missing,
    /// No verdict because a guardrail refused first; counts as negative in error rates (FIGURES 2)
    /// and is no evidence about the evaluator.
    Guardrail,
}

/// One person's label of a turn.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct GivenLabel {
    pub annotator: String,
    /// The label's name in the set.
    pub label: String,
    pub blindness: Blinding,
    pub role: AnnotatorRole,
    /// Above 0 for hidden repeats, which count for self-agreement alone.
    pub repeat: u32,
    /// Draw of a queue; `None` where the person chose the turn.
    pub drawn: Option<LabelDraw>,
    /// How long it was on the screen, where that is known.
    pub spent_ms: Option<u64>,
}

/// Blinding of a label (FIGURES 8).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
pub enum Blinding {
    Yes,
    /// The person had seen the verdict, arm, protocol or prompt version.
    No,
    /// They had been shown the judge's reasons too.
    AfterReasons,
    /// Imported from a file that does not say.
    Unknown,
}

/// Role of the person who gave a label.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize)]
pub enum AnnotatorRole {
    Annotator,
    /// Decides where annotators disagree.
    Adjudicator,
}

/// Draw of a turn for labelling: `taken` of the `of` units of a stratum.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Serialize)]
pub struct LabelDraw {
    pub queue: String,
    pub stratum: String,
    pub taken: u32,
    /// At least `taken`.
    pub of: u32,
    /// Number of those units that contain the turn: one, except for turns of consecutive pairs.
    pub chances: u32,
    /// The population was chosen by the verdicts of evaluators.
    pub by_verdict: bool,
    /// `taken / of` is a probability that somebody states, and neither is a count.
    pub is_stated: bool,
}

impl LabelDraw {
    /// Returns the probability that at least one unit with the turn was drawn: above 0, at most 1
    /// (simple random sampling without replacement within the stratum).
    pub fn probability(&self) -> f64 {
        let taken_units = f64::from(self.taken.max(1));
        let of = f64::from(self.of).max(taken_units);
        if self.chances <= 1 {
            return taken_units / of;
        }
        let miss_chances = (0..self.chances).map(f64::from).map(|nth| {
            let left = of - nth;
            ((left - taken_units) / left.max(1.0)).max(0.0)
        });
        1.0 - miss_chances.product::<f64>()
    }
}

/// Side of a label in a two-by-two table.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum LabelSide {
    Positive,
    Negative,
    /// As *unsure*, or a label without a side: in no figure, and counted. Serialized as `null`.
    #[serde(untagged)]
    Neither,
}

impl LabelSide {
    pub(super) fn from_positive(is_positive: bool) -> Self {
        if is_positive {
            Self::Positive
        } else {
            Self::Negative
        }
    }

    pub(super) fn opposite(self) -> Self {
        match self {
            Self::Positive => Self::Negative,
            Self::Negative => Self::Positive,
            Self::Neither => Self::Neither,
        }
    }

    /// Returns whether it is positive; `None` for neither side.
    pub(super) fn is_positive(self) -> Option<bool> {
        match self {
            Self::Positive => Some(true),
            Self::Negative => Some(false),
            Self::Neither => None,
        }
    }
}

/// The labels of a set, in its order.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct LabelClasses {
    pub set: String,
    /// Noun of what is labelled.
    #[serde(default = "turn_noun", skip_serializing_if = "is_turn_noun")]
    pub of: String,
    /// Each label with its side.
    pub labels: Vec<(String, LabelSide)>,
    /// Deciding labels from the lowest rank to the highest; empty where the set has no ranks.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub ranked: Vec<String>,
}

fn turn_noun() -> String {
    "turn".to_owned()
}

fn is_turn_noun(of: &String) -> bool {
    of == "turn"
}

impl LabelClasses {
    pub(super) fn index_of(&self, label: &str) -> Option<usize> {
        self.labels.iter().position(|(name, _)| name == label)
    }

    /// Returns the deciding labels: those on a side.
    pub(super) fn deciding_labels(&self) -> Vec<&str> {
        let labels_with_side = self.labels.iter().filter(|(_, side)| match side {
            LabelSide::Positive | LabelSide::Negative => true,
            LabelSide::Neither => false,
        });
        labels_with_side.map(|(name, _)| name.as_str()).collect()
    }

    /// Returns the deciding labels, by rank where the set has ranks.
    pub(super) fn ranked_labels(&self) -> Vec<&str> {
        match self.ranked.is_empty() {
            true => self.deciding_labels(),
            false => self.ranked.iter().map(String::as_str).collect(),
        }
    }

    /// Returns a label's side; a label outside of the set is on neither.
    pub(super) fn side_of(&self, label: &str) -> LabelSide {
        let entry = self.labels.iter().find(|(name, _)| name == label);
        entry.map_or(LabelSide::Neither, |(_, side)| *side)
    }

    /// Returns the same set with one label on the positive side and every other deciding one
    /// opposite.
    pub(super) fn with_positive(&self, positive: &str) -> Self {
        let labels = self.labels.iter().map(|(name, side)| {
            let side = match side {
                LabelSide::Positive | LabelSide::Negative => {
                    LabelSide::from_positive(name == positive)
                }
                LabelSide::Neither => LabelSide::Neither,
            };
            (name.clone(), side)
        });
        Self {
            set: self.set.clone(),
            of: self.of.clone(),
            labels: labels.collect(),
            ranked: self.ranked.clone(),
        }
    }

    /// Returns the name of a side: its labels, joined.
    pub(super) fn side_name(&self, side: LabelSide) -> String {
        let on = self.labels.iter().filter(|(_, own)| *own == side);
        let names: Vec<&str> = on.map(|(name, _)| name.as_str()).collect();
        names.join(" or ")
    }
}

/// Rule for gold labels.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum GoldRule {
    /// An adjudicator's label beats the majority of annotators, and that a single annotator's.
    #[default]
    Best,
    /// One annotator's labels.
    Single(String),
    /// The majority, where at least two annotators labelled.
    Majority,
    /// The adjudicator's label.
    Adjudicated,
}

/// Admission of labels by blinding.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum BlindingRule {
    #[default]
    BlindOnly,
    /// Also labels that were not given blind, or are not known to be; none given after the judge's reasons.
    Any,
    /// Only labels given after the judge's reasons were shown, which are counted with no others.
    AfterReasons,
}

/// What an evaluator is to the debates that it finds something about.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum EvaluatorRole {
    /// The judge whose decision the game turns on, or another in its place.
    Decision,
    /// The comparison with the reference answer.
    Grader,
}

impl EvaluatorRole {
    /// Returns what it is called behind its name.
    pub fn label(self) -> &'static str {
        match self {
            Self::Decision => "the judge's decision",
            Self::Grader => "the grader",
        }
    }
}

/// Dimension by which figures are divided.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[derive(strum::EnumString, strum::IntoStaticStr)]
#[strum(serialize_all = "snake_case")]
pub enum PartDimension {
    Category,
    Seat,
    Round,
}

impl PartDimension {
    /// Returns the dimension's name in commands and on screens.
    pub fn label(self) -> &'static str {
        self.into()
    }

    /// Returns the dimension of that name.
    pub fn from_name(name: &str) -> Option<Self> {
        name.parse().ok()
    }

    pub(super) fn value_of(self, row: &ValidateRow) -> String {
        match self {
            Self::Category => match &row.category {
                Some(category) => category.clone(),
                None => crate::sections::counting::NO_VALUE.to_owned(),
            },
            Self::Seat => row.seat.clone(),
            Self::Round => row.round.to_string(),
        }
    }
}

/// Options of a validation.
#[derive(Debug, Clone, PartialEq)]
pub struct ValidateOptions {
    pub classes: LabelClasses,
    /// The only positive label; `None` for the set's own sides.
    pub positive: Option<String>,
    pub gold: GoldRule,
    pub blinding_rule: BlindingRule,
    /// The queue that is the sample; `None` for the one with most labels.
    pub queue: Option<String>,
    pub by: BTreeSet<PartDimension>,
    /// What evaluators are, by their names; the others judge turns.
    pub roles: BTreeMap<String, EvaluatorRole>,
    pub resampling: crate::Resampling,
}
