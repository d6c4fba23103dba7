//! P-values and their display.

use std::fmt;

/// A p-value.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct PValue {
    pub value: f64,
    /// The smallest value that the number of resamples allows: the true one may be smaller.
    pub is_bound: bool,
}

impl PValue {
    /// Returns the share of resamples at least as extreme as the observed one, which is counted
    /// among them (Davison and Hinkley 1997, 4.2.3): never 0.
    pub(crate) fn from_resamples(as_extreme: u32, resamples: u32) -> Self {
        Self {
            value: (f64::from(as_extreme) + 1.0) / (f64::from(resamples) + 1.0),
            is_bound: as_extreme == 0,
        }
    }

    /// Wraps a p-value that is not limited by a number of resamples.
    pub(crate) fn from_exact(value: f64) -> Self {
        Self {
            value,
            is_bound: false,
        }
    }
}

impl fmt::Display for PValue {
    /// Shows three decimals; `<` before a value that is a bound, or smaller than these show.
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let is_bound = self.is_bound && self.value < 1.0;
        if !is_bound && self.value >= 0.001 {
            return formatter.pad(&format!("{:.3}", self.value));
        }
        // Rounded up, so that the shown bound holds, except for the rounding error of the division.
        let thousandths = (1000.0 * self.value - 1e-6).ceil().max(1.0);
        formatter.pad(&format!("<{:.3}", thousandths / 1000.0))
    }
}
