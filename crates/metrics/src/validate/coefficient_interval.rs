//! Intervals of coefficients of a two-by-two table: by resampling topics where enough of them hold what the
//! coefficient hangs on, else by parts, or none (FIGURES 20).

use super::estimate::{FALSE_ALARM, HIT, MISSED, QUIET, Quantity};
use crate::statistics::bootstrap::bootstrap_interval;
use crate::statistics::combined_interval::combine_intervals;
use crate::statistics::difference_interval::difference_of_shares_interval;
use crate::statistics::few_apart::{
    MIN_TOPICS_APART, MIN_TOPICS_DIFFERING, effective_number, topics_apart,
};
use crate::statistics::interval::{Interval, Resampling, TopicSums, ratio, share_interval};

/// Returns the interval of a quantity that `statistic` computes from the four cells of each topic.
pub(super) fn coefficient_interval(
    quantity: Quantity,
    sums: &TopicSums,
    statistic: impl Fn(&[f64]) -> Option<f64> + Sync,
    plan: Resampling,
) -> Option<Interval> {
    let resample = || bootstrap_interval(sums, &statistic, plan);
    let hold = |cells: &[usize]| {
        let parts = sums.rows().map(|row| sum_cells(row, cells));
        effective_number(parts) >= MIN_TOPICS_DIFFERING
    };
    let (positive, negative) = ([HIT, MISSED, FALSE_ALARM], [QUIET, MISSED, FALSE_ALARM]);
    match quantity {
        Quantity::Kappa if hold(&positive) && hold(&negative) => resample(),
        Quantity::F1 | Quantity::PositiveAgreement if hold(&positive) => resample(),
        Quantity::NegativeAgreement if hold(&negative) => resample(),
        Quantity::Kappa
        | Quantity::F1
        | Quantity::PositiveAgreement
        | Quantity::NegativeAgreement => None,
        Quantity::BalancedAccuracy => balanced_accuracy_interval(sums, resample, plan),
        Quantity::PrevalenceIndex => prevalence_interval(sums, plan),
        Quantity::BiasIndex => {
            let differing = sums_of_pairs(sums, |row| {
                (row[MISSED] - row[FALSE_ALARM], sum_cells(row, &ALL))
            });
            difference_of_shares_interval(&differing, plan)
        }
        Quantity::Ac1
        | Quantity::Accuracy
        | Quantity::Agreement
        | Quantity::Precision
        | Quantity::Recall
        | Quantity::Specificity
        | Quantity::FleissKappa
        | Quantity::AlphaNominal
        | Quantity::AlphaOrdinal
        | Quantity::Brier
        | Quantity::CalibrationError => resample(),
    }
}

const ALL: [usize; 4] = [HIT, MISSED, FALSE_ALARM, QUIET];

fn sum_cells(row: &[f64], cells: &[usize]) -> f64 {
    cells.iter().filter_map(|cell| row.get(*cell)).sum()
}

/// Returns a numerator and denominator for each topic that has one.
fn sums_of_pairs(sums: &TopicSums, of: impl Fn(&[f64]) -> (f64, f64)) -> TopicSums {
    let mut pair_sums = TopicSums::new(2);
    for (part, whole) in sums.rows().map(of).filter(|(_, whole)| *whole > 0.0) {
        pair_sums.push(&[part, whole]);
    }
    pair_sums
}

/// The mean of two rates, each of a class.
fn balanced_accuracy_interval(
    sums: &TopicSums,
    resample: impl Fn() -> Option<Interval>,
    plan: Resampling,
) -> Option<Interval> {
    let rates = [(HIT, MISSED), (QUIET, FALSE_ALARM)].map(|(right, wrong)| {
        sums_of_pairs(sums, |row| (row[right], sum_cells(row, &[right, wrong])))
    });
    if rates
        .iter()
        .all(|rate| topics_apart(rate) >= MIN_TOPICS_APART)
    {
        return resample();
    }
    let [caught, quiet] = rates.map(|rate| {
        let interval = share_interval(&rate, plan)?;
        Some((ratio(&rate.total())?, interval))
    });
    combine_intervals([caught?, quiet?], |[caught, quiet]| {
        Some(0.5 * (caught + quiet))
    })
}

/// Both positive less both negative is twice a share less one: that of positive calls of both.
fn prevalence_interval(sums: &TopicSums, plan: Resampling) -> Option<Interval> {
    let calls = sums_of_pairs(sums, |row| {
        let half = 0.5 * (row[MISSED] + row[FALSE_ALARM]);
        (row[HIT] + half, sum_cells(row, &ALL))
    });
    let share = share_interval(&calls, plan)?;
    Some(Interval {
        low: 2.0 * share.low - 1.0,
        high: 2.0 * share.high - 1.0,
        ..share
    })
}
