//! Task of the inspector: the labels of prompts' texts.

use super::Message;
use crate::tui::app::{Services, Task};
use elenchus_records::workspace::prompts::read_kept;

/// Reads the labels of all prompts' texts; none where they cannot be read.
pub(super) fn read_labels() -> Task {
    Task::new_blocking("read the labels of prompts", |services: &Services| {
        Message::Labels(read_kept(&services.store.layout).unwrap_or_default())
    })
}
