//! How far labels agree: an evaluator with gold, and people with each other (FIGURES 6 and 7).
//!
//! | file | what it holds |
//! |---|---|
//! | `table` | two raters' labels of the same items, counted by weight, and what follows from them |
//! | `binary` | the same with one class called positive |
//! | `raters` | any number of raters, who need not have labelled everything |
//! | `correct` | what labels of a sample say about a rate that an evaluator gave |
//!
//! Classes are indices from 0; names are the caller's. A figure that would divide by zero does not
//! exist: it is `None`, never 0 and never 1.

mod binary;
mod correct;
mod raters;
mod table;

pub use binary::Binary;
pub use correct::{
    AuditedTurn, ByError, Correction, CorrectionError, MIN_LABELS_PER_CLASS, NoErrorRates,
    corrected_rate,
};
pub use raters::{MAX_CLASSES, RatingSums, Ratings, RatingsError, Scale};
pub use table::{OutsideTable, Table};
