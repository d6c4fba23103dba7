//! Argument groups that several commands take, each defined once.

mod budget;
mod cast;
mod headings;
mod namespace;
mod number;
mod output;
mod person;
mod play;
mod sessions;
mod topics;
mod unlisted;

pub(crate) use budget::{BudgetArgs, CostLimitArgs};
pub(crate) use cast::CastArgs;
pub(crate) use headings::{GAME, SEATS};
pub(crate) use namespace::NamespaceArgs;
pub(crate) use number::at_least_one;
pub(crate) use output::{FigureFormatArgs, JsonArgs, JsonLinesArgs};
pub(crate) use person::PersonArgs;
pub(crate) use play::PlayArgs;
pub(crate) use sessions::SessionFilterArgs;
pub(crate) use topics::TopicFilterArgs;
pub(crate) use unlisted::UnlistedArgs;
