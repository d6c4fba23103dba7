//! End of an experiment, and the reason of a pause.

use super::perform::Stage;
use elenchus_game::debate::event::CeilingKind;

/// Begins the reason of an experiment that paused because its provider refuses every call.
pub const WOULD_BE_REFUSED: &str = "no more calls are sent, for each would be refused as well: ";

const STOPPED: &str = "it was stopped";

/// End of an experiment.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ExperimentEnd {
    Completed,
    /// Everything was tried; this number of items is missing.
    WithFailures(usize),
    /// It can be resumed.
    Paused {
        why: String,
        /// The ceiling that was reached, if one was.
        ceiling: Option<CeilingKind>,
    },
}

impl ExperimentEnd {
    /// Returns the end of an experiment that a person stopped.
    pub(in crate::experiments) fn from_stop() -> Self {
        Self::Paused {
            why: STOPPED.to_owned(),
            ceiling: None,
        }
    }

    /// Returns the end of an experiment that performs no more items.
    pub(super) fn from_stage(stage: &Stage, missing: usize) -> Self {
        let budget = &stage.budget;
        if missing == 0 {
            return Self::Completed;
        }
        if let Some(refusal) = budget.refusal() {
            return Self::Paused {
                why: format!("{WOULD_BE_REFUSED}{refusal}"),
                ceiling: None,
            };
        }
        if stage.context.stop.is_set() {
            return Self::from_stop();
        }
        match budget.met_ceiling() {
            Some(met) => Self::Paused {
                why: format!("the ceiling is reached: {met}"),
                ceiling: Some(met.kind),
            },
            None => Self::WithFailures(missing),
        }
    }
}
