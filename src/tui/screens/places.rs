//! Places: the screens that are one key away from everywhere, as the line at the top names them.

use super::annotate::Annotate;
use super::experiments::Experiments;
use super::memory::Memory;
use super::prompt_list::Prompts;
use super::validate::Validate;
use crate::tui::app::Effect;
use crate::tui::keys::{Action, Context};

/// A screen that is one key away.
pub(crate) struct Place {
    pub name: &'static str,
    pub action: Action,
    /// The context of its keys, by which it is found among the screens that are open.
    pub context: Context,
    /// Returns what opens it; nothing where it is always open.
    pub open: fn() -> Vec<Effect>,
}

/// Every place, in the order of the line.
pub(crate) const PLACES: [Place; 6] = [
    Place {
        name: "sessions",
        action: Action::ShowSessions,
        context: Context::Sessions,
        open: Vec::new,
    },
    Place {
        name: "prompts",
        action: Action::ShowPrompts,
        context: Context::Prompts,
        open: || Prompts::show(None),
    },
    Place {
        name: "memory",
        action: Action::ShowMemory,
        context: Context::Memory,
        open: || Memory::show(None, None),
    },
    Place {
        name: "labelling",
        action: Action::ShowQueues,
        context: Context::Queues,
        open: || Annotate::show(None),
    },
    Place {
        name: "validation",
        action: Action::ShowValidation,
        context: Context::Validate,
        open: Validate::show,
    },
    Place {
        name: "experiments",
        action: Action::ShowExperiments,
        context: Context::Experiments,
        open: Experiments::show,
    },
];

impl Place {
    /// Returns the place that an action leads to.
    pub(crate) fn of(action: Action) -> Option<&'static Place> {
        PLACES.iter().find(|place| place.action == action)
    }

    /// Returns the place that keys of a context belong to.
    pub(crate) fn at(context: Context) -> Option<&'static Place> {
        let context = match context {
            // A queue that is being labelled.
            Context::Annotate => Context::Queues,
            other => other,
        };
        PLACES.iter().find(|place| place.context == context)
    }
}
