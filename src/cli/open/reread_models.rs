//! Configuration that is read again while the workbench is open: servers and models that were added meanwhile, and
//! another default.

use super::describe_models;
use crate::cli::common::{CommandContext, Global};
use crate::tui::app::{ModelChoices, RereadModels};
use std::sync::{Arc, Mutex, PoisonError};

/// Returns what reads the configuration again. Nobody is asked for approvals: a server that a project names waits for
/// one when it is to be contacted, as at the start.
pub(super) fn reread_models(global: &Global, context: &CommandContext) -> RereadModels {
    let global = global.clone();
    let last = Mutex::new(describe_choices(context));
    Arc::new(move || {
        let context = CommandContext::open(&global, Arc::new(|_| {}));
        let context = context.map_err(|error| format!("{error:#}"))?;
        if let Some(refused) = context.config.refusals.first() {
            return Err(refused.to_string());
        }
        let now = describe_choices(&context);
        let mut last = last.lock().unwrap_or_else(PoisonError::into_inner);
        if *last == now {
            return Ok(None);
        }
        *last = now;
        Ok(Some(ModelChoices {
            seats: Arc::clone(&context.run.seats),
            defaults: context.play_defaults(),
            configured: describe_models(&context),
        }))
    })
}

/// Everything that the configuration says of models and of what is begun, to be compared.
fn describe_choices(context: &CommandContext) -> String {
    format!("{:?} {:?}", context.config.models, context.config.defaults)
}
