//! Quantised vectors, one byte a number: small enough to stay in memory, exact enough to rule rows
//! out.

use super::VectorRow;

/// The largest code of a number in a row.
const ROW_STEPS: f32 = 127.0;
/// The largest code of a number in a query. With it, `MAX_DIM` products of codes fit an `i32`.
const QUERY_STEPS: f32 = 2047.0;
/// Covers the rounding of everything that is computed with `f64` here, by a wide margin.
const SLACK: f64 = 1e-9;
/// The greatest length of a row that was scaled to length 1.
pub(super) const MAX_LENGTH: f64 = 1.001;
/// Cover the rounding of a row's error, which is computed with `f32`: of its sum by a share, and of
/// each code times the scale, 2⁻²⁴ of a row that is no longer than 1, by as much again.
const ERROR_SLACK: f32 = 1.001;
const ERROR_FLOOR: f32 = 2e-7;
/// Number of sums that are computed in parallel.
const LANES: usize = 16;

/// Rows of codes; row `r` is about `scale[r]` times its codes.
#[derive(Debug, Default)]
pub(super) struct QuantisedRows {
    dim: usize,
    codes: Vec<i8>,
    scale: Vec<f32>,
    /// Upper bound of the length of the difference between a row and its codes times its scale.
    error: Vec<f32>,
}

/// A query in codes.
pub(super) struct QuantisedQuery {
    codes: Vec<i16>,
    scale: f64,
    error: f64,
    length: f64,
}

/// Bounds of a row's exact score.
#[derive(Debug, Clone, Copy)]
pub(super) struct ScoreBounds {
    pub low: f64,
    pub high: f64,
}

impl QuantisedRows {
    pub(super) fn new(dim: usize) -> Self {
        QuantisedRows {
            dim,
            ..QuantisedRows::default()
        }
    }

    pub(super) fn len(&self) -> usize {
        self.scale.len()
    }

    /// Reserves room for rows, so that growing does not copy everything.
    pub(super) fn reserve(&mut self, rows: usize) {
        self.codes.reserve(rows.saturating_mul(self.dim));
        self.scale.reserve(rows);
        self.error.reserve(rows);
    }

    /// Adds a row of `dim` finite numbers.
    pub(super) fn push(&mut self, row: &[f32]) {
        let (scale, inverse) = compute_step(row, ROW_STEPS);
        let code = |value: f32| nearest_code(value * inverse, ROW_STEPS);
        self.codes
            .extend(row.iter().map(|value| code(*value) as i8));
        // In parallel, so that the compiler vectorises it.
        let mut squares = [0.0_f32; LANES];
        for values in row.chunks(LANES) {
            for (square, value) in squares.iter_mut().zip(values) {
                let off = value - scale * code(*value) as f32;
                *square += off * off;
            }
        }
        let square_sum: f32 = squares.iter().sum();
        self.scale.push(scale);
        self.error
            .push(square_sum.sqrt() * ERROR_SLACK + ERROR_FLOOR);
    }

    /// Returns the bounds of a row's product with the query.
    ///
    /// With `v = s·a + e` for the row and `u = t·b + f` for the query,
    /// `u·v = s·t·(a·b) + f·(s·a) + u·e`, and by Cauchy and Schwarz the last two are at most
    /// `|f|·(|v| + |e|) + |u|·|e|`.
    pub(super) fn score_bounds(
        &self,
        query: &QuantisedQuery,
        row: VectorRow,
    ) -> Option<ScoreBounds> {
        let at = row.0 as usize;
        let codes = self.codes.get(at * self.dim..(at + 1) * self.dim)?;
        let (scale, error) = (*self.scale.get(at)?, f64::from(*self.error.get(at)?));
        let about = f64::from(dot_product(codes, &query.codes)) * query.scale * f64::from(scale);
        let off = query.error * (MAX_LENGTH + error) + query.length * error + SLACK;
        Some(ScoreBounds {
            low: about - off,
            high: about + off,
        })
    }
}

impl QuantisedQuery {
    pub(super) fn new(query: &[f32]) -> Self {
        let (scale, inverse) = compute_step(query, QUERY_STEPS);
        let codes = query
            .iter()
            .map(|value| nearest_code(value * inverse, QUERY_STEPS) as i16);
        let codes: Vec<i16> = codes.collect();
        let scale = f64::from(scale);
        let off = query.iter().zip(&codes).map(|(value, code)| {
            let code_value = scale * f64::from(*code);
            (f64::from(*value) - code_value).powi(2)
        });
        let squares = query.iter().map(|value| f64::from(*value).powi(2));
        QuantisedQuery {
            scale,
            error: off.sum::<f64>().sqrt(),
            length: squares.sum::<f64>().sqrt(),
            codes,
        }
    }
}

/// Returns the value of one step of a code, and its inverse.
fn compute_step(values: &[f32], steps: f32) -> (f32, f32) {
    let largest = values
        .iter()
        .fold(0.0_f32, |max, value| max.max(value.abs()));
    let step = largest / steps;
    let inverse = 1.0 / step;
    // Where the largest number is almost 0, all codes are 0 and the error is everything.
    if inverse.is_finite() {
        (step, inverse)
    } else {
        (0.0, 0.0)
    }
}

/// Rounds by truncation: the library's rounding is a function call for each number. A tie may go
/// either way, because the error is measured.
fn nearest_code(steps: f32, most: f32) -> i32 {
    (steps + 0.5_f32.copysign(steps)).clamp(-most, most) as i32
}

/// Written so that the compiler vectorises it.
fn dot_product(row: &[i8], query: &[i16]) -> i32 {
    row.iter()
        .zip(query)
        .map(|(a, b)| i32::from(*a) * i32::from(*b))
        .sum()
}
