//! Two-by-two tables of two raters, with one class called positive.

use super::contingency_table::{ContingencyTable, checked_share};

/// Weights of items by whether each of two raters called them positive. Against gold the first
/// rater is gold and the second the evaluator, so `second_only` is its false alarms.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct BinaryTable {
    pub both_positive: f64,
    /// Positive for the first rater only: an evaluator's misses.
    pub first_only: f64,
    /// Positive for the second rater only: an evaluator's false alarms.
    pub second_only: f64,
    pub both_negative: f64,
}

impl BinaryTable {
    /// Returns the total weight.
    pub fn total(self) -> f64 {
        self.both_positive + self.first_only + self.second_only + self.both_negative
    }

    /// Returns the share of items on which both agree: accuracy, where the first is gold.
    pub fn agreement(self) -> Option<f64> {
        checked_share(self.both_positive + self.both_negative, self.total())
    }

    /// Returns the positive share of the items that the evaluator calls positive.
    pub fn precision(self) -> Option<f64> {
        checked_share(self.both_positive, self.both_positive + self.second_only)
    }

    /// Returns the share of positive items that the evaluator calls positive: recall, or
    /// sensitivity.
    pub fn recall(self) -> Option<f64> {
        checked_share(self.both_positive, self.both_positive + self.first_only)
    }

    /// Returns the share of negative items that the evaluator calls negative.
    pub fn specificity(self) -> Option<f64> {
        checked_share(self.both_negative, self.both_negative + self.second_only)
    }

    /// Returns the harmonic mean of precision and recall, 2tp / (2tp + fp + fn); symmetric in the
    /// raters, so it is also the positive agreement of two people (Cicchetti and Feinstein 1990).
    pub fn f1(self) -> Option<f64> {
        let twice = 2.0 * self.both_positive;
        checked_share(twice, twice + self.first_only + self.second_only)
    }

    /// Returns the mean of recall and specificity.
    pub fn balanced_accuracy(self) -> Option<f64> {
        Some(0.5 * (self.recall()? + self.specificity()?))
    }

    /// Returns the agreement on negative items, 2tn / (2tn + fp + fn) (Cicchetti and Feinstein
    /// 1990).
    pub fn negative_agreement(self) -> Option<f64> {
        let twice = 2.0 * self.both_negative;
        checked_share(twice, twice + self.first_only + self.second_only)
    }

    /// Returns the prevalence index (a − d) / n: by how much both say positive more often than both
    /// negative. A high index lowers κ although people agree (Byrt, Bishop and Carlin 1993).
    pub fn prevalence_index(self) -> Option<f64> {
        let difference = self.both_positive - self.both_negative;
        checked_share(difference, self.total())
    }

    /// Returns the bias index (b − c) / n: by how much the first rater says positive more often
    /// than the second (Byrt, Bishop and Carlin 1993).
    pub fn bias_index(self) -> Option<f64> {
        checked_share(self.first_only - self.second_only, self.total())
    }

    /// Returns the same labels with the other class called positive.
    pub fn swap_classes(self) -> Self {
        Self {
            both_positive: self.both_negative,
            first_only: self.second_only,
            second_only: self.first_only,
            both_negative: self.both_positive,
        }
    }

    /// Returns the same labels as a table whose class 1 is the positive one.
    pub fn to_contingency_table(self) -> ContingencyTable {
        let mut table = ContingencyTable::new(2);
        let cells = [
            (0, 0, self.both_negative),
            (0, 1, self.second_only),
            (1, 0, self.first_only),
            (1, 1, self.both_positive),
        ];
        for (first, second, weight) in cells {
            // An empty cell stays empty.
            let _ = table.add_item(first, second, weight);
        }
        table
    }
}
