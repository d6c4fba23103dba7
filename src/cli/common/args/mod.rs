//! Argument groups that several commands take, each defined once.

mod budget;
mod cast;
mod experiment;
mod flag;
mod lookup;
mod names;
mod number;
mod output;
mod replaced;
mod resume;
mod seed;
mod topics;

pub(crate) use budget::BudgetArgs;
pub(crate) use cast::CastArgs;
pub(crate) use experiment::{ExperimentArgs, KeyArgs};
pub(crate) use flag::flag_parser;
pub(crate) use lookup::LookupArgs;
pub(crate) use names::{NamespaceArgs, PersonArgs, SessionFilterArgs, UnlistedArgs};
pub(crate) use number::parse_at_least_one;
pub(crate) use output::{FigureFormatArgs, JsonArgs, JsonLinesArgs};
pub(crate) use replaced::{ReplacedFileArgs, advise_on_existing};
pub(crate) use resume::{BESIDE, make_exclusive};
pub(crate) use seed::SeedArgs;
pub(crate) use topics::TopicFilterArgs;

/// Help heading of options on rules, pace and limits of debates.
pub(crate) const GAME: &str = "How it is played";
/// Help heading of options on going on with an experiment, and on what is printed.
pub(crate) const GOING_ON: &str = "Looking ahead, resuming and printing";
/// Help heading of options on what an experiment may use.
pub(crate) const LIMITS: &str = "Limits";
/// Help heading of options on topics.
pub(crate) const TOPICS: &str = "What is debated";
/// Help heading of options on participants.
pub(crate) const SEATS: &str = "Who plays";
