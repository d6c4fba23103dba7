//! Bootstrap over topics: an interval of any statistic of their sums.

use super::interval::{
    Interval, IntervalMethod, MIN_TOPICS_FOR_INTERVAL, Resampling, SplitMix64, TopicSums,
    normal_cdf, normal_quantile,
};
use super::quantile::{TAIL, student_above};
use super::sums::compute_mean;
use std::panic::resume_unwind;
use std::thread;

/// Least share of resamples that must have a value for an interval.
const MIN_USABLE_RESAMPLES: f64 = 0.9;
/// Most resamples of an adjusted interval.
const MAX_RESAMPLES: f64 = 40_000.0;
/// Most threads that resample at once.
const MAX_THREADS: usize = 8;
/// Fewest draws of topics for which threads are worth their beginning.
const WORTH_THREADS: u64 = 1 << 22;

/// Resamples topics and returns the bias-corrected and accelerated interval (Efron 1987) of a
/// statistic of their sums. In place of the normal quantile it uses Student's on n − 1 degrees of
/// freedom, widened by √(n / (n − 1)), because the plain interval is too short for few topics.
///
/// Every resample with the same seed and number of topics draws the same topics, so neighbouring
/// figures are comparable, and the order of computation does not matter.
pub(crate) fn bootstrap_interval(
    sums: &TopicSums,
    statistic: impl Fn(&[f64]) -> Option<f64> + Sync,
    plan: Resampling,
) -> Option<Interval> {
    bootstrap_interval_at(sums, statistic, plan, TAIL)
}

/// As [`bootstrap_interval`], with this probability on each side of the interval. Farther out more is drawn, so that as many
/// resamples lie beyond it.
pub(crate) fn bootstrap_interval_at(
    sums: &TopicSums,
    statistic: impl Fn(&[f64]) -> Option<f64> + Sync,
    plan: Resampling,
    tail: f64,
) -> Option<Interval> {
    let topics = sums.topic_count();
    let more = (f64::from(plan.resamples) * TAIL / tail)
        .ceil()
        .min(MAX_RESAMPLES);
    let plan = Resampling {
        resamples: plan.resamples.max(more as u32),
        ..plan
    };
    if topics < MIN_TOPICS_FOR_INTERVAL || plan.resamples == 0 {
        return None;
    }
    let total = sums.total();
    let estimate = statistic(&total).filter(|value| value.is_finite())?;
    let acceleration = compute_acceleration(sums, &total, &statistic)?;
    let resampled_values = resample_statistic(sums, &statistic, plan)?;
    let bias = normal_quantile(share_below(&resampled_values, estimate));
    let n = topics as f64;
    let z = student_above(topics - 1, tail) * (n / (n - 1.0)).sqrt();
    let level = |z: f64| {
        let offset = bias + z;
        let corrected_z = bias + offset / (1.0 - acceleration * offset).max(f64::MIN_POSITIVE);
        normal_cdf(corrected_z)
    };
    let (low, high) = (
        quantile_of_sorted(&resampled_values, level(-z)),
        quantile_of_sorted(&resampled_values, level(z)),
    );
    (low.is_finite() && high.is_finite() && low <= high).then_some(Interval {
        low,
        high,
        method: IntervalMethod::TopicBootstrap,
    })
}

/// Returns the sorted values of the statistic over resamples, `None` when too few have one.
fn resample_statistic(
    sums: &TopicSums,
    statistic: &(impl Fn(&[f64]) -> Option<f64> + Sync),
    plan: Resampling,
) -> Option<Vec<f64>> {
    let topics = u32::try_from(sums.topic_count()).ok()?;
    let threads = match u64::from(topics) * u64::from(plan.resamples) {
        0..WORTH_THREADS => 1,
        _ => thread::available_parallelism().map_or(1, |cores| cores.get().min(MAX_THREADS)),
    };
    let share = (plan.resamples as usize).div_ceil(threads);
    let part = |at: usize| {
        let first = at * share;
        let count = share.min((plan.resamples as usize).saturating_sub(first));
        resample_part(sums, statistic, plan.seed, first, count)
    };
    let mut values = thread::scope(|scope| {
        let others: Vec<_> = (1..threads)
            .map(|at| {
                (
                    at,
                    thread::Builder::new().spawn_scoped(scope, move || part(at)),
                )
            })
            .collect();
        let mut values = part(0);
        for (at, other) in others {
            values.extend(match other {
                Ok(thread) => thread.join().unwrap_or_else(|panic| resume_unwind(panic)),
                // Where the system gives no thread, its part is drawn here.
                Err(_) => part(at),
            });
        }
        values
    });
    values.sort_by(f64::total_cmp);
    let enough = values.len() as f64 >= MIN_USABLE_RESAMPLES * f64::from(plan.resamples);
    enough.then_some(values)
}

/// Returns the values of the statistic over some of the resamples of a seed, which draw what they would if all
/// of them were drawn.
fn resample_part(
    sums: &TopicSums,
    statistic: &impl Fn(&[f64]) -> Option<f64>,
    seed: u64,
    first: usize,
    count: usize,
) -> Vec<f64> {
    let before = first as u64 * sums.topic_count() as u64;
    let mut draws = SplitMix64::new(seed).skip_values(before);
    let mut total = vec![0.0; sums.width];
    let values = (0..count).filter_map(|_| {
        sums.draw_topics(&mut draws, &mut total);
        statistic(&total).filter(|value| value.is_finite())
    });
    values.collect()
}

/// Figures below this are held to it when variation is told from rounding.
const SMALL: f64 = 1e-2;

/// Returns the acceleration by leaving out one topic at a time; `None` without variation.
fn compute_acceleration(
    sums: &TopicSums,
    total: &[f64],
    statistic: &impl Fn(&[f64]) -> Option<f64>,
) -> Option<f64> {
    let values_without_one: Vec<f64> = sums
        .rows()
        .filter_map(|row| {
            let rest: Vec<f64> = total.iter().zip(row).map(|(all, one)| all - one).collect();
            statistic(&rest).filter(|value| value.is_finite())
        })
        .collect();
    if values_without_one.len() < 2 {
        return None;
    }
    let mean = compute_mean(&values_without_one);
    let moment = |power: i32| {
        values_without_one
            .iter()
            .map(|v| (mean - v).powi(power))
            .sum::<f64>()
    };
    let spread = moment(2);
    // Differences of this size are rounding, not variation: of figures that are 0, as kappa where one rater
    // calls all things the same, it is the rounding of the shares that they are made of.
    let rounding = values_without_one.len() as f64 * (mean.abs().max(SMALL) * 1e-12).powi(2);
    if spread <= rounding.max(f64::MIN_POSITIVE) {
        return None;
    }
    Some(moment(3) / (6.0 * spread.powf(1.5)))
}

/// Share of sorted values below a point; ties count half; never 0 or 1.
fn share_below(sorted: &[f64], point: f64) -> f64 {
    let below = sorted.partition_point(|value| *value < point) as f64;
    let not_above = sorted.partition_point(|value| *value <= point) as f64;
    let n = sorted.len() as f64;
    (0.5 * (below + not_above)).clamp(0.5, n - 0.5) / n
}

fn quantile_of_sorted(sorted: &[f64], level: f64) -> f64 {
    let rank = (level * (sorted.len() as f64 + 1.0)).floor() as usize;
    sorted[rank.clamp(1, sorted.len()) - 1]
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::statistics::interval::ratio;

    #[test]
    fn resamples_are_the_same_in_parts() {
        let mut sums = TopicSums::new(2);
        (0..9).for_each(|topic| sums.push(&[f64::from(topic), 10.0]));
        let all = resample_part(&sums, &ratio, 3, 0, 20);
        let parts = [(0, 7), (7, 12), (19, 1)];
        let parts = parts.map(|(first, count)| resample_part(&sums, &ratio, 3, first, count));
        assert_eq!(all, parts.concat());
    }
}
