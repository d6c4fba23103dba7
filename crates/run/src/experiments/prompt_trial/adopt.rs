//! Adoption of a sample: moves it among the sessions.

use elenchus_game::debate::SessionId;
use elenchus_records::workspace::{Result, StoreContext, WorkspaceError};

/// Moves a sample of a try among the sessions, where it is a fork of the session that it was tried
/// on. Blocks.
///
/// # Errors
/// When there is no such sample, it is still played, or the disk refuses.
pub fn adopt_tried_sample(store: &StoreContext, sample: &SessionId) -> Result<()> {
    let tries = store.layout.tries_store();
    if !tries.session_path(sample.as_str())?.exists() {
        return Err(WorkspaceError::NoSuch {
            what: "sample of a try",
            id: sample.to_string(),
            list: "elenchus prompts try",
        });
    }
    Ok(store.layout.take_session(&tries, sample.as_str())?)
}
