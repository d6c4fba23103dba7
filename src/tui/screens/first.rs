//! First screen of the workbench, by the command it was started with.

use super::annotate::Annotate;
use super::sessions::Sessions;
use crate::tui::app::{Screen, UiState};
use crate::tui::keys::KeyTable;
use elenchus_annotation::labelling::LabellingWork;
use std::sync::Arc;

/// Returns the screen that labels something.
pub fn annotate_screen(work: LabellingWork) -> Box<dyn Screen> {
    Box::new(Annotate::from_command_line(work))
}

/// Returns the first screen.
pub fn first_screen(state: &UiState, keys: &KeyTable) -> Box<dyn Screen> {
    Box::new(Sessions::new(&state.list, Arc::new(keys.clone())))
}
