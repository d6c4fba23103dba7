//! Tasks of runs side by side.

use super::ArmsMessage;
use crate::tui::app::{Task, Ticket};
use elenchus_records::workspace::{WorkspaceError, read_rows_index};
use elenchus_run::experiments::ListedExperiment;
use elenchus_run::experiments::side_by_side::{ArmColumn, ArmsSideBySide, read_compared_rows};
use std::sync::Arc;

/// Reads the debates of experiments and computes the figures of their arms.
pub(super) fn read_arms(experiments: Vec<ListedExperiment>) -> Task {
    let name = "put runs side by side";
    Task::new_with_index(name, read_rows_index, move |services, index| {
        let read = || -> Result<_, WorkspaceError> {
            let families = services.library.read_families()?;
            let rows = read_compared_rows(index, &families, &experiments)?;
            ArmsSideBySide::compute(index, rows).map(Arc::new)
        };
        ArmsMessage::Read(read())
    })
}

/// Compares all other arms with one of them in a column.
pub(super) fn compare_arms(
    ticket: Ticket,
    arms: Arc<ArmsSideBySide>,
    reference: String,
    column: ArmColumn,
) -> Task {
    let name = "compare arms";
    Task::new_with_index(name, read_rows_index, move |_, index| {
        let differences = arms.compute_differences(index, &reference, &column);
        ArmsMessage::Compared(ticket, Arc::new(differences))
    })
}
