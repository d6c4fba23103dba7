//! Permutation tests of the shares that an evaluator gets right in each part against everywhere else.

use super::differ::{ClassTurn, Permuted};
use crate::metrics::agree::MIN_LABELS_PER_CLASS;
use crate::metrics::interval::Draws;
use crate::metrics::p_value::PValue;
use std::collections::BTreeMap;

/// Differences of statistics below this share of them are rounding.
const ROUNDING: f64 = 1e-9;

/// The parts of one dimension on one class, ready to be permuted.
pub(super) struct Compared {
    pub permuted: Permuted,
    pub tested: Vec<Tested>,
    strata: Vec<Vec<Unit>>,
    /// How many values the dimension has.
    values: usize,
}

/// A value that can be compared with the rest.
pub(super) struct Tested {
    pub value: usize,
    /// The weighted shares that the evaluator gets right.
    pub here: f64,
    pub elsewhere: f64,
}

/// Turns that keep one value when values are permuted.
#[derive(Debug, Clone, Copy, Default)]
struct Unit {
    value: usize,
    turns: usize,
    /// Sums of weights, of those of right findings, and of their squares.
    weight: f64,
    right: f64,
    squares: f64,
    /// By how much `right` is above what the share of all turns lets expect.
    above: f64,
    /// The variance of `right`, where that of a single finding is 1.
    spread: f64,
}

/// Prepares the comparison of each value with the rest; `None` where no value has enough labels inside
/// and outside, or nothing varies.
pub(super) fn compared(
    turns: &[ClassTurn<'_>],
    values: usize,
    permuted: Permuted,
) -> Option<Compared> {
    let mut strata = strata(turns, permuted, values);
    expect(&mut strata)?;
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
    let tested = inside.iter().zip(units_of).enumerate();
    let mut tested: Vec<Tested> = tested
        .filter(|(_, (_, count))| enough(*count))
        .map(|(value, ((_, own, own_right), _))| Tested {
            value,
            here: own_right / own,
            elsewhere: (right - own_right) / (weight - own),
        })
        .collect();
    if values == 2 {
        // Each is the other's rest: one comparison, told of the worse one.
        tested.sort_by(|one, other| one.here.total_cmp(&other.here));
        tested.truncate(1);
    }
    (!tested.is_empty()).then_some(Compared {
        permuted,
        tested,
        strata,
        values,
    })
}

/// Finds the narrowest groups that hold several values, by where most turns are: rounds vary within
/// sessions, arms within topics, categories between topics.
pub(super) fn level<'a>(turns: &[ClassTurn<'a>]) -> Permuted {
    let mostly_mixed = |group: fn(&ClassTurn<'a>) -> &'a str| {
        let mut groups: BTreeMap<&str, (usize, usize, bool)> = BTreeMap::new();
        for turn in turns {
            let known = groups.entry(group(turn)).or_insert((turn.value, 0, false));
            known.1 += 1;
            known.2 |= known.0 != turn.value;
        }
        let mixed = groups.values().filter(|(.., mixed)| *mixed);
        2 * mixed.map(|(_, count, _)| count).sum::<usize>() >= turns.len().max(1)
    };
    if mostly_mixed(|turn| turn.session) {
        Permuted::WithinSessions
    } else if mostly_mixed(|turn| turn.topic) {
        Permuted::OverSessions
    } else {
        Permuted::OverTopics
    }
}

/// Divides turns into strata of units. What cannot be permuted is left out: a topic of several
/// categories, a session of several arms. A session without a turn of the class in some round, or a
/// topic without one by some arm, has an empty unit there, so that its turns can be exchanged too.
fn strata(turns: &[ClassTurn<'_>], permuted: Permuted, values: usize) -> Vec<Vec<Unit>> {
    // By stratum, then by what stays together.
    let mut units: BTreeMap<&str, BTreeMap<(&str, usize), Unit>> = BTreeMap::new();
    for turn in turns {
        let (stratum, together) = match permuted {
            Permuted::OverTopics => ("", turn.topic),
            Permuted::OverSessions => (turn.topic, turn.session),
            Permuted::WithinSessions => (turn.session, ""),
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
            Permuted::OverTopics | Permuted::OverSessions => values_of.get(together) == Some(&1),
            Permuted::WithinSessions => true,
        };
        let units = units.iter().filter(|((together, _), _)| is_whole(together));
        let mut units: Vec<Unit> = units.map(|(_, unit)| *unit).collect();
        match permuted {
            Permuted::OverTopics => {}
            Permuted::OverSessions | Permuted::WithinSessions => {
                let missing =
                    (0..values).filter(|value| units.iter().all(|one| one.value != *value));
                let missing: Vec<usize> = missing.collect();
                units.extend(missing.into_iter().map(|value| Unit {
                    value,
                    ..Unit::default()
                }));
            }
        }
        units
    });
    strata.collect()
}

/// Fills in what is expected of each unit, and how much it varies; `None` where all findings are alike.
///
/// The variance of a unit's right findings is p (1 − p) times Σ w² where they are independent, and
/// times (Σ w)² where they are one finding. What lies between is read off all units together, by the
/// correlation of findings of one unit (a moment estimator).
fn expect(strata: &mut [Vec<Unit>]) -> Option<()> {
    let all = || strata.iter().flatten();
    let weight: f64 = all().map(|unit| unit.weight).sum();
    let share = all().map(|unit| unit.right).sum::<f64>() / weight;
    let variance = share * (1.0 - share);
    // Not a number where there is no unit.
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
struct Inside {
    weight: f64,
    above: f64,
    spread: f64,
}

impl Compared {
    /// The two-sided p-values of the hypotheses that a value makes no difference, in the order of
    /// `tested`: the values are permuted over units within each stratum.
    ///
    /// The statistic of a value is the difference between the shares inside and outside, over the
    /// standard error that it has where findings do not depend on the value: √(K_i / W_i² + K_o / W_o²)
    /// with the sums W of weights and K of spreads. Divided so, values that differ in how many turns
    /// their topics have can be exchanged for each other (Chung and Romano 2013), and a cell of 0 or
    /// 100 % has the uncertainty of its size.
    pub(super) fn p_values(&self, resamples: u32, seed: u64) -> Vec<PValue> {
        let mut values: Vec<Vec<usize>> = self
            .strata
            .iter()
            .map(|units| units.iter().map(|unit| unit.value).collect())
            .collect();
        let observed = self.statistics(&values);
        let mut extreme = vec![0u32; self.tested.len()];
        // Seeds that are beside each other would give draws that overlap.
        let mut draws = Draws::new(Draws::new(seed).next());
        for _ in 0..resamples {
            for values in &mut values {
                shuffle(values, &mut draws);
            }
            let drawn = self.statistics(&values);
            for (count, (drawn, observed)) in extreme.iter_mut().zip(drawn.iter().zip(&observed)) {
                *count += u32::from(*drawn >= observed * (1.0 - ROUNDING));
            }
        }
        let counts = extreme.into_iter();
        counts
            .map(|count| PValue::resampled(count, resamples))
            .collect()
    }

    /// The statistic of each tested value, where units have the values given.
    fn statistics(&self, values: &[Vec<usize>]) -> Vec<f64> {
        let mut inside = vec![Inside::default(); self.values];
        let mut all = Inside::default();
        for (unit, value) in self.strata.iter().flatten().zip(values.iter().flatten()) {
            all.add(unit);
            if let Some(inside) = inside.get_mut(*value) {
                inside.add(unit);
            }
        }
        let statistic = |tested: &Tested| {
            let Some(inside) = inside.get(tested.value) else {
                return 0.0;
            };
            let outside = (all.weight - inside.weight, all.spread - inside.spread);
            // Both shares times W_i·W_o: `above` is 0 over everything.
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

impl Inside {
    fn add(&mut self, unit: &Unit) {
        self.weight += unit.weight;
        self.above += unit.above;
        self.spread += unit.spread;
    }
}

/// Fisher and Yates' (Durstenfeld 1964).
fn shuffle(values: &mut [usize], draws: &mut Draws) {
    for last in (1..values.len()).rev() {
        let bound = u32::try_from(last + 1).unwrap_or(u32::MAX);
        values.swap(last, draws.below(bound));
    }
}
