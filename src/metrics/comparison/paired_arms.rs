//! Paired comparison of two arms on the same labelled questions, per task type and overall
//! (EAAPL-MAG005 §8.1, FIGURES 5): accuracy of each, and the cost of one as a multiple of the
//! other's.

use std::collections::{BTreeMap, BTreeSet};

use serde::{Deserialize, Serialize};

use crate::metrics::report::figure::Interval;
use crate::metrics::report::left_out::LeftOutReason;
use crate::metrics::report::natural_order::natural;
use crate::metrics::rows::{DebateRow, HumanTurns};
use crate::metrics::sections::counting::{FEW_TOPICS, NO_VALUE};
use crate::metrics::statistics::interval::{Resampling, TopicSums, mean_interval, ratio};
use crate::metrics::statistics::p_value::PValue;
use crate::metrics::statistics::paired_tests::{CompareError, PairedTest, TopicValue, holm, pair};

/// Labelled questions of a task type below which a golden set is weak evidence (EAAPL-MAG005
/// §13.3).
pub const MIN_QUESTIONS_PER_TASK_TYPE: usize = 20;

/// Two arms, paired by topic.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct PairedReport {
    pub arm_a: String,
    pub arm_b: String,
    pub simulated: bool,
    pub overall: PairedRow,
    /// One for each category with a paired topic; empty where no topic has one.
    pub task_types: Vec<PairedRow>,
    /// Topics on which only one arm has an outcome.
    pub unpaired_topics: usize,
    /// Debates without a countable outcome, by reason.
    pub left_out_a: BTreeMap<LeftOutReason, usize>,
    pub left_out_b: BTreeMap<LeftOutReason, usize>,
    pub warnings: Vec<String>,
}

/// Two arms on the topics of one task type on which both have an outcome.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct PairedRow {
    /// The category; `None` for all topics together.
    pub task_type: Option<String>,
    pub topics: usize,
    /// Share right, each topic with the same weight.
    pub right_a: f64,
    pub right_b: f64,
    /// `right_a` − `right_b`, with its interval by resampling topics.
    pub difference: f64,
    pub interval: Option<Interval>,
    pub test: PairedTest,
    /// Two-sided, for this row alone.
    pub p_value: f64,
    /// `p_value` is the smallest that the number of resamples allows.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub p_is_bound: bool,
    /// Adjusted over the family of task types (Holm); `None` for all topics together.
    pub p_holm: Option<f64>,
    pub cost: Multiple,
    pub wall: Multiple,
    pub tokens: Multiple,
    pub warnings: Vec<String>,
}

impl PairedRow {
    /// Returns the p-value for display: adjusted where it belongs to a family.
    pub fn shown_p(&self) -> PValue {
        PValue {
            value: self.p_holm.unwrap_or(self.p_value),
            is_bound: self.p_is_bound,
        }
    }
}

/// Use of arm A as a multiple of arm B's: Σ over topics of A's mean per debate / the same of B,
/// over the topics that both played, with or without an outcome.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Multiple {
    pub value: Option<f64>,
    pub interval: Option<Interval>,
    pub topics: usize,
    /// Reason for a missing value.
    pub not_applicable: Option<String>,
}

/// Returns whether the last turn of the debate that the ground truth graded is correct; a turn that
/// a fork inherited is its parent's.
pub fn final_answer_right(debate: &DebateRow) -> Option<bool> {
    let own = debate.turns.iter().filter(|turn| !turn.inherited);
    own.rev().find_map(|turn| turn.correct)
}

/// Returns whether a debate's outcome is right: its conclusion or, in a game without conclusions,
/// its last graded turn. A debate that should have concluded and did not has no outcome, because a
/// turn under debate is not its result.
pub fn outcome_right(debate: &DebateRow) -> Option<bool> {
    if debate.concludes {
        debate.concluded_right
    } else {
        final_answer_right(debate)
    }
}

/// Compares two arms by whether each debate's `outcome` is right; `None` is no outcome, left out
/// and counted.
///
/// A topic's value is the share of its debates that are right. Forks are no debates of their own;
/// topics that need a comparison of hashes are left out, and both are counted.
/// topics that need a comparison of hashes are left out, and both are counted.
pub fn paired_arms(
    rows: &[DebateRow],
    arm_a: &str,
    arm_b: &str,
    outcome: impl Fn(&DebateRow) -> Option<bool>,
    people: HumanTurns,
    plan: Resampling,
) -> Result<PairedReport, CompareError> {
    let of_arms = || {
        rows.iter()
            .filter(|row| row.arm == arm_a || row.arm == arm_b)
    };
    let kinds: BTreeSet<bool> = of_arms().map(|row| row.simulated).collect();
    if kinds.len() > 1 {
        return Err(CompareError::MixesSimulatedAndReal);
    }
    let (a, b) = (
        ArmDebates::from_debates(rows, arm_a, &outcome, people),
        ArmDebates::from_debates(rows, arm_b, &outcome, people),
    );
    // A topic has one task type: the first that is recorded.
    let mut category_of: BTreeMap<&str, &str> = BTreeMap::new();
    for row in of_arms() {
        if a.topics.contains_key(row.topic.as_str()) || b.topics.contains_key(row.topic.as_str()) {
            let category = row.category.as_deref().unwrap_or(NO_VALUE);
            category_of.entry(&row.topic).or_insert(category);
        }
    }
    let mut categories: BTreeMap<&str, BTreeSet<&str>> = BTreeMap::new();
    for (topic, category) in &category_of {
        categories.entry(category).or_default().insert(topic);
    }
    let all: BTreeSet<&str> = category_of.into_keys().collect();
    let overall = row(&a, &b, &all, None, plan).ok_or(CompareError::NothingPaired("right"))?;
    let mut warnings = Vec::new();
    let mut task_types = Vec::new();
    let mut categories: Vec<_> = categories.into_iter().collect();
    categories.sort_by(|(a, _), (b, _)| natural(a, b));
    if categories.len() > 1 || categories.iter().any(|(name, _)| *name != NO_VALUE) {
        for (category, topics) in categories {
            match row(&a, &b, &topics, Some(category), plan) {
                Some(row) => task_types.push(row),
                None => warnings.push(format!(
                    "task type {category}: no question has an outcome in both arms"
                )),
            }
        }
    }
    let p_values: Vec<f64> = task_types.iter().map(|row| row.p_value).collect();
    for (row, p) in task_types.iter_mut().zip(holm(&p_values)) {
        row.p_holm = Some(p);
    }
    let simulated = kinds.contains(&true);
    if simulated {
        warnings.push(
            "simulated: a check of the instrument, no evidence about models or protocols"
                .to_owned(),
        );
    }
    Ok(PairedReport {
        arm_a: arm_a.to_owned(),
        arm_b: arm_b.to_owned(),
        simulated,
        unpaired_topics: all
            .iter()
            .filter(|topic| a.value(topic).is_some() != b.value(topic).is_some())
            .count(),
        overall,
        task_types,
        left_out_a: a.left_out,
        left_out_b: b.left_out,
        warnings,
    })
}

/// Debates of one arm by topic.
#[derive(Default)]
struct TopicDebates<'a> {
    debates: Vec<&'a DebateRow>,
    outcomes: Vec<bool>,
}

struct ArmDebates<'a> {
    topics: BTreeMap<&'a str, TopicDebates<'a>>,
    left_out: BTreeMap<LeftOutReason, usize>,
}

impl<'a> ArmDebates<'a> {
    fn from_debates(
        rows: &'a [DebateRow],
        arm: &str,
        outcome: &impl Fn(&DebateRow) -> Option<bool>,
        people: HumanTurns,
    ) -> Self {
        let mut found = Self {
            topics: BTreeMap::new(),
            left_out: BTreeMap::new(),
        };
        for debate in rows.iter().filter(|row| row.arm == arm) {
            let excluded = if debate.has_inherited_turns() {
                Some(LeftOutReason::Fork)
            } else if debate.hash_check {
                Some(LeftOutReason::HashCheck)
            } else {
                debate.excluded(people)
            };
            if let Some(reason) = excluded {
                *found.left_out.entry(reason).or_default() += 1;
                continue;
            }
            let played = found.topics.entry(debate.topic.as_str()).or_default();
            played.debates.push(debate);
            match outcome(debate) {
                Some(right) => played.outcomes.push(right),
                None => *found.left_out.entry(LeftOutReason::NoOutcome).or_default() += 1,
            }
        }
        found
    }

    fn value(&self, topic: &str) -> Option<TopicValue> {
        let outcomes = &self.topics.get(topic)?.outcomes;
        let right = outcomes.iter().filter(|right| **right).count() as f64;
        (!outcomes.is_empty()).then(|| TopicValue {
            value: right / outcomes.len() as f64,
            one_binary: outcomes.len() == 1,
        })
    }

    /// Returns the mean use per debate on a topic.
    fn used(&self, topic: &str, used: fn(&DebateRow) -> Option<f64>) -> Option<Result<f64, usize>> {
        let debates = &self.topics.get(topic)?.debates;
        let known: Vec<f64> = debates.iter().filter_map(|debate| used(debate)).collect();
        Some(if known.len() < debates.len() {
            Err(debates.len() - known.len())
        } else {
            Ok(known.iter().sum::<f64>() / known.len() as f64)
        })
    }
}

fn row(
    a: &ArmDebates<'_>,
    b: &ArmDebates<'_>,
    topics: &BTreeSet<&str>,
    task_type: Option<&str>,
    plan: Resampling,
) -> Option<PairedRow> {
    let pairs: Vec<_> = topics
        .iter()
        .filter_map(|topic| Some((b.value(topic)?, a.value(topic)?)))
        .collect();
    let paired = pair(&pairs, plan)?;
    let mut warnings = Vec::new();
    if task_type.is_some() && pairs.len() < MIN_QUESTIONS_PER_TASK_TYPE {
        warnings.push(format!(
            "fewer than {MIN_QUESTIONS_PER_TASK_TYPE} labelled questions of this task type"
        ));
    } else if pairs.len() < FEW_TOPICS {
        warnings.push(format!("fewer than {FEW_TOPICS} topics"));
    }
    let multiple = |used| multiple(a, b, topics, used, plan);
    Some(PairedRow {
        task_type: task_type.map(str::to_owned),
        topics: pairs.len(),
        right_a: paired.second,
        right_b: paired.first,
        difference: paired.difference,
        interval: paired.interval,
        test: paired.test,
        p_value: paired.p_value.value,
        p_is_bound: paired.p_value.is_bound,
        p_holm: None,
        cost: multiple(|debate| debate.usage.cost_usd.filter(|cost| cost.is_finite())),
        wall: multiple(|debate| Some(debate.usage.wall_ms as f64)),
        tokens: multiple(|debate| {
            Some(debate.usage.input_tokens as f64 + debate.usage.output_tokens as f64)
        }),
        warnings,
    })
}

fn multiple(
    a: &ArmDebates<'_>,
    b: &ArmDebates<'_>,
    topics: &BTreeSet<&str>,
    used: fn(&DebateRow) -> Option<f64>,
    plan: Resampling,
) -> Multiple {
    let mut sums = TopicSums::new(2);
    let mut unknown = 0;
    for topic in topics {
        match (a.used(topic, used), b.used(topic, used)) {
            (Some(Ok(a)), Some(Ok(b))) => sums.push(&[a, b]),
            (Some(a), Some(b)) => unknown += a.err().unwrap_or(0) + b.err().unwrap_or(0),
            (None, _) | (_, None) => {}
        }
    }
    let value = ratio(&sums.total()).filter(|value| unknown == 0 && value.is_finite());
    Multiple {
        value,
        interval: value.and_then(|_| mean_interval(&sums, plan)),
        topics: sums.topics(),
        not_applicable: match value {
            Some(_) => None,
            None if unknown > 0 => Some(format!(
                "debates that called a model without a price: {unknown}"
            )),
            None => Some("that of B is 0".to_owned()),
        },
    }
}
