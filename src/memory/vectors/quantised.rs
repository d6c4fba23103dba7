//! Vectors with one byte a number: small enough to stay in memory, exact enough to rule rows out.

use super::Row;

/// The largest code of a row's number.
const ROW_STEPS: f64 = 127.0;
/// The largest code of a query's number. With it, `MAX_DIM` products of codes fit an `i32`.
const QUERY_STEPS: f64 = 2047.0;
/// Covers the rounding of everything that is computed with `f64` here, by a wide margin.
const SLACK: f64 = 1e-9;

/// Rows of codes; row `r` is about `scale[r]` times its codes.
#[derive(Debug, Default)]
pub(super) struct Quantised {
    dim: usize,
    codes: Vec<i8>,
    scale: Vec<f32>,
    /// At least how long the difference between a row and its codes times its scale is.
    error: Vec<f32>,
}

/// A query in codes.
pub(super) struct Query {
    codes: Vec<i16>,
    scale: f64,
    error: f64,
    length: f64,
}

/// Between which bounds a row's exact score lies.
#[derive(Debug, Clone, Copy)]
pub(super) struct Bounds {
    pub low: f64,
    pub high: f64,
}

impl Quantised {
    pub(super) fn new(dim: usize) -> Self {
        Quantised {
            dim,
            ..Quantised::default()
        }
    }

    pub(super) fn len(&self) -> usize {
        self.scale.len()
    }

    /// Adds a row of `dim` finite numbers.
    pub(super) fn push(&mut self, row: &[f32]) {
        let scale = step(row, ROW_STEPS) as f32;
        let by = f64::from(scale);
        let mut error = 0.0;
        for value in row {
            let code = code(*value, by, ROW_STEPS);
            error += (f64::from(*value) - by * code).powi(2);
            self.codes.push(code as i8);
        }
        self.scale.push(scale);
        self.error.push((error.sqrt() as f32).next_up());
    }

    /// Returns the bounds of a row's product with the query.
    ///
    /// With `v = s·a + e` for the row and `u = t·b + f` for the query,
    /// `u·v = s·t·(a·b) + f·(s·a) + u·e`, and by Cauchy and Schwarz the last two are at most
    /// `|f|·(|v| + |e|) + |u|·|e|`; rows are of length 1, or shorter.
    pub(super) fn bounds(&self, query: &Query, row: Row) -> Option<Bounds> {
        let at = row.0 as usize;
        let codes = self.codes.get(at * self.dim..(at + 1) * self.dim)?;
        let (scale, error) = (*self.scale.get(at)?, f64::from(*self.error.get(at)?));
        let about = f64::from(dot(codes, &query.codes)) * query.scale * f64::from(scale);
        let off = query.error * (1.0 + error) + query.length * error + SLACK;
        Some(Bounds {
            low: about - off,
            high: about + off,
        })
    }
}

impl Query {
    pub(super) fn of(query: &[f32]) -> Self {
        let scale = step(query, QUERY_STEPS);
        let codes = query.iter().map(|value| code(*value, scale, QUERY_STEPS));
        let error = query.iter().map(|value| {
            let kept = scale * code(*value, scale, QUERY_STEPS);
            (f64::from(*value) - kept).powi(2)
        });
        Query {
            scale,
            error: error.sum::<f64>().sqrt(),
            length: query
                .iter()
                .map(|value| f64::from(*value).powi(2))
                .sum::<f64>()
                .sqrt(),
            codes: codes.map(|code| code as i16).collect(),
        }
    }
}

/// How much one step of a code is.
fn step(values: &[f32], steps: f64) -> f64 {
    let largest = values
        .iter()
        .fold(0.0_f32, |max, value| max.max(value.abs()));
    f64::from(largest) / steps
}

fn code(value: f32, step: f64, steps: f64) -> f64 {
    if step > 0.0 {
        (f64::from(value) / step).round().clamp(-steps, steps)
    } else {
        0.0
    }
}

/// Written so that the compiler makes one instruction of many products.
fn dot(row: &[i8], query: &[i16]) -> i32 {
    row.iter()
        .zip(query)
        .map(|(a, b)| i32::from(*a) * i32::from(*b))
        .sum()
}
