//! Argument groups that several commands take, each defined once.

mod budget;
mod cast;
mod names;
mod number;
mod output;
mod play;
mod topics;

pub(crate) use budget::{BudgetArgs, CostLimitArgs};
pub(crate) use cast::CastArgs;
pub(crate) use names::{NamespaceArgs, PersonArgs, SessionFilterArgs, UnlistedArgs};
pub(crate) use number::at_least_one;
pub(crate) use output::{FigureFormatArgs, JsonArgs, JsonLinesArgs};
pub(crate) use play::PlayArgs;
pub(crate) use topics::TopicFilterArgs;

/// Help heading of options on rules, pace and limits of debates.
pub(crate) const GAME: &str = "How it is played";
/// Help heading of options on participants.
pub(crate) const SEATS: &str = "Who plays";
