//! Comparisons of groups of debates, of golden sets, of prompts and of replies.

pub(crate) mod difference;
pub(crate) mod golden;
pub(crate) mod groups;
mod judge_alarms;
pub(crate) mod judges;
mod learning_runs;
pub(crate) mod named_groups;
pub(crate) mod preference;
pub(crate) mod prompts;
pub(crate) mod replaced;
mod slopes;
pub(crate) mod table;
pub(crate) mod trend;
