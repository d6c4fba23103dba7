//! Validation of evaluators: turns with verdicts and people's labels, from the journals of a store or what the
//! index holds of them.
//!
//! Reads sessions, passes and annotations, and writes nothing but the index. A label or verdict counts for a turn when
//! it points at the turn's chosen attempt, by its hash; one that was given on a fork's copy counts
//! for the turn that was copied.

mod cell_turns;
mod collect;
mod evaluator_findings;
mod labels;
mod missing_labels;
mod request;
mod verdict_truths;

pub use cell_turns::{CellTurn, MAX_CELL_TURNS, read_cell_turns};
pub use collect::{ValidateRows, validate_rows};
pub use evaluator_findings::EvaluatorName;
pub use missing_labels::{MissingByArm, MissingLabels, read_further_draw};
pub use request::{
    RatesFromLabels, ValidationRequest, ValidationResult, errors_from_labels,
    find_most_labelled_set, rates_from_labels, validate_evaluators,
};
pub use verdict_truths::{list_verdict_truths, read_known_truth};

use elenchus_game::debate::SessionId;
use elenchus_metrics::{Forks, HumanTurns};
use std::collections::BTreeSet;

/// Selection of turns and evaluators.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct ValidateQuery {
    /// All sessions where `None`.
    pub sessions: Option<BTreeSet<SessionId>>,
    /// Every evaluator that found something where empty.
    pub evaluators: Vec<EvaluatorName>,
    /// Whether turns of people count.
    pub people: HumanTurns,
    /// Whether forks count, with the turns of their own; those in `named` do.
    pub forks: Forks,
    /// Sessions that were named one by one.
    pub named: BTreeSet<SessionId>,
}
