//! Commands and results of prompt trials and prompt comparisons.

use super::deed::Ticket;
use crate::debate::{CostEstimate, SessionId, State};
use crate::experiments::ExperimentEnd;
use crate::experiments::prompt_ab::{AbPlan, AbState, AbSummary};
use crate::experiments::prompt_trial::{RollForward, TrialUpdate, TryPlan};
use crate::tui::screens::prompt_trial::TryWish;
use crate::workspace::prompts::PromptName;
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
    /// Lists the comparisons: `Comparisons`.
    ListComparisons,
    /// Finds debates that a prompt can be compared on: `Surveyed`.
    Survey(Ticket, PromptName),
    /// Find the turns of a comparison and work out its cost: `Planned`.
    Plan(Ticket, Box<AbWish>),
    /// Begin a comparison and play it: `Begun`, `Compared` as samples come, `Ended`.
    Begin(Ticket, Box<AbPlan>),
    /// Go on with a comparison: `Compared` as samples come, `Ended`.
    Resume(String),
    /// Start no more samples of a comparison; what came is kept.
    StopComparison(String),
    /// Reads the result of a comparison: `Compared`.
    ReadComparison(String),
}

/// Result of a prompt trial command.
#[derive(Debug, Clone)]
pub enum TryTold {
    Read(Ticket, Result<Arc<TryCard>, String>),
    Went(Ticket, Arc<TrialUpdate>),
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
    Ended(String, Result<ExperimentEnd, String>),
}

/// A recorded turn that can be tried.
#[derive(Debug, Clone)]
pub struct TryCard {
    /// The whole session, with what was said and found after the turn.
    pub recorded: State,
    /// Cost of one sample, for each roll-forward.
    pub prices: Vec<(RollForward, CostEstimate)>,
    /// The ceiling of what is played at once, in US dollars.
    pub budget_usd: Option<f64>,
}

impl TryCard {
    /// Returns the cost of one sample that is played so far; `None` where it is unknown.
    pub fn price(&self, roll: RollForward) -> Option<CostEstimate> {
        let found = self.prices.iter().find(|(of, _)| *of == roll);
        found.map(|(_, estimate)| *estimate)
    }
}

/// Selection of turns and plan of a prompt comparison.
#[derive(Debug, Clone, PartialEq)]
pub struct AbWish {
    pub sessions: Vec<SessionId>,
    /// Everything but the turns, which are to be found.
    pub plan: AbPlan,
    pub seat: Option<String>,
    pub round: Option<u32>,
    /// Number of turns, drawn by the seed; all where left out.
    pub turns: Option<usize>,
}

/// Debates, seats and judges that a prompt can be compared with.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct AbSurvey {
    /// All debates first, then runs, then single debates, the newest first.
    pub sources: Vec<AbSource>,
    /// Seats that use the prompt.
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
    /// Cost, or why it is unknown.
    pub estimate: Result<CostEstimate, String>,
    pub simulated: bool,
    /// Notices before it begins.
    pub notices: Vec<String>,
}

/// State of a comparison.
#[derive(Debug, Clone)]
pub struct AbCard {
    pub state: AbState,
    pub summary: AbSummary,
    /// This workbench plays it now.
    pub playing: bool,
    /// Texts of the topics with different results, by their ids, where they were read.
    pub topics: BTreeMap<String, String>,
}
