//! The game: a protocol and the events so far go in, the set of open steps comes out.
//!
//! Pure: no I/O, clock, randomness, async or logging; time and authors arrive inside events.
//!
//! [`protocol`] is the game as data, [`event`] what happened, [`State`] the fold over events,
//! [`State::open`] what can be done now and [`sight`] who sees which turns.

mod aligned;
mod anew;
mod apply;
mod apply_call;
mod apply_verdict;
pub mod chance;
mod created;
pub mod drawing;
mod empty_reply;
mod estimate;
pub mod event;
mod event_reading;
mod expense;
mod found;
mod gauged;
pub mod guarded;
mod guarding;
pub mod ids;
mod judges_of;
mod learning;
pub mod levers;
mod open;
pub mod protocol;
mod refusal;
mod reply;
mod search;
mod seen;
pub mod sight;
pub mod state;
pub mod step;
pub mod topic;
pub mod view;

pub use aligned::{Aligned, Sides, aligned, in_game_order};
pub use empty_reply::{EMPTY_REPLY, NOTHING_CAME, is_blank};
pub use estimate::{Estimate, ExpectedUse};
pub use event::{Author, Event, Record};
pub use expense::Expense;
pub use found::{TIE, combine};
pub use gauged::GaugeReading;
pub use guarded::{GuardCandidate, GuardDecision, Guarded, GuardsRetrieved};
pub use guarding::GuardState;
pub use ids::{AttemptId, Chair, JudgingId, RunId, SeatId, SessionId, StageId, TurnId};
pub use protocol::Protocol;
pub use refusal::Refusal;
pub use seen::Onlooker;
pub use state::{
    Attempt, BySlot, FeedbackState, ReplacedTemplates, SentBack, Spend, State, TurnState,
    VerdictState,
};
pub use step::{Done, Judge, Opening, ShownOrder, Slot, Speak, Step, StepId, Target};
pub use topic::{Document, Reference, Topic, Utterance, UtteranceRole};
