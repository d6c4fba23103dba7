//! Turns with what evaluators found on them and what people labelled, from the journals of a store.
//!
//! Reads sessions, passes and margins, and writes nothing. A label or verdict counts for a turn when
//! it points at the turn's chosen attempt, by its hash; one that was given on a fork's copy counts
//! for the turn that was copied.

mod answer;
mod collect;
mod evaluators;
mod labels;

pub use answer::{
    ErrorsFromLabels, ValidateWish, Validated, errors_from_labels, most_labelled, validated,
};
pub use collect::{ValidateRows, validate_rows};
pub(super) use evaluators::name as pass_evaluator;
pub use evaluators::{EvaluatorName, own_evaluator};
pub use labels::{labelled_sets, set_classes};

use crate::debate::SessionId;
use crate::metrics::People;
use std::collections::BTreeSet;

/// Which turns and evaluators are looked at.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct ValidateQuery {
    /// All sessions where `None`.
    pub sessions: Option<BTreeSet<SessionId>>,
    /// Every evaluator that found something where empty.
    pub evaluators: Vec<EvaluatorName>,
    /// Whether turns of people count.
    pub people: People,
}
