//! End of an experiment, and the reason of a pause.

use super::perform::Stage;
use elenchus_game::debate::event::CeilingKind;

/// End of an experiment.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ExperimentEnd {
    Completed,
    /// Everything was tried; this number of items is missing.
    WithFailures(usize),
    /// It can be resumed.
    Paused(PauseCause),
}

/// Reason of a pause, as its journal says it.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum PauseCause {
    #[error("it was stopped")]
    Stopped,
    /// The provider refused a call, with these words.
    #[error("no more calls are sent, for each would be refused as well: {0}")]
    Refused(String),
    /// No adapter came of a training that later debates wait for.
    #[error("{0}")]
    TrainingFailed(String),
    /// This number of calls is to be answered by a batch file.
    #[error("calls that wait for answers of a batch file: {0}")]
    InBatch(usize),
    #[error("the ceiling is reached: {reached}")]
    Ceiling { kind: CeilingKind, reached: String },
}

impl PauseCause {
    /// Returns the ceiling that was reached, if one was.
    pub fn ceiling(&self) -> Option<CeilingKind> {
        match self {
            Self::Ceiling { kind, .. } => Some(*kind),
            Self::Stopped | Self::Refused(_) | Self::TrainingFailed(_) | Self::InBatch(_) => None,
        }
    }
}

impl ExperimentEnd {
    /// Returns the end of an experiment that a person stopped.
    pub(in crate::experiments) fn from_stop() -> Self {
        Self::Paused(PauseCause::Stopped)
    }

    /// Returns the end of an experiment that performs no more items.
    pub(super) fn from_stage(stage: &Stage, missing: usize) -> Self {
        let budget = &stage.budget;
        if missing == 0 {
            return Self::Completed;
        }
        if let Some(refusal) = budget.refusal() {
            return Self::Paused(PauseCause::Refused(refusal.to_owned()));
        }
        if stage.context.stop.is_set() {
            return Self::from_stop();
        }
        match budget.met_ceiling() {
            Some(met) => Self::Paused(PauseCause::Ceiling {
                kind: met.kind,
                reached: met.to_string(),
            }),
            None => Self::WithFailures(missing),
        }
    }
}
