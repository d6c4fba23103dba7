//! Tasks of the validation screen.

use super::Message;
use crate::tui::app::{Task, Ticket};
use elenchus_annotation::validation::{
    ValidationRequest, ValidationResult, find_most_labelled_set, validate_evaluators,
};
use elenchus_records::workspace::{WorkspaceError, read_validation_index};
use std::sync::Arc;

/// Holds evaluators against labels, by default those of the set that most turns are labelled by.
pub(super) fn compute_validation(ticket: Ticket, request: ValidationRequest) -> Task {
    Task::new_with_index(
        "validate evaluators",
        read_validation_index,
        move |services, index| {
            let compute = || -> Result<ValidationResult, WorkspaceError> {
                let set = match request.set.clone() {
                    Some(set) => Some(set),
                    None => find_most_labelled_set(index.layout())?,
                };
                validate_evaluators(
                    index,
                    &services.library,
                    &ValidationRequest { set, ..request },
                )
            };
            let result = compute().map(Arc::new);
            Message::Validated(ticket, result)
        },
    )
}
