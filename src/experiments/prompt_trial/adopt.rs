//! A sample becomes a session.

use super::super::desk::Desk;
use super::super::error::DriverError;
use crate::debate::SessionId;

/// Moves a sample of a try among the sessions, where it is a fork of the session that it was tried
/// on. Blocks.
///
/// # Errors
/// When there is no such sample, somebody still plays it, or the disk refuses.
pub fn adopt(desk: &Desk, sample: &SessionId) -> Result<(), DriverError> {
    let tries = desk.layout.tries();
    if !tries.session(sample.as_str())?.exists() {
        return Err(DriverError::NoSuch {
            what: "sample of a try",
            id: sample.to_string(),
            list: "elenchus prompts try",
        });
    }
    Ok(desk.layout.take_session(&tries, sample.as_str())?)
}
