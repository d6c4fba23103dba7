//! Whether an evaluator errs alike everywhere: a correction by one error stands on that.

use super::permuted::{Compared, compared, level};
use crate::metrics::compare::holm;
use crate::metrics::interval::Resampling;
use crate::metrics::p_value::PValue;
use serde::{Deserialize, Serialize};
use std::collections::{BTreeMap, BTreeSet};

/// Above this an error that differs is taken for chance.
const LEVEL: f64 = 0.05;
/// With fewer resamples for each comparison of the family, Holm's smallest p would be no finding.
const RESAMPLES_PER_COMPARISON: u32 = 100;

/// A part in which the evaluator's error is not that of the rest.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Difference {
    /// What divides the turns: arm, round, category.
    pub by: String,
    pub value: String,
    /// Whether it is the sensitivity that differs; else the specificity.
    pub sensitivity: bool,
    pub here: f64,
    pub elsewhere: f64,
    /// By permutation; Holm's, over all parts that were compared.
    pub p: f64,
    /// Whether `p` is the smallest that the number of resamples allows.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub p_is_bound: bool,
    pub permuted: Permuted,
}

impl Difference {
    /// The p-value, to be shown.
    pub fn shown_p(&self) -> PValue {
        PValue {
            value: self.p,
            is_bound: self.p_is_bound,
        }
    }
}

/// Over what the values of a dimension were permuted: the widest group of turns that all have one
/// value stays together.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Permuted {
    /// Each topic has one value, as its category.
    OverTopics,
    /// Topics have several and each session has one, as its arm: within each topic.
    OverSessions,
    /// Sessions have several, as rounds: within each session.
    WithinSessions,
}

/// A labelled turn with the parts that it belongs to.
#[derive(Debug, Clone)]
pub(super) struct Divided<'a> {
    pub topic: &'a str,
    pub session: &'a str,
    pub gold: bool,
    pub found: bool,
    pub weight: f64,
    /// Each dimension with the turn's value; one without a value for it is not there.
    pub parts: Vec<(&'static str, String)>,
}

/// A turn of one class with its value of one dimension, by number.
#[derive(Debug, Clone, Copy)]
pub(super) struct ClassTurn<'a> {
    pub topic: &'a str,
    pub session: &'a str,
    pub value: usize,
    /// Whether the evaluator is right.
    pub right: bool,
    pub weight: f64,
}

/// Compares each part with everything else that has a value of the same dimension, by permutation
/// (see [`compared`]), Holm over all comparisons. Where there are two parts, that is one comparison.
pub(super) fn differences(turns: &[Divided<'_>], plan: Resampling) -> Vec<Difference> {
    if plan.resamples == 0 {
        return Vec::new();
    }
    let dimensions: BTreeSet<&'static str> = turns
        .iter()
        .flat_map(|turn| turn.parts.iter().map(|(by, _)| *by))
        .collect();
    let mut families: Vec<(&'static str, bool, Vec<&str>, Compared)> = Vec::new();
    for by in dimensions {
        // By all turns: of one class there may be few.
        let permuted = level(&with_value(turns, by, |_| true).1);
        for sensitivity in [true, false] {
            let (values, of_class) = with_value(turns, by, |turn| turn.gold == sensitivity);
            if let Some(compared) = compared(&of_class, values.len(), permuted) {
                families.push((by, sensitivity, values, compared));
            }
        }
    }
    let count: usize = families.iter().map(|(.., one)| one.tested.len()).sum();
    let enough = RESAMPLES_PER_COMPARISON.saturating_mul(u32::try_from(count).unwrap_or(u32::MAX));
    let resamples = plan.resamples.max(enough);
    let mut found: Vec<Difference> = Vec::new();
    for (at, (by, sensitivity, values, family)) in (0u64..).zip(&families) {
        // Families differ in their draws, so that one unlucky draw is not all of them.
        let chances = family.p_values(resamples, plan.seed.wrapping_add(at));
        for (tested, p) in family.tested.iter().zip(chances) {
            found.push(Difference {
                by: (*by).to_owned(),
                value: values
                    .get(tested.value)
                    .map_or(String::new(), |value| (*value).to_owned()),
                sensitivity: *sensitivity,
                here: tested.here,
                elsewhere: tested.elsewhere,
                p: p.value,
                p_is_bound: p.is_bound,
                permuted: family.permuted,
            });
        }
    }
    let adjusted = holm(&found.iter().map(|one| one.p).collect::<Vec<_>>());
    for (one, p) in found.iter_mut().zip(adjusted) {
        one.p = p;
    }
    found.retain(|one| one.p < LEVEL);
    found
}

/// The values of a dimension, sorted, and the turns of some kind that have one.
fn with_value<'a>(
    turns: &'a [Divided<'_>],
    by: &str,
    is_wanted: impl Fn(&Divided<'_>) -> bool,
) -> (Vec<&'a str>, Vec<ClassTurn<'a>>) {
    let own = turns.iter().filter(|turn| is_wanted(turn));
    let with_value: Vec<(&Divided<'_>, &str)> = own
        .filter_map(|turn| {
            let (_, value) = turn.parts.iter().find(|(dimension, _)| *dimension == by)?;
            Some((turn, value.as_str()))
        })
        .collect();
    let names: BTreeSet<&str> = with_value.iter().map(|(_, value)| *value).collect();
    let places: BTreeMap<&str, usize> = names.iter().copied().zip(0..).collect();
    let turns = with_value.into_iter().filter_map(|(turn, value)| {
        Some(ClassTurn {
            topic: turn.topic,
            session: turn.session,
            value: *places.get(value)?,
            right: turn.found == turn.gold,
            weight: turn.weight,
        })
    });
    (names.into_iter().collect(), turns.collect())
}
