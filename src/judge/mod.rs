//! Rubrics, and replies read as verdicts or fields.
//!
//! Pure: text comes in, findings come out. It never calls a model, and it never counts what it
//! cannot read: a reply without a clear label is *unparsed*, which is neither good nor bad.

mod citation;
mod cited;
mod grade;
mod inline;
mod json;
mod line;
mod number;
mod plain;
mod read;
mod rubric;
mod said;

pub use citation::{MAX_CITATIONS, citations};
pub use grade::{CORRECT, INCORRECT, grade};
pub use json::fields;
pub use read::read;
pub use rubric::{FenceStyle, Label, Reading, Rubric, RubricError};
pub use said::{Said, Whose};
