//! Places: the screens that are one key away from everywhere, as the line at the top names them.

use super::{experiments, memory, prompt_list, queues, sessions, validate};
use crate::tui::app::Effect;
use crate::tui::keys::{Context, DefaultKeys, ScreenKeys};

/// A screen that is one key away: all that the workbench has to know of it.
#[derive(Clone, Copy)]
pub struct Place {
    /// Its name, and the key that leads there.
    pub keys: &'static ScreenKeys,
    /// The context of its keys, by which it is found among the screens that are open:
    /// [`Context::Screen`] where it brings them with it.
    pub context: Context,
    /// Returns what opens it; nothing where it is always open.
    pub open: fn() -> Vec<Effect>,
}

/// Every place, in the order of the line.
pub const PLACES: &[Place] = &[
    sessions::PLACE,
    prompt_list::PLACE,
    memory::PLACE,
    queues::PLACE,
    validate::PLACE,
    experiments::PLACE,
];

/// Returns the keys as they come, with those of places.
pub fn default_keys(places: &[Place]) -> DefaultKeys {
    DefaultKeys::from_screens(places.iter().map(|place| place.keys))
}

impl Place {
    /// Says whether keys of a context belong to it.
    pub(crate) fn has_context(&self, context: Context) -> bool {
        let context = match context {
            // A queue that is being labelled.
            Context::Annotate => Context::Queues,
            other => other,
        };
        self.context == context
    }
}
