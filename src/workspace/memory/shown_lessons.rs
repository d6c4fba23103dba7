//! Whether a game shows lessons to anybody: those that nobody is shown would head a transcript and
//! name an arm without an effect.

use super::error::DriverError;
use crate::debate::Protocol;

/// Refuses to look lessons up for a game that shows them to nobody.
///
/// # Errors
/// When no seat of the game sees memory.
pub(super) fn check_memory_is_seen(protocol: &Protocol) -> Result<(), DriverError> {
    if protocol.shows_memory() {
        return Ok(());
    }
    let id = &protocol.id;
    Err(DriverError::Invalid(format!(
        "no seat of protocol '{id}' sees memory, so lessons would be looked up and shown to nobody: \
         leave 'textual' out of the memory, or add 'memory = true' to 'sees' of a stage in a \
         protocol.toml of your own ('elenchus protocols show {id} --raw' prints this one)"
    )))
}
