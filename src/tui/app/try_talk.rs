//! What the screens of tries and comparisons want done, and what came of it.

use super::deed::Ticket;
use crate::debate::{Estimate, SessionId, State};
use crate::driver::prompt_desk::PromptName;
use crate::driver::tries::{AbEnd, AbPlan, AbState, AbSummary, RollForward, TryPlan, TryTiding};
use crate::tui::screens::tries::TryWish;
use std::collections::BTreeMap;
use std::sync::Arc;

/// Something to be done with tries of prompts; answered with [`TryTold`].
#[derive(Debug, Clone)]
pub enum TryDeed {
    /// Read the turn, check the text on it and work out what a sample costs: `Read`.
    Read(Ticket, Box<TryWish>),
    /// Play samples: `Went` as they come, then `Over`. What was played before is stopped.
    Play(Ticket, Box<TryPlan>),
    /// Start no more samples; what came is kept.
    Stop,
    /// Make a sample a session of its own: `Adopted`.
    Adopt(SessionId),
    /// Which comparisons there are: `Comparisons`.
    ListComparisons,
    /// What a prompt can be compared on: `Surveyed`.
    Survey(Ticket, PromptName),
    /// Find the turns of a comparison and work out its cost: `Planned`.
    Plan(Ticket, Box<AbWish>),
    /// Begin a comparison and play it: `Begun`, `Compared` as samples come, `Ended`.
    Begin(Ticket, Box<AbPlan>),
    /// Go on with a comparison: `Compared` as samples come, `Ended`.
    Resume(String),
    /// Start no more samples of a comparison; what came is kept.
    StopComparison(String),
    /// What a comparison came to: `Compared`.
    ReadComparison(String),
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
    Surveyed(Ticket, Result<Arc<AbSurvey>, String>),
    Planned(Ticket, Result<Arc<AbPlanned>, String>),
    /// The id of the comparison.
    Begun(Ticket, Result<String, String>),
    Compared(String, Result<Arc<AbCard>, String>),
    Ended(String, Result<AbEnd, String>),
}

/// A recorded turn that can be tried.
#[derive(Debug, Clone)]
pub struct TryCard {
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

/// Which turns two prompts are compared on, and how.
#[derive(Debug, Clone, PartialEq)]
pub struct AbWish {
    pub sessions: Vec<SessionId>,
    /// Everything but the turns, which are to be found.
    pub plan: AbPlan,
    pub seat: Option<String>,
    pub round: Option<u32>,
    /// So many turns, drawn by the seed; all where left out.
    pub turns: Option<usize>,
}

/// What a prompt can be compared on.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct AbSurvey {
    /// All debates first, then runs, then single debates, the newest first.
    pub sources: Vec<AbSource>,
    /// Who is told by the prompt.
    pub seats: Vec<String>,
    /// Models that can be asked which reply is better.
    pub judges: Vec<String>,
    /// The ceiling that is configured, in US dollars.
    pub budget_usd: Option<f64>,
}

/// Debates that turns are taken from.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct AbSource {
    pub label: String,
    pub detail: String,
    pub sessions: Vec<SessionId>,
}

/// A comparison that could begin.
#[derive(Debug, Clone, PartialEq)]
pub struct AbPlanned {
    pub plan: AbPlan,
    pub topics: usize,
    /// Why nobody can say what it costs, where nobody can.
    pub estimate: Result<Estimate, String>,
    pub simulated: bool,
    /// What should be known before it begins.
    pub notices: Vec<String>,
}

/// A comparison as it stands.
#[derive(Debug, Clone)]
pub struct AbCard {
    pub state: AbState,
    pub summary: AbSummary,
    /// This workbench plays it now.
    pub playing: bool,
    /// What topics that came out differently ask, by their ids, where that was read.
    pub topics: BTreeMap<String, String>,
}
