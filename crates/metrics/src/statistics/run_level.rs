//! The spread of a figure over learning runs, beside that over topics (FIGURES 27).

use super::quantile::student_above;

/// A figure's values, one for each learning run.
#[derive(Debug, Clone, Copy)]
pub(crate) struct RunValues {
    runs: f64,
    /// Variance of the mean.
    error: f64,
}

impl RunValues {
    /// Summarizes values; of a single one the spread is 0: it is what others are compared with.
    pub(crate) fn from_values(values: &[f64]) -> Self {
        let runs = values.len() as f64;
        let mean = values.iter().sum::<f64>() / runs;
        let squares: f64 = values.iter().map(|value| (value - mean).powi(2)).sum();
        let error = match values.len() > 1 {
            true => squares / (runs - 1.0) / runs,
            false => 0.0,
        };
        Self { runs, error }
    }

    /// Returns half of the interval of Student with this probability on each side; `None` of one run.
    pub(crate) fn half_width(self, tail: f64) -> Option<f64> {
        (self.runs > 1.0).then(|| student_above(self.runs as usize - 1, tail) * self.error.sqrt())
    }

    /// Returns half of the interval of the difference from another: Welch's (1947), or Student's where one side has
    /// no runs of its own.
    pub(crate) fn half_width_from(self, other: Self, tail: f64) -> f64 {
        let error = self.error + other.error;
        if error <= 0.0 {
            return 0.0;
        }
        let terms = [self, other].map(|one| match one.runs > 1.0 {
            true => one.error.powi(2) / (one.runs - 1.0),
            false => 0.0,
        });
        let freedom = error.powi(2) / terms.iter().sum::<f64>();
        student_above(freedom.floor().max(1.0) as usize, tail) * error.sqrt()
    }
}
