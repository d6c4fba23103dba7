//! Several arms against the first one, paired by topic (FIGURES 5): by error and agreement rate, and by whether
//! outcomes are right. Pure.

use serde::{Deserialize, Serialize};

use super::paired_arms::{PairedReport, outcome_right, paired_arms};
use crate::metrics::report::figure::{Interval, Measure, Unit};
use crate::metrics::report::text::{bare, format_value, push_line, push_wrapped, visible, wrap};
use crate::metrics::rows::{DebateRow, HumanTurns};
use crate::metrics::sections::counting::FEW_TOPICS;
use crate::metrics::statistics::interval::Resampling;
use crate::metrics::statistics::p_value::PValue;
use crate::metrics::statistics::paired_tests::{CompareError, Comparison, holm, paired_by_topic};

/// Measures that arms are compared by, besides whether their outcomes are right.
const COMPARED: [Measure; 2] = [Measure::ErrorRate, Measure::AgreementRate];
/// Name of the comparison by right outcomes.
const RIGHT: &str = "right";

const MIN_WIDTH: usize = 76;
const TOPICS: usize = 7;
const SHARE: usize = 9;
const INTERVAL: usize = 17;
const P: usize = 8;

/// An arm against the first one.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct ArmComparison {
    pub measure: String,
    pub arm: String,
    pub first: String,
    /// `None` where there is no topic on which both have a value.
    pub found: Option<ArmDifference>,
    /// Reason for a missing difference.
    pub not_applicable: Option<String>,
}

/// Difference of an arm from the first one, a share.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct ArmDifference {
    /// Means over the topics on which both have a value.
    pub of_arm: f64,
    pub of_first: f64,
    /// `of_arm` − `of_first`, with its interval by resampling topics.
    pub difference: f64,
    pub interval: Option<Interval>,
    /// Two-sided, for this arm alone.
    pub p_value: f64,
    /// Adjusted over the arms that are compared by this measure (Holm).
    pub p_holm: f64,
    /// `p_value` is the smallest that the number of resamples allows.
    pub p_is_bound: bool,
    pub topics: usize,
}

/// Compares every other arm with the first one, by each measure that a pair of them has. Topics that need a
/// comparison of hashes are left out.
pub fn against_first(
    rows: &[DebateRow],
    arms: &[String],
    people: HumanTurns,
    plan: Resampling,
) -> Vec<ArmComparison> {
    let Some((first, others)) = arms.split_first() else {
        return Vec::new();
    };
    let rows = rows.iter().filter(|row| !row.hash_check);
    let rows: Vec<DebateRow> = rows.cloned().collect();
    let of_arm = |arm: &str| -> Vec<DebateRow> {
        let own = rows.iter().filter(|row| row.arm == arm);
        own.cloned().collect()
    };
    let of_first = of_arm(first);
    let mut found = Vec::new();
    for measure in COMPARED {
        let family = others.iter().map(|arm| {
            let compared = paired_by_topic(&of_first, &of_arm(arm), measure, people, plan);
            compared_arm(measure.label(), arm, first, compared.map(by_measure))
        });
        found.extend(adjusted(family.collect()));
    }
    if rows.iter().any(|row| outcome_right(row).is_some()) {
        let family = others.iter().map(|arm| {
            let compared = paired_arms(&rows, arm, first, outcome_right, people, plan);
            compared_arm(RIGHT, arm, first, compared.map(by_outcome))
        });
        found.extend(adjusted(family.collect()));
    }
    found
}

fn by_measure(found: Comparison) -> ArmDifference {
    ArmDifference {
        of_arm: found.second,
        of_first: found.first,
        difference: found.difference,
        interval: found.interval,
        p_value: found.p_value,
        p_holm: found.p_value,
        p_is_bound: found.p_is_bound,
        topics: found.topics,
    }
}

fn by_outcome(found: PairedReport) -> ArmDifference {
    let row = found.overall;
    ArmDifference {
        of_arm: row.right_a,
        of_first: row.right_b,
        difference: row.difference,
        interval: row.interval,
        p_value: row.p_value,
        p_holm: row.p_value,
        p_is_bound: row.p_is_bound,
        topics: row.topics,
    }
}

fn compared_arm(
    measure: &str,
    arm: &str,
    first: &str,
    compared: Result<ArmDifference, CompareError>,
) -> ArmComparison {
    let why = compared.as_ref().err().map(|error| match error {
        CompareError::NothingPaired(_) => "no topic has a value in both".to_owned(),
        CompareError::MixesSimulatedAndReal => "one is simulated, the other is not".to_owned(),
    });
    ArmComparison {
        measure: measure.to_owned(),
        arm: arm.to_owned(),
        first: first.to_owned(),
        found: compared.ok(),
        not_applicable: why,
    }
}

/// Adjusts the p-values of a family; nothing is left of one in which no arm has the measure.
fn adjusted(mut family: Vec<ArmComparison>) -> Vec<ArmComparison> {
    let mut known: Vec<&mut ArmDifference> = family
        .iter_mut()
        .filter_map(|one| one.found.as_mut())
        .collect();
    if known.is_empty() {
        return Vec::new();
    }
    let p_values: Vec<f64> = known.iter().map(|one| one.p_value).collect();
    for (one, p) in known.iter_mut().zip(holm(&p_values)) {
        one.p_holm = p;
    }
    family
}

/// Renders comparisons as text of at most `width` columns ([`MIN_WIDTH`] where that is more).
pub fn against_first_to_table(comparisons: &[ArmComparison], width: usize) -> String {
    let width = width.max(MIN_WIDTH);
    let mut out = String::new();
    let Some(first) = comparisons.first() else {
        return out;
    };
    let title = format!("Against {}, paired by topic", visible(&first.first));
    push_wrapped(&mut out, &title, width);
    let name = width - TOPICS - 3 * SHARE - INTERVAL - P;
    let mut measure = "";
    for one in comparisons {
        if one.measure != measure {
            measure = &one.measure;
            out.push('\n');
            push_line(
                &mut out,
                &format!(
                    "{measure:<name$}{:>TOPICS$}{:>SHARE$}{:>SHARE$}{:>SHARE$}{:>INTERVAL$}{:>P$}",
                    "topics", "arm", "first", "diff", "95 % interval", "p"
                ),
            );
        }
        row_lines(&mut out, one, name);
    }
    out.push('\n');
    push_wrapped(
        &mut out,
        "diff: arm less first; p: adjusted over the arms of a measure (Holm)",
        width,
    );
    let few = |one: &ArmComparison| one.found.as_ref().is_some_and(|it| it.topics < FEW_TOPICS);
    if comparisons.iter().any(few) {
        push_wrapped(
            &mut out,
            &format!("! fewer than {FEW_TOPICS} topics"),
            width,
        );
    }
    out
}

fn row_lines(out: &mut String, one: &ArmComparison, name: usize) {
    let mut names = wrap(&visible(&one.arm), name - 1).into_iter();
    let first = names.next().unwrap_or_default();
    let share = |value: f64| format_value(value, Unit::Share);
    match &one.found {
        None => {
            let why = one.not_applicable.as_deref().unwrap_or("no value");
            push_line(out, &format!("{first:<name$}n/a ({why})"));
        }
        Some(found) => {
            let interval = found.interval.map(|interval| {
                let (low, high) = (interval.low, interval.high);
                format!("{} to {}", bare(low, Unit::Share), bare(high, Unit::Share))
            });
            let p = PValue {
                value: found.p_holm,
                is_bound: found.p_is_bound,
            };
            push_line(
                out,
                &format!(
                    "{first:<name$}{:>TOPICS$}{:>SHARE$}{:>SHARE$}{:>SHARE$}{:>INTERVAL$}{:>P$}",
                    found.topics,
                    share(found.of_arm),
                    share(found.of_first),
                    share(found.difference),
                    interval.unwrap_or_default(),
                    p,
                ),
            );
        }
    }
    for line in names {
        push_line(out, &line);
    }
}
