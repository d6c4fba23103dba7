//! Validation: evaluators against human labels, and annotators against each other (FIGURES 6 to 8).
//!
//! Rows go in ([`ValidateRow`]: a turn, the findings of evaluators, the labels of people), a
//! [`Validation`] comes out. Turns are weighted by how they were drawn, topics are resampled, and
//! everything left out is counted with its reason.

mod annotator_agreement;
mod calibration;
mod coefficient_interval;
mod confusion_matrix;
mod error_homogeneity;
mod estimate;
mod export;
mod gold;
mod label_space;
mod overview;
mod permutation_test;
mod rate_correction;
mod report;
mod rows;
mod sample_size;
mod subjects;
mod table;
mod table_rate_correction;

pub use annotator_agreement::median_seconds;
pub use calibration::{Calibration, ReliabilityBin};
pub use confusion_matrix::{ConfusionMatrix, NO_VERDICT, TurnPlace, UNPARSED};
pub use error_homogeneity::{ErrorDifference, PermutationLevel};
pub use estimate::{Estimate, Quantity};
pub use export::{validation_to_csv, validation_to_json};
pub use gold::{Basis, NoGold, find_best_label, find_gold_side};
pub use overview::{OVERVIEW_COLUMNS, Overview, OverviewRow};
pub use rate_correction::{ArmRate, CorrectedRate};
pub use report::{EvaluatorReport, Validation, ValidationSection, compute_validation, name_calls};
pub use rows::{
    AnnotatorRole, Blinding, BlindingRule, EvaluatorFinding, EvaluatorRole, GivenLabel, GoldRule,
    LabelClasses, LabelDraw, LabelSide, PartDimension, ValidateOptions, ValidateRow,
};
pub use sample_size::{MoreLabels, MoreOfStratum};
pub use subjects::ValidationSubject;
pub use table::{
    LabelCommand, NextLabels, ShownEvaluators, evaluator_to_text, people_to_text,
    validation_to_table,
};
