//! Trash: deletes a session and restores it. Nothing is ever removed from disk.

use super::error::Result;
use elenchus_game::debate::SessionId;
use elenchus_store::Layout;

/// Moves a session to the trash; [`restore_session`] undoes it.
///
/// # Errors
/// [`StoreError::Locked`](elenchus_store::StoreError::Locked) names who drives it; also when it is not
/// there, or the trash has one of that id already.
pub fn delete_session(layout: &Layout, id: &SessionId) -> Result<()> {
    Ok(layout.move_to_trash(id.as_str())?)
}

/// Brings a session back from the trash; [`delete_session`] undoes it.
///
/// # Errors
/// When it is not in the trash, or there is one of that id again.
pub fn restore_session(layout: &Layout, id: &SessionId) -> Result<()> {
    Ok(layout.restore_session(id.as_str())?)
}
