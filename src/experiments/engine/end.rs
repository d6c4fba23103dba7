//! End of an experiment, and the reason of a pause.

use crate::engine::cost::Budget;

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
    Paused(String),
}

impl ExperimentEnd {
    /// Returns the end of an experiment that a person stopped.
    pub(in crate::experiments) fn stopped() -> Self {
        Self::Paused(STOPPED.to_owned())
    }

    /// Returns the end of an experiment that performs no more items. `stopped`: a person, or the end
    /// of the process, stopped it.
    pub(in crate::experiments) fn of(budget: &Budget, stopped: bool, missing: usize) -> Self {
        match why_paused(budget, stopped) {
            Some(why) => Self::Paused(why),
            None if missing > 0 => Self::WithFailures(missing),
            None => Self::Completed,
        }
    }
}

fn why_paused(budget: &Budget, stopped: bool) -> Option<String> {
    if let Some(refusal) = budget.refusal() {
        return Some(format!("{WOULD_BE_REFUSED}{refusal}"));
    }
    if stopped || budget.is_paused() {
        return Some(STOPPED.to_owned());
    }
    let met = budget.met()?;
    Some(format!("the ceiling is reached: {met}"))
}
