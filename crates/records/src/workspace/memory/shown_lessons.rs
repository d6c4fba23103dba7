//! Check that a game shows lessons to a seat: lessons that no seat is shown would head a transcript and
//! name an arm without an effect.

use crate::workspace::error::{Result, invalid};
use elenchus_game::debate::Protocol;

/// Refuses to look lessons up for a game that shows them to no seat.
///
/// # Errors
/// When no seat of the game sees memory.
pub fn check_memory_is_seen(protocol: &Protocol) -> Result<()> {
    if protocol.shows_memory() {
        return Ok(());
    }
    let id = &protocol.id;
    invalid(format!(
        "no seat of protocol '{id}' sees memory, so lessons would be looked up and never shown: \
         leave 'textual' out of the memory, or add 'memory = true' to 'sees' of a stage in a \
         protocol.toml of your own ('elenchus protocols show {id} --raw' prints this one)"
    ))
}
