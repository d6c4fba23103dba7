//! Which sessions were forked from which, and where they part.

use super::super::error::DriverError;
use crate::debate::{SessionId, TurnId};
use crate::store::Layout;

/// A session with its ancestors, their other forks, and all that was forked from them.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Tree {
    /// Parents before their children, the older of two forks first; the first one is the root.
    pub branches: Vec<Branch>,
}

/// A session in a tree.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Branch {
    pub session: SessionId,
    /// How many forks it is away from the root.
    pub depth: usize,
    /// `None` for the root.
    pub parting: Option<Parting>,
    pub whereabouts: Whereabouts,
}

/// Where a fork leaves its parent.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Parting {
    pub parent: SessionId,
    /// How many lines they share.
    pub lines: u64,
    /// The first turn that the fork has of its own; else the first that the parent has after they
    /// part; `None` where neither has one.
    pub turn: Option<TurnId>,
}

/// Where a session of a tree is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Whereabouts {
    Kept,
    /// In the trash.
    Deleted,
    /// Its forks name it, and it is not in this store.
    Missing,
}

/// Finds the tree that a session belongs to. Blocks while it reads.
///
/// # Errors
/// When the session cannot be read; relatives that cannot be read are left out.
pub fn tree(layout: &Layout, id: &SessionId) -> Result<Tree, DriverError> {
    let _ = (layout, id);
    todo!()
}
