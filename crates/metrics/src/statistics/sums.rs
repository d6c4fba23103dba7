//! Sums and means of plain numbers.

/// Returns the mean of values; no number without any.
pub(crate) fn compute_mean(values: &[f64]) -> f64 {
    values.iter().sum::<f64>() / values.len() as f64
}

/// Returns the sum at a place of a topic's sums; 0 where it has none.
pub(crate) fn sum_at(sums: &[f64], place: usize) -> f64 {
    sums.get(place).copied().unwrap_or(0.0)
}
