//! Interval of a figure from those of the figures that it is computed from.

use super::interval::{Interval, IntervalMethod};

/// Returns the interval of `of` these values, each with its own interval: the distances that each part's limits move
/// it are added up as if the parts were independent (Zou and Donner 2008). Where the error of one part is made up
/// for by another, it errs on the side of width. `None` where a limit has no figure.
pub(crate) fn combine_intervals<const N: usize>(
    parts: [(f64, Interval); N],
    statistic: impl Fn([f64; N]) -> Option<f64>,
) -> Option<Interval> {
    let values = parts.map(|(value, _)| value);
    let value = statistic(values)?;
    let (mut below, mut above) = (0.0, 0.0);
    for (at, (_, interval)) in parts.iter().enumerate() {
        let value_at = |end: f64| {
            let mut values = values;
            values[at] = end;
            statistic(values)
        };
        let (low, high) = (value_at(interval.low)?, value_at(interval.high)?);
        below += (value - low.min(high)).max(0.0).powi(2);
        above += (low.max(high) - value).max(0.0).powi(2);
    }
    Some(Interval {
        low: value - below.sqrt(),
        high: value + above.sqrt(),
        method: IntervalMethod::Combined,
    })
}

/// Returns an interval with a second, independent spread around its value (Zou and Donner 2008).
pub(crate) fn widen_interval(value: f64, interval: Interval, half: f64) -> Interval {
    let reach = |end: f64| (half.powi(2) + (value - end).powi(2)).sqrt();
    Interval {
        low: value - reach(interval.low),
        high: value + reach(interval.high),
        method: IntervalMethod::TopicsAndRuns,
    }
}
