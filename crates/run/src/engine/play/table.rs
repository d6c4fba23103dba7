//! Table of a play: what one debate is played with, for the time that it is played.

use crate::engine::cost::Budget;
use crate::engine::observer::{Observer, People};
use crate::engine::seats::Seats;
use elenchus_game::debate::event::SwappedRewards;
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
    /// Another debate's decisions that lessons of this one are written from; a run gives them out when all
    /// debates of the batch have theirs.
    pub swapped_rewards: Option<&'a SwappedRewards>,
    pub observer: &'a dyn Observer,
    pub people: &'a dyn People,
    pub cancel: &'a CancellationToken,
}
