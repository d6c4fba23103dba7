//! Homogeneity of an evaluator's error: tests whether its error rates are equal across parts, the
//! assumption of the correction by a single rate.

use super::permutation_test::{PartComparison, permutation_level, prepare_comparison};
use crate::report::text_layout::escape_hidden;
use crate::statistics::interval::Resampling;
use crate::statistics::p_value::PValue;
use crate::statistics::paired_tests::adjust_by_holm;
use serde::{Deserialize, Serialize};
use std::collections::{BTreeMap, BTreeSet};

/// Significance level of a difference.
const LEVEL: f64 = 0.05;
/// Least resamples per comparison of the family; with fewer, Holm's smallest p could not be
/// significant.
const RESAMPLES_PER_COMPARISON: u32 = 100;

/// A part in which the evaluator's error differs from the rest.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct ErrorDifference {
    /// Dimension: arm, round, category.
    pub by: String,
    pub value: String,
    /// The sensitivity differs; else the specificity.
    pub sensitivity: bool,
    pub here: f64,
    pub elsewhere: f64,
    /// By permutation, adjusted by Holm over all parts that were compared.
    pub p: f64,
    /// `p` is the smallest that the number of resamples allows.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub p_is_bound: bool,
    pub permuted: PermutationLevel,
}

impl ErrorDifference {
    /// Says where the evaluator errs more, and what is not to be compared across that.
    pub fn describe(&self) -> String {
        let what = if self.sensitivity {
            "sensitivity"
        } else {
            "specificity"
        };
        let scope = match self.permuted {
            PermutationLevel::OverTopics => "over topics",
            PermutationLevel::OverSessions => "within topics",
            PermutationLevel::WithinSessions => "within sessions",
        };
        format!(
            "{what} differs by {}: {:.1} % in {}, {:.1} % elsewhere (p {}, permuted {scope}, Holm); \
             do not compare by Rogan and Gladen's rates across it",
            self.by,
            100.0 * self.here,
            escape_hidden(&self.value),
            100.0 * self.elsewhere,
            self.shown_p()
        )
    }

    /// Returns the p-value for display.
    pub fn shown_p(&self) -> PValue {
        PValue {
            value: self.p,
            is_bound: self.p_is_bound,
        }
    }
}

/// Units whose values of a dimension are permuted: the widest group of turns with one value stays
/// together.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum PermutationLevel {
    /// Each topic has one value, as its category.
    OverTopics,
    /// Topics have several and each session has one, as its arm: permuted within each topic.
    OverSessions,
    /// Sessions have several, as rounds: permuted within each session.
    WithinSessions,
}

/// A labelled turn with the parts that it belongs to.
#[derive(Debug, Clone)]
pub(super) struct PartitionedTurn<'a> {
    pub topic: &'a str,
    pub session: &'a str,
    pub gold: bool,
    pub verdict: bool,
    pub weight: f64,
    /// Dimensions with the turn's value; a dimension without a value is omitted.
    pub parts: Vec<(&'static str, String)>,
}

/// A turn of one class with its value of one dimension, by index.
#[derive(Debug, Clone, Copy)]
pub(super) struct ClassTurn<'a> {
    pub topic: &'a str,
    pub session: &'a str,
    pub value: usize,
    /// The evaluator is right.
    pub right: bool,
    pub weight: f64,
}

/// Compares each part with all other turns that have a value of the same dimension, by permutation
/// (see [`prepare_comparison`]), adjusted by Holm over all comparisons. Two parts are one comparison.
pub(super) fn find_error_differences(
    turns: &[PartitionedTurn<'_>],
    plan: Resampling,
) -> Vec<ErrorDifference> {
    if plan.resamples == 0 {
        return Vec::new();
    }
    let dimensions: BTreeSet<&'static str> = turns
        .iter()
        .flat_map(|turn| turn.parts.iter().map(|(by, _)| *by))
        .collect();
    let mut families: Vec<(&'static str, bool, Vec<&str>, PartComparison)> = Vec::new();
    for by in dimensions {
        // By all turns: of one class there may be few.
        let level = permutation_level(&with_value(turns, by, |_| true).1);
        for sensitivity in [true, false] {
            let (values, of_class) = with_value(turns, by, |turn| turn.gold == sensitivity);
            if let Some(comparison) = prepare_comparison(&of_class, values.len(), level) {
                families.push((by, sensitivity, values, comparison));
            }
        }
    }
    let count: usize = families.iter().map(|(.., one)| one.tested.len()).sum();
    let enough = RESAMPLES_PER_COMPARISON.saturating_mul(u32::try_from(count).unwrap_or(u32::MAX));
    let resamples = plan.resamples.max(enough);
    let mut error_differences: Vec<ErrorDifference> = Vec::new();
    for (at, (by, sensitivity, values, family)) in (0u64..).zip(&families) {
        // Families have different draws, so that one unlucky draw does not affect all of them.
        let chances = family.p_values(resamples, plan.seed.wrapping_add(at));
        for (tested, p) in family.tested.iter().zip(chances) {
            error_differences.push(ErrorDifference {
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
    let adjusted_p_values = adjust_by_holm(
        &error_differences
            .iter()
            .map(|one| one.p)
            .collect::<Vec<_>>(),
    );
    for (one, p) in error_differences.iter_mut().zip(adjusted_p_values) {
        one.p = p;
    }
    error_differences.retain(|one| one.p < LEVEL);
    error_differences
}

/// Returns the values of a dimension, sorted, and the turns of some kind that have one.
fn with_value<'a>(
    turns: &'a [PartitionedTurn<'_>],
    by: &str,
    is_wanted: impl Fn(&PartitionedTurn<'_>) -> bool,
) -> (Vec<&'a str>, Vec<ClassTurn<'a>>) {
    let own = turns.iter().filter(|turn| is_wanted(turn));
    let with_value: Vec<(&PartitionedTurn<'_>, &str)> = own
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
            right: turn.verdict == turn.gold,
            weight: turn.weight,
        })
    });
    (names.into_iter().collect(), turns.collect())
}
