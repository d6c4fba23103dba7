//! Axis: which numbers stand on it, and where a number lies between its ends. Pure.

use elenchus_metrics::{Unit, format_value};

/// Most ticks of an axis.
const MAX_TICKS: usize = 6;
/// Steps between ticks, times a power of ten.
const STEPS: [f64; 4] = [1.0, 2.0, 2.5, 5.0];

/// An axis from its first tick to its last.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Axis {
    pub ticks: Vec<f64>,
    unit: Unit,
}

impl Axis {
    /// Chooses round numbers around the values; zero is always on it, and shares end at 1.
    pub fn around(values: impl Iterator<Item = [f64; 2]>, unit: Unit) -> Self {
        let (mut low, mut high) = (0.0_f64, 0.0_f64);
        for [from, to] in values.filter(|range| range.iter().all(|number| number.is_finite())) {
            low = low.min(from);
            high = high.max(to);
        }
        if low == high {
            high = 1.0;
        }
        let step = tick_step(high - low);
        let (first, last) = ((low / step).floor(), (high / step - 1e-9).ceil());
        // Few enough to count: a step is at least a sixth of the whole.
        let count = (last - first).clamp(1.0, 64.0) as usize;
        let ticks = (0..=count).map(|at| (first + at as f64) * step);
        let is_allowed = |tick: &f64| unit != Unit::Share || *tick <= 1.0 + 1e-9;
        let mut ticks: Vec<f64> = ticks.filter(is_allowed).collect();
        if unit == Unit::Share && high > *ticks.last().unwrap_or(&0.0) {
            ticks.push(1.0);
        }
        Self { ticks, unit }
    }

    /// Returns where a number lies: 0 at the first tick, 1 at the last.
    pub fn position(&self, value: f64) -> f64 {
        let [low, high] = self.ends();
        ((value - low) / (high - low)).clamp(0.0, 1.0)
    }

    /// Returns the text of a tick.
    pub fn tick_text(&self, tick: f64) -> String {
        let text = format_value(tick, self.unit);
        // Ticks are round numbers: what follows the point says nothing where it is zero.
        match self.unit {
            Unit::Share => text.replace(".0 %", " %"),
            _ => text,
        }
    }

    fn ends(&self) -> [f64; 2] {
        let first = self.ticks.first().copied().unwrap_or(0.0);
        let last = self.ticks.last().copied().unwrap_or(1.0);
        [first, if last > first { last } else { first + 1.0 }]
    }
}

fn tick_step(span: f64) -> f64 {
    let rough = span / (MAX_TICKS - 1) as f64;
    let power = 10.0_f64.powf(rough.log10().floor());
    let steps = STEPS.iter().map(|step| step * power);
    let mut wide_enough = steps.filter(|step| *step >= rough * (1.0 - 1e-9));
    wide_enough.next().unwrap_or(10.0 * power)
}
