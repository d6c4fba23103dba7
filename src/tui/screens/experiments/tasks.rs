//! Tasks of the experiments screen.

use super::{KnownExperiments, Message};
use crate::tui::app::{Task, Ticket};
use elenchus_metrics::Measure;
use elenchus_records::workspace::{WorkspaceError, read_rows_index};
use elenchus_run::experiments::{ExperimentColumn, ListedExperiment, list_experiments};
use std::sync::Arc;

/// Lists experiments of all kinds; journals that have not grown are not read again.
pub(super) fn read_experiment_list(known: Vec<ListedExperiment>) -> Task {
    Task::new_blocking("list the experiments", move |services| {
        let listing = list_experiments(&services.store.layout, &known);
        let listing = listing.map(|(listed, unreadable)| {
            let why = unreadable.iter().map(|one| one.error.to_string());
            KnownExperiments {
                experiments: listed,
                unreadable: why.collect(),
                columns: services.experiment_columns.clone(),
            }
        });
        Message::Listed(listing)
    })
}

/// Computes what experiments of the list have come to.
pub(super) fn compute_listed_figures(
    experiments: Vec<ListedExperiment>,
    columns: Vec<ExperimentColumn>,
) -> Task {
    let name = "compute the rates of experiments";
    Task::new_with_index(name, read_rows_index, move |services, index| {
        let measures = columns.into_iter().filter_map(ExperimentColumn::measure);
        let measures: Vec<Measure> = measures.collect();
        let families = services.library.read_families();
        let figures_of = |one: &ListedExperiment| {
            let families = families.as_ref().ok()?;
            // What cannot be read has no rate; opening it says why.
            let figures = one.compute_listed_figures(index, families, &measures);
            figures.ok().flatten()
        };
        let computed = experiments.into_iter().map(|one| {
            let figures = figures_of(&one);
            (one.summary, figures)
        });
        Message::ListedFigures(computed.collect())
    })
}

/// Computes what an experiment found so far.
pub(super) fn compute_figures(ticket: Ticket, of: ListedExperiment) -> Task {
    let name = "compute an experiment's figures";
    Task::new_with_index(name, read_rows_index, move |services, index| {
        let read_figures = || -> Result<_, WorkspaceError> {
            let result = of.compute_figures(index, &services.library.read_families()?)?;
            Ok(result.map(Arc::new))
        };
        Message::Figures(ticket, read_figures())
    })
}
