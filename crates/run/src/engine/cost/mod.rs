//! Cost of calls: the budget of a run, a debate's own ceiling, prices, and estimates of cost and time before anything
//! is sent.

mod budget;
mod duration;
mod estimate;
mod estimate_call;
mod failed_call;
mod spend_limit;
mod unpriced_models;

pub use budget::{Budget, CeilingStatus, MetCeiling, Reservation};
pub(crate) use duration::{DebateDuration, debate_duration};
pub use estimate::{Estimator, estimate_cost};
pub use estimate_call::estimate_call;
pub(crate) use failed_call::{WorstCase, longer_reply, reply_expense};
pub(crate) use spend_limit::SpendLimit;
pub(crate) use unpriced_models::find_unpriced_models;
