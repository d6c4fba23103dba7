//! Contingency tables of two raters' labels of the same items.

use super::binary::BinaryTable;
use super::multi_rater::MAX_CLASSES;
use thiserror::Error;

/// Weights of items by the first rater's class (rows) and the second's (columns).
///
/// Items drawn with unequal probability are weighted by its inverse (FIGURES 6); others by 1.
#[derive(Debug, Clone, PartialEq)]
pub struct ContingencyTable {
    classes: usize,
    cells: Vec<f64>,
}

/// A class or weight that a table cannot hold.
#[derive(Debug, Clone, Copy, PartialEq, Error)]
pub enum OutsideTable {
    #[error("class {class} is none of the {classes} classes, which count from 0")]
    Class { class: usize, classes: usize },
    #[error("a weight of {0} counts nothing: it must be above 0 and finite")]
    Weight(f64),
}

impl ContingencyTable {
    /// Creates an empty table of a number of classes, clamped to 1..=[`MAX_CLASSES`].
    pub fn new(classes: usize) -> Self {
        let classes = classes.clamp(1, MAX_CLASSES);
        Self {
            classes,
            cells: vec![0.0; classes * classes],
        }
    }

    /// Adds an item.
    ///
    /// # Errors
    /// When a class or the weight is out of range; the table is unchanged.
    pub fn add_item(
        &mut self,
        first: usize,
        second: usize,
        weight: f64,
    ) -> Result<(), OutsideTable> {
        if !(weight > 0.0 && weight.is_finite()) {
            return Err(OutsideTable::Weight(weight));
        }
        let classes = self.classes;
        if let Some(class) = [first, second].into_iter().find(|class| *class >= classes) {
            return Err(OutsideTable::Class { class, classes });
        }
        if let Some(cell) = self.cells.get_mut(first * classes + second) {
            *cell += weight;
        }
        Ok(())
    }

    /// Returns the number of classes.
    pub fn class_count(&self) -> usize {
        self.classes
    }

    /// Returns the weight of one cell; 0 outside of the table.
    pub fn cell(&self, first: usize, second: usize) -> f64 {
        if second >= self.classes {
            return 0.0;
        }
        let at = first * self.classes + second;
        self.cells.get(at).copied().unwrap_or(0.0)
    }

    /// Returns the total weight.
    pub fn total(&self) -> f64 {
        self.cells.iter().sum()
    }

    /// Returns the weight of the items of a class by the first rater.
    fn first_total(&self, class: usize) -> f64 {
        (0..self.classes)
            .map(|second| self.cell(class, second))
            .sum()
    }

    /// Returns the weight of the items of a class by the second rater.
    fn second_total(&self, class: usize) -> f64 {
        (0..self.classes).map(|first| self.cell(first, class)).sum()
    }

    /// Returns the share of items on which both agree.
    pub fn agreement(&self) -> Option<f64> {
        let same: f64 = (0..self.classes).map(|class| self.cell(class, class)).sum();
        checked_share(same, self.total())
    }

    /// Returns Cohen's κ (Cohen 1960): agreement beyond that of independent raters with the same
    /// shares. `None` where chance explains everything, as when both always say the same class.
    pub fn kappa(&self) -> Option<f64> {
        let total = self.total();
        let chance: f64 = (0..self.classes)
            .map(|class| self.first_total(class) * self.second_total(class))
            .sum();
        beyond_chance(self.agreement()?, checked_share(chance, total * total)?)
    }

    /// Returns Gwet's AC1 (Gwet 2008), which does not collapse where one class is rare: chance
    /// agreement is Σ π(1 − π) / (q − 1), with π a class's mean share over both raters and q the
    /// classes of the label set, used or not. `None` with a single class.
    pub fn ac1(&self) -> Option<f64> {
        let total = self.total();
        let spread: Option<f64> = (0..self.classes)
            .map(|class| {
                let both = self.first_total(class) + self.second_total(class);
                let mean = checked_share(both, 2.0 * total)?;
                Some(mean * (1.0 - mean))
            })
            .sum();
        let chance = checked_share(spread?, self.classes as f64 - 1.0)?;
        beyond_chance(self.agreement()?, chance)
    }

    /// Returns the same labels with one class called positive and all others negative.
    pub fn to_binary(&self, positive: usize) -> BinaryTable {
        let both = self.cell(positive, positive);
        let first = self.first_total(positive);
        let second = self.second_total(positive);
        BinaryTable {
            both_positive: both,
            first_only: first - both,
            second_only: second - both,
            both_negative: (self.total() - first - second + both).max(0.0),
        }
    }
}

/// Returns part / whole, `None` where the whole is 0.
pub(super) fn checked_share(part: f64, whole: f64) -> Option<f64> {
    (whole > 0.0).then(|| part / whole)
}

/// Returns (observed − chance) / (1 − chance), `None` where chance explains everything.
pub(super) fn beyond_chance(observed: f64, chance: f64) -> Option<f64> {
    // Shares that sum to 1 only up to rounding leave a remainder of this size.
    const ROUNDING: f64 = 1e-12;
    let left = 1.0 - chance;
    (left > ROUNDING).then(|| (observed - chance) / left)
}
