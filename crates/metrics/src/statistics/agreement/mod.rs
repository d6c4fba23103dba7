//! Agreement of labels: an evaluator with gold, and people with each other (FIGURES 6 and 7).
//!
//! Classes are indices from 0; names are the caller's. A figure that would divide by zero is
//! `None`, never 0 and never 1.

mod binary;
mod contingency_table;
mod multi_rater;
mod rate_correction;

pub use binary::BinaryTable;
pub use contingency_table::ContingencyTable;
pub use multi_rater::{RatingSums, Ratings, Scale};
pub use rate_correction::{
    AuditedTurn, Correction, CorrectionError, MIN_LABELS_PER_CLASS, NoErrorRates, correct_rate,
};
pub(crate) use rate_correction::{errors_are_known, part_sums, rate_by_parts};
