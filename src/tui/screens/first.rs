//! First screen of the workbench, by the command it was started with.

use super::annotate::Annotate;
use super::sessions::Sessions;
use crate::tui::app::UiState;
use crate::tui::app::{Deed, Screen, Work};
use crate::tui::keys::KeyTable;
use std::sync::Arc;

/// Returns the screen that labels something.
pub fn annotate_screen(work: Work) -> (Box<dyn Screen>, Vec<Deed>) {
    (Box::new(Annotate::of(work)), Vec::new())
}

/// Returns the first screen and what it wants done at once.
pub fn first_screen(kept: &UiState, keys: &KeyTable) -> (Box<dyn Screen>, Vec<Deed>) {
    let sessions = Sessions::new(&kept.list, Arc::new(keys.clone()));
    (Box::new(sessions), Vec::new())
}
