//! Agreement of any number of raters, who need not have labelled everything.

use super::contingency_table::{beyond_chance, checked_share};
use crate::statistics::sums::sum_at;
use thiserror::Error;

/// Most classes; above any label set of this field.
pub(super) const MAX_CLASSES: usize = 256;

/// Scale of the classes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Scale {
    /// Two classes are equal or not.
    Nominal,
    /// Classes are ranked.
    Ordinal,
}

/// Number of raters of each class, per item.
#[derive(Debug, Clone, PartialEq)]
pub struct Ratings {
    classes: usize,
    /// One row per item.
    counts: Vec<f64>,
}

/// A label that is none of the classes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Error)]
#[error("class {class} is none of the {classes} classes, which count from 0")]
pub struct RatingsError {
    pub class: usize,
    pub classes: usize,
}

impl Ratings {
    /// Creates ratings without items; classes as in [`ContingencyTable::new`](super::ContingencyTable::new).
    pub fn new(classes: usize) -> Self {
        Self {
            classes: classes.clamp(1, MAX_CLASSES),
            counts: Vec::new(),
        }
    }

    /// Adds an item with the classes by its raters, in any order; raters without a label are not in
    /// the list.
    ///
    /// # Errors
    /// When a class is out of range; nothing is added.
    pub fn add_item(&mut self, rater_classes: &[usize]) -> Result<(), RatingsError> {
        let classes = self.classes;
        if let Some(class) = rater_classes
            .iter()
            .copied()
            .find(|class| *class >= classes)
        {
            return Err(RatingsError { class, classes });
        }
        let mut counts = vec![0.0; classes];
        for class in rater_classes {
            if let Some(count) = counts.get_mut(*class) {
                *count += 1.0;
            }
        }
        self.counts.extend(counts);
        Ok(())
    }

    fn items(&self) -> impl Iterator<Item = &[f64]> {
        self.counts.chunks_exact(self.classes)
    }

    /// Returns the number of items with at least two raters; others say nothing about agreement.
    pub fn shared_items(&self) -> usize {
        self.items()
            .filter(|item| count_raters(item) >= 2.0)
            .count()
    }

    /// Returns the share of agreeing pairs of raters of an item, averaged over items with a pair.
    pub fn agreement(&self) -> Option<f64> {
        self.sums().agreement()
    }

    /// Returns Fleiss' κ: see [`RatingSums::fleiss_kappa`].
    pub fn fleiss_kappa(&self) -> Option<f64> {
        self.sums().fleiss_kappa()
    }

    /// Returns Gwet's AC1: see [`RatingSums::ac1`].
    pub fn ac1(&self) -> Option<f64> {
        self.sums().ac1()
    }

    /// Returns Krippendorff's α: see [`RatingSums::krippendorff_alpha`].
    pub fn krippendorff_alpha(&self, scale: Scale) -> Option<f64> {
        self.sums().krippendorff_alpha(scale)
    }

    /// Returns the sums from which the figures are computed; sums of several topics can be added.
    pub fn sums(&self) -> RatingSums {
        let mut sums = RatingSums::new(self.classes);
        for item in self.items() {
            sums.add_item(item);
        }
        sums
    }
}

/// Sums for agreement figures, so that topics can be resampled by adding their sums.
#[derive(Debug, Clone, PartialEq)]
pub struct RatingSums {
    classes: usize,
    /// Agreement of pairs, items with a pair, items with a label, then the classes' shares over
    /// items with a pair, over items with a label, and the coincidences of classes.
    sums: Vec<f64>,
}

const AGREEING: usize = 0;
const SHARED: usize = 1;
const RATED: usize = 2;
const SHARES: usize = 3;

impl RatingSums {
    fn new(classes: usize) -> Self {
        Self {
            classes,
            sums: vec![0.0; SHARES + 2 * classes + classes * classes],
        }
    }

    /// Creates sums from added [`RatingSums::values`]; missing ones are 0.
    pub fn from_values(classes: usize, values: &[f64]) -> Self {
        let mut sums = Self::new(classes.clamp(1, MAX_CLASSES));
        for (sum, value) in sums.sums.iter_mut().zip(values) {
            *sum = *value;
        }
        sums
    }

    /// Returns the sums, to be added to those of other topics.
    pub fn values(&self) -> &[f64] {
        &self.sums
    }

    fn sum_at(&self, place: usize) -> f64 {
        sum_at(&self.sums, place)
    }

    fn add_to(&mut self, place: usize, by: f64) {
        if let Some(sum) = self.sums.get_mut(place) {
            *sum += by;
        }
    }

    fn add_item(&mut self, item: &[f64]) {
        let (classes, raters) = (self.classes, count_raters(item));
        if raters < 1.0 {
            return;
        }
        self.add_to(RATED, 1.0);
        for (class, given) in item.iter().enumerate() {
            self.add_to(SHARES + classes + class, given / raters);
        }
        let Some(agreement) = pair_agreement(item) else {
            return;
        };
        self.add_to(AGREEING, agreement);
        self.add_to(SHARED, 1.0);
        for (a, first) in item.iter().enumerate() {
            self.add_to(SHARES + a, first / raters);
            for (b, second) in item.iter().enumerate() {
                let pairs = first * second - if a == b { *first } else { 0.0 };
                let cell = SHARES + 2 * classes + a * classes + b;
                self.add_to(cell, pairs / (raters - 1.0));
            }
        }
    }

    /// Returns the share of agreeing pairs of raters of an item, averaged over items with a pair.
    pub fn agreement(&self) -> Option<f64> {
        checked_share(self.sum_at(AGREEING), self.sum_at(SHARED))
    }

    /// Returns the agreement of pairs and the items with one.
    pub fn pair_sums(&self) -> [f64; 2] {
        [self.sum_at(AGREEING), self.sum_at(SHARED)]
    }

    /// Returns the sum over items with a pair of the share of each class.
    pub fn class_shares(&self) -> &[f64] {
        self.sums
            .get(SHARES..SHARES + self.classes)
            .unwrap_or_default()
    }

    /// Returns Fleiss' κ (Fleiss 1971). Where items have different numbers of raters, each item's
    /// shares have the same weight; with equal numbers that is his formula. Items with one rater
    /// are left out. `None` where chance explains everything.
    pub fn fleiss_kappa(&self) -> Option<f64> {
        let shares = self.mean_shares(SHARES, SHARED)?;
        let chance = shares.iter().map(|share| share * share).sum();
        beyond_chance(self.agreement()?, chance)
    }

    /// Returns Gwet's AC1 for several raters (Gwet 2008): classes' shares are over all labelled
    /// items. `None` with a single class.
    pub fn ac1(&self) -> Option<f64> {
        let shares = self.mean_shares(SHARES + self.classes, RATED)?;
        let spread: f64 = shares.iter().map(|share| share * (1.0 - share)).sum();
        beyond_chance(
            self.agreement()?,
            checked_share(spread, self.classes as f64 - 1.0)?,
        )
    }

    /// Returns Krippendorff's α (Krippendorff 2011, "Computing Krippendorff's alpha-reliability"):
    /// one minus observed over expected disagreement of all labels of items with at least two.
    /// `None` where only one class was used, so that nothing could disagree.
    pub fn krippendorff_alpha(&self, scale: Scale) -> Option<f64> {
        let classes = self.classes;
        let together = |a: usize, b: usize| self.sum_at(SHARES + 2 * classes + a * classes + b);
        let margins: Vec<f64> = (0..classes)
            .map(|a| (0..classes).map(|b| together(a, b)).sum())
            .collect();
        let total: f64 = margins.iter().sum();
        let (mut observed, mut expected) = (0.0, 0.0);
        for a in 0..classes {
            for b in 0..classes {
                let apart = squared_distance(scale, &margins, a, b);
                let at = |class: usize| margins.get(class).copied().unwrap_or(0.0);
                observed += together(a, b) * apart;
                expected += (at(a) * at(b) - if a == b { at(a) } else { 0.0 }) * apart;
            }
        }
        let expectation = checked_share(expected, total - 1.0)?;
        checked_share(observed, expectation).map(|ratio| 1.0 - ratio)
    }

    /// Returns the mean over items of each class's share of the item's labels.
    fn mean_shares(&self, from: usize, items: usize) -> Option<Vec<f64>> {
        let items = self.sum_at(items);
        (0..self.classes)
            .map(|class| checked_share(self.sum_at(from + class), items))
            .collect()
    }
}

fn count_raters(item: &[f64]) -> f64 {
    item.iter().sum()
}

/// Returns the share of an item's pairs of raters who agree; `None` with fewer than two.
fn pair_agreement(item: &[f64]) -> Option<f64> {
    let raters = count_raters(item);
    let same: f64 = item.iter().map(|count| count * (count - 1.0)).sum();
    checked_share(same, raters * (raters - 1.0))
}

/// Returns the squared distance of two classes.
fn squared_distance(scale: Scale, margins: &[f64], a: usize, b: usize) -> f64 {
    if a == b {
        return 0.0;
    }
    match scale {
        Scale::Nominal => 1.0,
        Scale::Ordinal => {
            let (low, high) = (a.min(b), a.max(b));
            let between: f64 = margins.iter().take(high + 1).skip(low).sum();
            let ends = margins.get(low).zip(margins.get(high));
            let apart = between - ends.map_or(0.0, |(low, high)| 0.5 * (low + high));
            apart * apart
        }
    }
}
