//! Comparisons of two arms, two prompts or two replies.

pub(crate) mod against_first;
pub(crate) mod paired_arms;
pub(crate) mod paired_table;
pub(crate) mod preference;
pub(crate) mod prompts;
