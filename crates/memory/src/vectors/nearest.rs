//! Exact nearest-neighbour search over rows.

use std::cmp::{Ordering, Reverse};
use std::collections::BinaryHeap;

use super::quantised::{QuantisedQuery, QuantisedRows};
use super::{VectorError, VectorRow};

/// A row and its cosine with the query.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct NearestRow {
    pub row: VectorRow,
    pub score: f64,
}

/// Returns the cosine of two vectors of length 1: their product, summed with `f64` in one fixed
/// order, so that it is the same to the last bit in every row.
pub fn cosine(a: &[f32], b: &[f32]) -> f64 {
    a.iter()
        .zip(b)
        .map(|(a, b)| f64::from(*a) * f64::from(*b))
        .sum()
}

/// A score that can be ordered.
#[derive(PartialEq)]
struct Score(f64);

impl Eq for Score {}

impl Ord for Score {
    fn cmp(&self, other: &Self) -> Ordering {
        self.0.total_cmp(&other.0)
    }
}

impl PartialOrd for Score {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

/// The `k` largest scores seen so far.
struct TopScores {
    k: usize,
    heap: BinaryHeap<Reverse<Score>>,
}

impl TopScores {
    fn new(k: usize) -> Self {
        TopScores {
            k,
            heap: BinaryHeap::new(),
        }
    }

    fn offer_score(&mut self, score: f64) {
        if self.heap.len() < self.k {
            self.heap.push(Reverse(Score(score)));
        } else if score > self.least_score() {
            self.heap.pop();
            self.heap.push(Reverse(Score(score)));
        }
    }

    /// Returns the score that the next one must reach to be among them.
    fn least_score(&self) -> f64 {
        match self.heap.peek() {
            Some(Reverse(Score(least))) if self.heap.len() >= self.k => *least,
            Some(_) | None => f64::NEG_INFINITY,
        }
    }
}

/// Returns the rows whose score is at least the `k`-th best, best first: `k` of them, and more only
/// where several tie for the last place. `exact` scores one row in full.
///
/// A row is scored in full only while its upper bound reaches the `k`-th best score that is known,
/// so the answer is that of a scan of everything.
pub(super) fn find_nearest_rows(
    rows: &[VectorRow],
    codes: &QuantisedRows,
    query: &[f32],
    k: usize,
    mut exact: impl FnMut(VectorRow) -> Result<f64, VectorError>,
) -> Result<Vec<NearestRow>, VectorError> {
    if k == 0 {
        return Ok(Vec::new());
    }
    let quantised_query = QuantisedQuery::new(query);
    let mut sure = TopScores::new(k);
    let mut possible: Vec<(f64, VectorRow)> = Vec::new();
    for row in rows {
        let Some(bounds) = codes.score_bounds(&quantised_query, *row) else {
            continue;
        };
        if bounds.high >= sure.least_score() {
            sure.offer_score(bounds.low);
            possible.push((bounds.high, *row));
        }
    }
    let score_floor = sure.least_score();
    possible.retain(|(high, _)| *high >= score_floor);
    possible.sort_by(|a, b| b.0.total_cmp(&a.0));
    let mut best = TopScores::new(k);
    let mut nearest_rows = Vec::new();
    for (high, row) in possible {
        if high < best.least_score() {
            break;
        }
        let score = exact(row)?;
        best.offer_score(score);
        nearest_rows.push(NearestRow { row, score });
    }
    let least = best.least_score();
    nearest_rows.retain(|near| near.score >= least);
    nearest_rows.sort_by(|a, b| b.score.total_cmp(&a.score).then(a.row.cmp(&b.row)));
    Ok(nearest_rows)
}
