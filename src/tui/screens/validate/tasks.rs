//! Tasks of the validation screen.

use super::Message;
use crate::tui::app::{Task, Ticket};
use elenchus_annotation::validation::{
    ValidationRequest, ValidationResult, most_labelled, validate_evaluators,
};
use elenchus_records::workspace::{WorkspaceError, for_validation};
use std::sync::Arc;

/// Holds evaluators against labels, by default those of the set that most turns are labelled by.
pub(super) fn validate(ticket: Ticket, wish: ValidationRequest) -> Task {
    Task::indexed(
        "validate evaluators",
        for_validation,
        move |tools, index| {
            let found = || -> Result<ValidationResult, WorkspaceError> {
                let set = match wish.set.clone() {
                    Some(set) => Some(set),
                    None => most_labelled(index.layout())?,
                };
                validate_evaluators(index, &tools.library, &ValidationRequest { set, ..wish })
            };
            let found = found().map(Arc::new).map_err(|error| error.to_string());
            Message::Validated(ticket, found)
        },
    )
}
