//! Address of a turn in a store, and the way of a walk from one to the next.

use elenchus_game::debate::{SessionId, TurnId};
use serde::Serialize;

/// Where a turn is found: in a session, the attempt at it that counts.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize)]
pub struct TurnAddress {
    pub session: SessionId,
    pub turn: TurnId,
}

/// Direction of a walk.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Way {
    Forth,
    Back,
}
