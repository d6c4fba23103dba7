//! What the screens of tries and comparisons want done, and what came of it.

use super::deed::Ticket;
use crate::debate::{Estimate, SessionId, State};
use crate::driver::tries::{AbState, RollForward, TryPlan, TryTiding, TurnContext};
use crate::tui::screens::tries::TryWish;
use std::sync::Arc;

/// Something to be done with tries of prompts; answered with [`TryTold`].
#[derive(Debug, Clone)]
pub enum TryDeed {
    /// Read the turn, check the text on it and work out what a sample costs: `Read`.
    Read(Ticket, Box<TryWish>),
    /// Play samples: `Went` as they come, then `Over`. What was played before is stopped.
    Play(Ticket, Box<TryPlan>),
    /// Start nothing more; what came is kept.
    Stop,
    /// Make a sample a session of its own: `Adopted`.
    Adopt(SessionId),
    /// Which comparisons there are: `Comparisons`.
    ListComparisons,
}

/// What came of something that was done with tries of prompts.
#[derive(Debug, Clone)]
pub enum TryTold {
    Read(Ticket, Result<Arc<TryCard>, String>),
    Went(Ticket, Arc<TryTiding>),
    /// Nothing is played any more.
    Over(Ticket, Result<(), String>),
    Adopted(SessionId, Result<(), String>),
    /// The newest first; those that cannot be read come with the reason.
    Comparisons(Arc<Vec<Result<AbState, String>>>),
}

/// A recorded turn that can be tried.
#[derive(Debug, Clone)]
pub struct TryCard {
    pub context: TurnContext,
    /// The whole session, with what was said and found after the turn.
    pub recorded: State,
    /// What one sample costs, for each way to go on.
    pub prices: Vec<(RollForward, Estimate)>,
    /// The ceiling of what is played at once, in US dollars.
    pub budget_usd: Option<f64>,
}

impl TryCard {
    /// Returns what one sample costs that is played so far; `None` where nobody can say.
    pub fn price(&self, roll: RollForward) -> Option<Estimate> {
        let found = self.prices.iter().find(|(of, _)| *of == roll);
        found.map(|(_, estimate)| *estimate)
    }
}
