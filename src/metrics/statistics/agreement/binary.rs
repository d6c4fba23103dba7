//! A two-by-two table with one class called positive.

use super::table::{Table, share};

/// Weights of items by whether each of two raters called them positive. Against gold the first rater
/// is gold and the second the evaluator, so `second_only` holds its false alarms.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct Binary {
    pub both_positive: f64,
    /// Positive for the first rater only: what an evaluator missed.
    pub first_only: f64,
    /// Positive for the second rater only: an evaluator's false alarms.
    pub second_only: f64,
    pub both_negative: f64,
}

impl Binary {
    /// The weight of everything.
    pub fn total(self) -> f64 {
        self.both_positive + self.first_only + self.second_only + self.both_negative
    }

    /// The share of items on which both agree: accuracy, where the first is gold.
    pub fn agreement(self) -> Option<f64> {
        share(self.both_positive + self.both_negative, self.total())
    }

    /// Of the items that the evaluator calls positive, the share that is.
    pub fn precision(self) -> Option<f64> {
        share(self.both_positive, self.both_positive + self.second_only)
    }

    /// Of the positive items, the share that the evaluator calls so: recall, or sensitivity.
    pub fn recall(self) -> Option<f64> {
        share(self.both_positive, self.both_positive + self.first_only)
    }

    /// Of the negative items, the share that the evaluator calls so.
    pub fn specificity(self) -> Option<f64> {
        share(self.both_negative, self.both_negative + self.second_only)
    }

    /// The harmonic mean of precision and recall, 2tp / (2tp + fp + fn); symmetric in the raters, so
    /// that it is the positive agreement of two people (Cicchetti and Feinstein 1990) as well.
    pub fn f1(self) -> Option<f64> {
        let twice = 2.0 * self.both_positive;
        share(twice, twice + self.first_only + self.second_only)
    }

    /// The mean of recall and specificity.
    pub fn balanced_accuracy(self) -> Option<f64> {
        Some(0.5 * (self.recall()? + self.specificity()?))
    }

    /// Agreement on negative items, 2tn / (2tn + fp + fn) (Cicchetti and Feinstein 1990).
    pub fn negative_agreement(self) -> Option<f64> {
        let twice = 2.0 * self.both_negative;
        share(twice, twice + self.first_only + self.second_only)
    }

    /// How much more often both say positive than both negative, (a − d) / n: a κ is low with a high
    /// prevalence index although people agree (Byrt, Bishop and Carlin 1993).
    pub fn prevalence_index(self) -> Option<f64> {
        let difference = self.both_positive - self.both_negative;
        share(difference, self.total())
    }

    /// How much more often the first rater says positive than the second, (b − c) / n (Byrt, Bishop
    /// and Carlin 1993).
    pub fn bias_index(self) -> Option<f64> {
        share(self.first_only - self.second_only, self.total())
    }

    /// The same labels with the other class called positive.
    pub fn switched(self) -> Self {
        Self {
            both_positive: self.both_negative,
            first_only: self.second_only,
            second_only: self.first_only,
            both_negative: self.both_positive,
        }
    }

    /// The same labels as a table whose class 1 is the positive one.
    pub fn table(self) -> Table {
        let mut table = Table::new(2);
        let cells = [
            (0, 0, self.both_negative),
            (0, 1, self.second_only),
            (1, 0, self.first_only),
            (1, 1, self.both_positive),
        ];
        for (first, second, weight) in cells {
            // An empty cell stays empty.
            let _ = table.add(first, second, weight);
        }
        table
    }
}
