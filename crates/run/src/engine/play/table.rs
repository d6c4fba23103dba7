//! Table of a play: what one debate is played with, for the time that it is played.

use crate::engine::cost::Budget;
use crate::engine::observer::{Observer, People};
use crate::engine::seats::Seats;
use elenchus_records::workspace::Clock;
use elenchus_records::workspace::memory::MemoryBook;
use tokio_util::sync::CancellationToken;

/// Context of a play.
#[derive(Clone, Copy)]
pub struct Table<'a> {
    pub clock: Clock,
    pub seats: &'a Seats,
    pub budget: &'a Budget,
    pub memory: Option<&'a MemoryBook>,
    pub observer: &'a dyn Observer,
    pub people: &'a dyn People,
    pub cancel: &'a CancellationToken,
}
