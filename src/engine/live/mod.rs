//! A session that is played under somebody's hands: the engine that plays headless, taking orders.
//!
//! One task owns the session and its lock and runs the one loop until its handle is closed or
//! dropped. Nothing here draws anything, and nothing runs while nothing happens.

mod answers;
mod hand;
mod orders;
mod pace;
mod pieces;
mod preview;
mod rerolls;
mod rest;
mod tiding;
mod turns;

pub(super) use hand::Hand;
pub use pieces::Piece;
pub(super) use pieces::Pieces;
pub use preview::{Preview, PreviewRequest, PreviewUse, preview};
pub use tiding::{
    DeltaKind, MAX_REROLLS, MAX_SENT_BYTES, MAX_TEXT_BYTES, Order, Pace, Rest, Tiding,
};

use super::budget::Budget;
use super::clock::Clock;
use super::memory_book::MemoryBook;
use super::observe::{Answer, Observer, People, Question};
use super::play::{Table, play_by_hand};
use super::seats::{Seats, models_of};
use super::session::Session;
use crate::debate::{Record, SessionId, State};
use crate::model::BoxFuture;
use crate::store::Notice;
use futures_util::FutureExt;
use std::panic::AssertUnwindSafe;
use std::sync::Arc;
use tokio::sync::mpsc::{UnboundedSender, unbounded_channel};
use tokio::task::JoinHandle;
use tokio_util::sync::CancellationToken;

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
    tools: LiveTools,
    tell: UnboundedSender<(SessionId, Tiding)>,
) -> LiveHandle {
    let (orders, ordered) = unbounded_channel();
    let id = session.id.clone();
    let hand = Hand::new(id.clone(), ordered, tell.clone());
    LiveHandle {
        session: id,
        orders,
        task: tokio::spawn(drive(session, tools, hand, tell)),
    }
}

async fn drive(
    mut session: Session,
    tools: LiveTools,
    hand: Hand,
    tell: UnboundedSender<(SessionId, Tiding)>,
) {
    let id = session.id.clone();
    let teller = Teller { session: id, tell };
    for notice in &session.notices {
        teller.say(Tiding::Mended(notice.clone()));
    }
    let created = session.state.created();
    let cast = created.map_or(&[][..], |created| &created.cast);
    let changed = tools.seats.changed_since(models_of(cast));
    let stands_in = tools.seats.stands_in(models_of(cast));
    for notice in changed.into_iter().chain(stands_in) {
        teller.say(Tiding::Noticed(notice));
    }
    let person = Named(tools.person);
    let cancel = CancellationToken::new();
    let table = Table {
        clock: tools.clock,
        seats: &tools.seats,
        budget: &tools.budget,
        memory: tools.memory.as_ref(),
        observer: &teller,
        people: &person,
        cancel: &cancel,
    };
    // A fault of ours must not leave a screen waiting for a task that is gone; what was recorded is
    // durable, and nothing of the session is used after it.
    let played = AssertUnwindSafe(play_by_hand(&mut session, table, hand));
    let left = played.catch_unwind().await;
    // Whoever hears that it broke may open it again at once.
    drop(session);
    match left {
        Ok(Ok(_)) => {}
        Ok(Err(error)) => teller.say(Tiding::Broke(error.to_string())),
        Err(_) => teller.say(Tiding::Broke(
            "a fault in this program stopped the session; what was recorded stays: open it again, \
             and report what the log says"
                .to_owned(),
        )),
    }
}

/// Tells what is durable.
struct Teller {
    session: SessionId,
    tell: UnboundedSender<(SessionId, Tiding)>,
}

impl Teller {
    fn say(&self, tiding: Tiding) {
        // Whoever listens no longer needs not be told.
        let _ = self.tell.send((self.session.clone(), tiding));
    }
}

impl Observer for Teller {
    fn happened(&self, _session: &SessionId, record: &Record, _state: &State) {
        self.say(Tiding::Happened(record.clone()));
    }

    fn mended(&self, notice: &Notice) {
        self.say(Tiding::Mended(notice.clone()));
    }

    fn noticed(&self, notice: &str) {
        self.say(Tiding::Noticed(notice.to_owned()));
    }
}

/// A person whose answers come as orders.
struct Named(String);

impl People for Named {
    fn ask<'a>(&'a self, _question: &'a Question) -> BoxFuture<'a, std::io::Result<Answer>> {
        Box::pin(async { Ok(Answer::Left) })
    }

    fn name(&self) -> String {
        self.0.clone()
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
