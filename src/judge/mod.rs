//! Rubrics, and replies read as verdicts or fields.
//!
//! Pure: text comes in, findings come out. It never calls a model, and it never counts what it
//! cannot read: a reply without a clear label is *unparsed*, which is neither good nor bad.

mod grade;
mod json;
mod line;
mod number;
mod read;
mod rubric;

pub use grade::{CORRECT, INCORRECT, grade};
pub use json::fields;
pub use read::read;
pub use rubric::{FenceStyle, Label, Reading, Rubric, RubricError};
