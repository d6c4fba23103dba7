//! How much of a session's past a fork keeps, and the fork itself.
//!
//! Changing what something has seen is never done in place: the lines before it was seen are copied
//! and the copy goes on differently.

use super::super::error::DriverError;
use super::super::session::Session;
use super::Desk;
use crate::debate::event::Record;
use crate::debate::{JudgingId, SessionId, Slot, Target, TurnId};

/// What a fork leaves open.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Reopen {
    /// A turn with its attempts, which nothing has seen: to be re-rolled, edited or chosen anew.
    Turn(TurnId),
    /// A verdict that is not given yet; the first one of the rule on the target where no slot is
    /// named.
    Verdict {
        judging: JudgingId,
        target: Target,
        slot: Option<Slot>,
    },
    /// The lesson.
    Lesson,
    /// Everything that comes after a turn; its own verdicts are kept.
    After(TurnId),
    /// Nothing: the whole past is kept, and a ceiling that ended the debate counts anew.
    Nothing,
}

/// Where a fork leaves its parent.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ForkPoint {
    /// How many of the parent's lines the fork begins with.
    pub lines: u64,
    pub left_out: LeftOut,
}

/// What of the parent a fork does not have.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct LeftOut {
    pub turns: usize,
    pub verdicts: usize,
    pub lessons: usize,
}

/// Returns how much of a session a fork keeps at most, so that something is open to change.
///
/// # Errors
/// When the session does not have what is to be opened.
pub fn fork_point(records: &[Record], reopen: &Reopen) -> Result<ForkPoint, DriverError> {
    let _ = (records, reopen);
    todo!()
}

/// Begins a session with a copy of another's first lines, and opens it. The parent is only read:
/// anybody may be driving it, also this process.
///
/// # Errors
/// When the parent cannot be read or is shorter than `lines`; when the fork cannot be written.
pub async fn fork(desk: &Desk, parent: &SessionId, lines: u64) -> Result<Session, DriverError> {
    let _ = (desk, parent, lines);
    todo!()
}
