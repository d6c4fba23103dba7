//! Sections of a report: each file computes the figures of one subject from the counted rows.

pub(crate) mod asked_grader;
pub(crate) mod cost;
pub(crate) mod counting;
pub(crate) mod critic;
pub(crate) mod detector_error;
pub(crate) mod findings;
pub(crate) mod game;
pub(crate) mod gauge;
pub(crate) mod graded_turns;
pub(crate) mod guardrail;
pub(crate) mod memory;
pub(crate) mod over_turns;
pub(crate) mod peer_objections;
pub(crate) mod safety;
pub(crate) mod samples;
pub(crate) mod survival;
pub(crate) mod two_candidate;
