//! Permutation tests of an evaluator's accuracy in each part against all others.

use super::error_homogeneity::{ClassTurn, PermutationLevel};
use crate::statistics::agreement::MIN_LABELS_PER_CLASS;
use crate::statistics::interval::SplitMix64;
use crate::statistics::p_value::PValue;
use std::collections::BTreeMap;

/// Relative differences of statistics below this are rounding.
const ROUNDING: f64 = 1e-9;

/// The parts of one dimension on one class, ready to be permuted.
pub(super) struct PartComparison {
    pub permuted: PermutationLevel,
    pub tested: Vec<TestedValue>,
    strata: Vec<Vec<PermutedUnit>>,
    /// Number of values of the dimension.
    values: usize,
}

/// A value that can be compared with the rest.
pub(super) struct TestedValue {
    pub value: usize,
    /// Weighted accuracy inside and outside.
    pub here: f64,
    pub elsewhere: f64,
}

/// Turns that keep one value together when values are permuted.
#[derive(Debug, Clone, Copy, Default)]
struct PermutedUnit {
    value: usize,
    turns: usize,
    /// Sums of weights, of the weights of right findings, and of squared weights.
    weight: f64,
    right: f64,
    squares: f64,
    /// Excess of `right` over its expectation from the share of all turns.
    above: f64,
    /// Variance of `right`, in units of a single finding's.
    spread: f64,
}

/// Prepares the comparison of each value with the rest; `None` where no value has enough labels
/// inside and outside, or nothing varies.
pub(super) fn prepare_comparison(
    turns: &[ClassTurn<'_>],
    values: usize,
    permuted: PermutationLevel,
) -> Option<PartComparison> {
    let mut strata = build_strata(turns, permuted, values);
    compute_expectations(&mut strata)?;
    let mut inside = vec![(0, 0.0, 0.0); values];
    let mut units_of = vec![0; values];
    for unit in strata.iter().flatten() {
        if let Some(count) = units_of.get_mut(unit.value) {
            *count += unit.turns;
        }
    }
    for turn in turns {
        if let Some((count, weight, right)) = inside.get_mut(turn.value) {
            *count += 1;
            *weight += turn.weight;
            *right += turn.weight * f64::from(u8::from(turn.right));
        }
    }
    let all: usize = units_of.iter().sum();
    let weight: f64 = inside.iter().map(|(_, weight, _)| weight).sum();
    let right: f64 = inside.iter().map(|(.., right)| right).sum();
    let enough = |count: usize| count.min(all - count) >= MIN_LABELS_PER_CLASS;
    let candidates = inside.iter().zip(units_of).enumerate();
    let mut tested_values: Vec<TestedValue> = candidates
        .filter(|(_, (_, count))| enough(*count))
        .map(|(value, ((_, own, own_right), _))| TestedValue {
            value,
            here: own_right / own,
            elsewhere: (right - own_right) / (weight - own),
        })
        .collect();
    if values == 2 {
        // Two values are each other's rest: one comparison, reported for the worse one.
        tested_values.sort_by(|one, other| one.here.total_cmp(&other.here));
        tested_values.truncate(1);
    }
    (!tested_values.is_empty()).then_some(PartComparison {
        permuted,
        tested: tested_values,
        strata,
        values,
    })
}

/// Finds the narrowest groups that have several values, by the majority of turns: rounds vary
/// within sessions, arms within topics, categories between topics.
pub(super) fn permutation_level<'a>(turns: &[ClassTurn<'a>]) -> PermutationLevel {
    let mostly_varies = |group: fn(&ClassTurn<'a>) -> &'a str| {
        let mut groups: BTreeMap<&str, (usize, usize, bool)> = BTreeMap::new();
        for turn in turns {
            let tally = groups.entry(group(turn)).or_insert((turn.value, 0, false));
            tally.1 += 1;
            tally.2 |= tally.0 != turn.value;
        }
        let mixed_groups = groups.values().filter(|(.., mixed)| *mixed);
        2 * mixed_groups.map(|(_, count, _)| count).sum::<usize>() >= turns.len().max(1)
    };
    if mostly_varies(|turn| turn.session) {
        PermutationLevel::WithinSessions
    } else if mostly_varies(|turn| turn.topic) {
        PermutationLevel::OverSessions
    } else {
        PermutationLevel::OverTopics
    }
}

/// Divides turns into strata of units. Groups that cannot be permuted are left out: a topic of
/// several categories, a session of several arms. A session without a turn of the class in some
/// round, or a topic without one by some arm, has an empty unit there, so that its turns can be
/// exchanged too.
fn build_strata(
    turns: &[ClassTurn<'_>],
    permuted: PermutationLevel,
    values: usize,
) -> Vec<Vec<PermutedUnit>> {
    // By stratum, then by unit.
    let mut units: BTreeMap<&str, BTreeMap<(&str, usize), PermutedUnit>> = BTreeMap::new();
    for turn in turns {
        let (stratum, together) = match permuted {
            PermutationLevel::OverTopics => ("", turn.topic),
            PermutationLevel::OverSessions => (turn.topic, turn.session),
            PermutationLevel::WithinSessions => (turn.session, ""),
        };
        let of_stratum = units.entry(stratum).or_default();
        let unit = of_stratum.entry((together, turn.value)).or_default();
        unit.value = turn.value;
        unit.turns += 1;
        unit.weight += turn.weight;
        unit.right += turn.weight * f64::from(u8::from(turn.right));
        unit.squares += turn.weight * turn.weight;
    }
    let strata = units.into_values().map(|units| {
        let mut values_of: BTreeMap<&str, usize> = BTreeMap::new();
        for (together, _) in units.keys() {
            *values_of.entry(together).or_default() += 1;
        }
        let is_whole = |together: &str| match permuted {
            PermutationLevel::OverTopics | PermutationLevel::OverSessions => {
                values_of.get(together) == Some(&1)
            }
            PermutationLevel::WithinSessions => true,
        };
        let units = units.iter().filter(|((together, _), _)| is_whole(together));
        let mut units: Vec<PermutedUnit> = units.map(|(_, unit)| *unit).collect();
        match permuted {
            PermutationLevel::OverTopics => {}
            PermutationLevel::OverSessions | PermutationLevel::WithinSessions => {
                let missing =
                    (0..values).filter(|value| units.iter().all(|one| one.value != *value));
                let missing: Vec<usize> = missing.collect();
                units.extend(missing.into_iter().map(|value| PermutedUnit {
                    value,
                    ..PermutedUnit::default()
                }));
            }
        }
        units
    });
    strata.collect()
}

/// Computes the expectation and variance of each unit; `None` where all findings are alike.
///
/// The variance of a unit's right findings is p (1 − p) times Σ w² where they are independent, and
/// times (Σ w)² where they are one finding. The value between is estimated from all units together,
/// by the correlation of findings within a unit (a moment estimator).
fn compute_expectations(strata: &mut [Vec<PermutedUnit>]) -> Option<()> {
    let all = || strata.iter().flatten();
    let weight: f64 = all().map(|unit| unit.weight).sum();
    let share = all().map(|unit| unit.right).sum::<f64>() / weight;
    let variance = share * (1.0 - share);
    // NaN where there is no unit.
    if variance.is_nan() || variance <= 0.0 {
        return None;
    }
    let (mut observed, mut independent, mut more) = (0.0, 0.0, 0.0);
    for unit in strata.iter_mut().flatten() {
        unit.above = unit.right - unit.weight * share;
        observed += unit.above.powi(2) / variance;
        independent += unit.squares;
        more += unit.weight.powi(2) - unit.squares;
    }
    let correlation = match more > 0.0 {
        true => ((observed - independent) / more).clamp(0.0, 1.0),
        false => 0.0,
    };
    for unit in strata.iter_mut().flatten() {
        unit.spread = unit.squares + correlation * (unit.weight.powi(2) - unit.squares);
    }
    Some(())
}

/// Sums of the units that have a value.
#[derive(Debug, Clone, Copy, Default)]
struct ValueSums {
    weight: f64,
    above: f64,
    spread: f64,
}

impl PartComparison {
    /// Returns the two-sided p-values of the hypotheses that a value makes no difference, in the
    /// order of `tested`: the values are permuted over units within each stratum.
    ///
    /// The statistic of a value is the difference between the shares inside and outside, over its
    /// standard error where findings do not depend on the value: √(K_i / W_i² + K_o / W_o²) with
    /// the sums W of weights and K of spreads. With this studentization, values whose topics have
    /// different numbers of turns are exchangeable (Chung and Romano 2013), and a cell of 0 or 100
    /// % has the uncertainty of its size.
    pub(super) fn p_values(&self, resamples: u32, seed: u64) -> Vec<PValue> {
        let mut values: Vec<Vec<usize>> = self
            .strata
            .iter()
            .map(|units| units.iter().map(|unit| unit.value).collect())
            .collect();
        let observed_statistics = self.compute_statistics(&values);
        let mut extreme = vec![0u32; self.tested.len()];
        // Neighbouring seeds would give overlapping draws.
        let mut draws = SplitMix64::new(SplitMix64::new(seed).next());
        for _ in 0..resamples {
            for values in &mut values {
                shuffle(values, &mut draws);
            }
            let drawn_statistics = self.compute_statistics(&values);
            for (count, (drawn, observed)) in extreme
                .iter_mut()
                .zip(drawn_statistics.iter().zip(&observed_statistics))
            {
                *count += u32::from(*drawn >= observed * (1.0 - ROUNDING));
            }
        }
        let counts = extreme.into_iter();
        counts
            .map(|count| PValue::from_resamples(count, resamples))
            .collect()
    }

    /// Returns the statistic of each tested value, where units have the given values.
    fn compute_statistics(&self, values: &[Vec<usize>]) -> Vec<f64> {
        let mut inside = vec![ValueSums::default(); self.values];
        let mut all = ValueSums::default();
        for (unit, value) in self.strata.iter().flatten().zip(values.iter().flatten()) {
            all.add_unit(unit);
            if let Some(inside) = inside.get_mut(*value) {
                inside.add_unit(unit);
            }
        }
        let statistic = |tested: &TestedValue| {
            let Some(inside) = inside.get(tested.value) else {
                return 0.0;
            };
            let outside = (all.weight - inside.weight, all.spread - inside.spread);
            // Both shares times W_i·W_o: `above` is 0 over all units.
            let difference = inside.above * all.weight;
            let variance = outside.0.powi(2) * inside.spread + inside.weight.powi(2) * outside.1;
            match variance > 0.0 {
                true => difference.abs() / variance.sqrt(),
                false => 0.0,
            }
        };
        self.tested.iter().map(statistic).collect()
    }
}

impl ValueSums {
    fn add_unit(&mut self, unit: &PermutedUnit) {
        self.weight += unit.weight;
        self.above += unit.above;
        self.spread += unit.spread;
    }
}

/// Shuffles by Fisher and Yates (Durstenfeld 1964).
fn shuffle(values: &mut [usize], draws: &mut SplitMix64) {
    for last in (1..values.len()).rev() {
        let bound = u32::try_from(last + 1).unwrap_or(u32::MAX);
        values.swap(last, draws.next_below(bound));
    }
}
