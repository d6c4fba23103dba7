//! Interval of a mean difference of shares over topics.

use super::bootstrap::bootstrap_interval_at;
use super::few_apart::{MIN_TOPICS_DIFFERING, effective_number};
use super::interval::{
    Interval, IntervalMethod, MIN_TOPICS_FOR_INTERVAL, Resampling, TopicSums, ratio,
};
use super::quantile::{TAIL, normal_above};

/// Returns the interval of Σ d / Σ w from one (d, w) per topic, |d| ≤ w: a difference of two shares of the topic,
/// with its weight.
///
/// By resampling topics, or where few of them differ, by the effective number of Kish (1965), that of Bonett and
/// Price (2012) with topics in place of observations: a topic's difference in part counts as that part of one, which
/// errs on the side of width. `None` with too few topics.
pub(crate) fn difference_of_shares_interval(
    sums: &TopicSums,
    plan: Resampling,
) -> Option<Interval> {
    difference_of_shares_interval_at(sums, plan, TAIL)
}

/// As [`difference_of_shares_interval`], with this probability on each side.
pub(super) fn difference_of_shares_interval_at(
    sums: &TopicSums,
    plan: Resampling,
    tail: f64,
) -> Option<Interval> {
    if sums.topic_count() < MIN_TOPICS_FOR_INTERVAL {
        return None;
    }
    let differing = effective_number(sums.rows().map(|row| row[0]));
    match differing < MIN_TOPICS_DIFFERING {
        true => bonett_price(sums, tail),
        false => bootstrap_interval_at(sums, ratio, plan, tail),
    }
}

/// Bonett and Price (2012, "Adjusted Wald confidence interval for a difference of binomial proportions based on
/// paired data"): one more pair differs each way.
fn bonett_price(sums: &TopicSums, tail: f64) -> Option<Interval> {
    let weight: f64 = sums.rows().map(|row| row[1]).sum();
    if weight <= 0.0 {
        return None;
    }
    let n = effective_number(sums.rows().map(|row| row[1]));
    let side = |sign: f64| {
        let of_side: f64 = sums.rows().map(|row| (sign * row[0]).max(0.0)).sum();
        (n * of_side / weight + 1.0) / (n + 2.0)
    };
    let (more, less) = (side(1.0), side(-1.0));
    let centre = more - less;
    let half = normal_above(tail) * ((more + less - centre * centre) / (n + 2.0)).sqrt();
    Some(Interval {
        low: (centre - half).max(-1.0),
        high: (centre + half).min(1.0),
        method: IntervalMethod::BonettPrice,
    })
}
