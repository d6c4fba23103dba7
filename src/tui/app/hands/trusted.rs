//! Evaluators held against labels.

use super::Hands;
use crate::driver::DriverError;
use crate::driver::validate::{ValidateWish, Validated, most_labelled, validated};
use crate::tui::app::{Ticket, Told};
use std::sync::Arc;

impl Hands {
    pub(super) fn validate(&mut self, ticket: Ticket, wish: ValidateWish) {
        let (tools, tell) = (self.tools.clone(), self.tell.clone());
        tokio::task::spawn_blocking(move || {
            let layout = &tools.desk.layout;
            let found = || -> Result<Validated, DriverError> {
                let set = match wish.set.clone() {
                    Some(set) => Some(set),
                    None => most_labelled(layout)?,
                };
                validated(layout, &tools.library, &ValidateWish { set, ..wish })
            };
            let found = found().map(Arc::new).map_err(|error| error.to_string());
            let _ = tell.send(Told::Validated(ticket, found));
        });
    }
}
