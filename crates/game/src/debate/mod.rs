//! The game: a protocol and the events so far go in, the set of open steps comes out.
//!
//! Pure: no I/O, clock, randomness, async or logging; time and authors arrive inside events.
//!
//! [`protocol`] is the game as data, [`event`] the facts of a session, [`State`] the fold over
//! events, [`State::find_open_steps`] the steps that can be done now and [`visibility`] the rules about who
//! sees which turns.

mod adapter;
mod alignment;
mod dependents;
mod drawn_list;
mod empty_reply;
mod ensemble;
mod estimate;
pub mod event;
mod expense;
pub mod failed_steps;
mod gauge_results;
pub mod guardrail_events;
mod guardrail_steps;
pub mod ids;
mod learning;
mod memory_lookup;
mod paid_decisions;
pub mod protocol;
pub mod protocol_diff;
pub mod protocol_text;
mod recorded;
mod rejudging;
mod reply;
mod samples;
pub mod seeded_random;
pub mod state;
pub mod step;
pub mod topic;
mod topic_key;
pub mod view;
pub mod visibility;

pub use alignment::{Sides, align_turns};
pub use dependents::Dependent;
pub use drawn_list::{ListItem, NO_LIST, draw_item};
pub use empty_reply::{EMPTY_REPLY, EMPTY_REPLY_PLACEHOLDER, OUT_OF_TOKENS_PLACEHOLDER, is_blank};
pub use ensemble::{TIE, combine_outcomes};
pub use estimate::{CostEstimate, ExpectedUse};
pub use event::{Author, Event, Record};
pub use expense::Expense;
pub use gauge_results::gauge_number;
pub use guardrail_events::{
    GuardCandidate, GuardDecision, Guarded, GuardrailWritten, GuardsRetrieved,
};
pub use guardrail_steps::guardrail_chair;
pub use ids::{AttemptId, Chair, JudgingId, RunId, SeatId, SessionId, StageId, TurnId};
pub use protocol::Protocol;
pub use recorded::Recorded;
pub use state::refusal::EventRefusal;
pub use state::{
    Attempt, ForkChange, ForkOrigin, Spend, State, TurnState, VerdictState, VerdictsBySlot,
};
pub use step::{
    EndReason, Judge, LessonStep, Opening, ShownOrder, Speak, Step, StepId, Target, VerdictSlot,
};
pub use topic::{Document, ReferenceAnswer, Topic, Utterance, UtteranceRole};
pub use topic_key::TopicKey;
