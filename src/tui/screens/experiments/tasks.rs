//! Tasks of the experiments screen.

use super::{KnownExperiments, Message};
use crate::tui::app::{Task, Ticket};
use elenchus_records::workspace::{WorkspaceError, for_rows};
use elenchus_run::experiments::{ListedExperiment, list_experiments};
use std::sync::Arc;

/// Lists experiments of all kinds; journals that have not grown are not read again.
pub(super) fn list(known: Vec<ListedExperiment>) -> Task {
    Task::blocking("list the experiments", move |services| {
        let known = list_experiments(&services.tools.desk.layout, &known);
        let known = known.map(|(listed, unreadable)| {
            let why = unreadable.iter().map(|one| one.error.to_string());
            KnownExperiments {
                listed,
                unreadable: why.collect(),
            }
        });
        Message::Listed(known.map_err(|error| error.to_string()))
    })
}

/// Computes what an experiment found so far.
pub(super) fn figures(ticket: Ticket, of: ListedExperiment) -> Task {
    let name = "compute an experiment's figures";
    Task::indexed(name, for_rows, move |tools, index| {
        let found = || -> Result<_, WorkspaceError> {
            let found = of.figures(index, &tools.library.families()?)?;
            Ok(found.map(Arc::new))
        };
        Message::Figures(ticket, found().map_err(|error| error.to_string()))
    })
}
