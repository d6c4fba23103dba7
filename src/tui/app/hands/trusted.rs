//! Validation of evaluators against labels.

use super::Hands;
use crate::annotation::validation::{
    ValidationRequest, ValidationResult, most_labelled, validate_evaluators,
};
use crate::tui::app::deed::Ticket;
use crate::tui::app::told::Told;
use crate::workspace::WorkspaceError;
use std::sync::Arc;

impl Hands {
    pub(crate) fn validate(&mut self, ticket: Ticket, wish: ValidationRequest) {
        let (tools, tell) = (self.tools.clone(), self.tell.clone());
        tokio::task::spawn_blocking(move || {
            let layout = &tools.desk.layout;
            let found = || -> Result<ValidationResult, WorkspaceError> {
                let set = match wish.set.clone() {
                    Some(set) => Some(set),
                    None => most_labelled(layout)?,
                };
                validate_evaluators(layout, &tools.library, &ValidationRequest { set, ..wish })
            };
            let found = found().map(Arc::new).map_err(|error| error.to_string());
            let _ = tell.send(Told::Validated(ticket, found));
        });
    }
}
