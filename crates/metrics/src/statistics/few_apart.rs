//! Whether enough topics make up a figure's distance from what it is nearest to. Of fewer, many resamples hold
//! almost none, and an interval of resampled topics is too short (FIGURES 20).

use super::interval::TopicSums;

/// Fewest topics, by Kish's effective number, that must make up the distance of a share from 0 or 1 for its
/// topics to be resampled.
pub(crate) const MIN_TOPICS_APART: f64 = 7.0;

/// The same of a difference from 0, and of what a coefficient of agreement hangs on: its errors are on two sides.
pub(crate) const MIN_TOPICS_DIFFERING: f64 = 10.0;

/// The same of labels that differ from verdicts, beside whose spread stands that of the verdicts.
pub(crate) const MIN_TOPICS_MISJUDGED: f64 = 3.0;

/// Returns how many equal parts as many unequal ones are worth: (Σ d)² / Σ d² (Kish 1965); without any, 0.
pub(crate) fn effective_number(parts: impl Iterator<Item = f64>) -> f64 {
    let (sum, squares) = parts.fold((0.0, 0.0), |(sum, squares), part| {
        (sum + part.abs(), squares + part * part)
    });
    match squares > 0.0 {
        true => sum * sum / squares,
        false => 0.0,
    }
}

/// Returns how many topics make up the distance of a share Σ a / Σ b from the nearer one of 0 and 1.
pub(crate) fn topics_apart(sums: &TopicSums) -> f64 {
    let total = sums.total();
    let is_near_one = 2.0 * total[0] > total[1];
    let apart = sums.rows().map(|row| match is_near_one {
        true => row[1] - row[0],
        false => row[0],
    });
    effective_number(apart)
}

/// Fewest topics whose mean is another than the most common one: of a mean without bounds nothing is known of what
/// topics that were not seen would add.
const MIN_TOPICS_OFF: usize = 4;

/// Says whether enough topics have another value than the most common one for them to be resampled.
pub(crate) fn enough_differ(values: impl Iterator<Item = f64>) -> bool {
    let mut values: Vec<f64> = values.collect();
    values.sort_by(f64::total_cmp);
    let alike = values.chunk_by(|one, other| one == other).map(<[f64]>::len);
    values.len() - alike.max().unwrap_or(0) >= MIN_TOPICS_OFF
}
