//! The nearest rows, exactly.

use std::cmp::{Ordering, Reverse};
use std::collections::BinaryHeap;

use super::quantised::{Quantised, Query};
use super::{Row, VectorError};

/// A row and its cosine with the query.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Near {
    pub row: Row,
    pub score: f64,
}

/// Returns the cosine of two vectors of length 1: their product, summed with `f64` in one order, so
/// that it is the same to the last bit wherever a vector stands.
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
struct Best {
    k: usize,
    heap: BinaryHeap<Reverse<Score>>,
}

impl Best {
    fn of(k: usize) -> Self {
        Best {
            k,
            heap: BinaryHeap::new(),
        }
    }

    fn see(&mut self, score: f64) {
        if self.heap.len() < self.k {
            self.heap.push(Reverse(Score(score)));
        } else if score > self.least() {
            self.heap.pop();
            self.heap.push(Reverse(Score(score)));
        }
    }

    /// What a score must reach to be among them.
    fn least(&self) -> f64 {
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
pub(super) fn nearest(
    rows: &[Row],
    codes: &Quantised,
    query: &[f32],
    k: usize,
    mut exact: impl FnMut(Row) -> Result<f64, VectorError>,
) -> Result<Vec<Near>, VectorError> {
    if k == 0 {
        return Ok(Vec::new());
    }
    let asked = Query::of(query);
    let mut sure = Best::of(k);
    let mut possible: Vec<(f64, Row)> = Vec::new();
    for row in rows {
        let Some(bounds) = codes.bounds(&asked, *row) else {
            continue;
        };
        if bounds.high >= sure.least() {
            sure.see(bounds.low);
            possible.push((bounds.high, *row));
        }
    }
    let needed = sure.least();
    possible.retain(|(high, _)| *high >= needed);
    possible.sort_by(|a, b| b.0.total_cmp(&a.0));
    let mut best = Best::of(k);
    let mut found = Vec::new();
    for (high, row) in possible {
        if high < best.least() {
            break;
        }
        let score = exact(row)?;
        best.see(score);
        found.push(Near { row, score });
    }
    let least = best.least();
    found.retain(|near| near.score >= least);
    found.sort_by(|a, b| b.score.total_cmp(&a.score).then(a.row.cmp(&b.row)));
    Ok(found)
}
