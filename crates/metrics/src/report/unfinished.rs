//! Runs that are not over (FIGURES 5): whoever looks at rates again and again while they grow, and stops when they
//! please, finds intervals too short. A rate may be looked at, with how much is planned; its interval waits.

use super::figure::Figure;
use crate::rows::DebateRow;
use std::collections::{BTreeMap, BTreeSet};

/// Most runs that a section names.
const MAX_NAMED: usize = 3;

/// Progress of a run that is not over.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct RunProgress {
    /// Debates that came to an end or failed.
    pub ended: usize,
    pub planned: usize,
}

/// Runs that are not over, by their ids.
pub type UnfinishedRuns = BTreeMap<String, RunProgress>;

/// Takes the intervals away from figures of debates whose run is not over; returns what a section says of it.
pub(super) fn withhold_intervals(
    figures: &mut [Figure],
    debates: &[&DebateRow],
    unfinished: &UnfinishedRuns,
) -> Option<String> {
    let runs = debates
        .iter()
        .filter_map(|debate| debate.origin.run.as_ref());
    let runs: BTreeSet<&String> = runs.filter(|run| unfinished.contains_key(*run)).collect();
    if runs.is_empty() {
        return None;
    }
    for figure in figures {
        (figure.interval, figure.interval_of) = (None, None);
        if let Some(bounds) = &mut figure.bounds {
            (bounds.low, bounds.high) = (None, None);
        }
    }
    let progress = runs.iter().take(MAX_NAMED).filter_map(|run| {
        let RunProgress { ended, planned } = unfinished.get(*run)?;
        Some(format!("{ended} of {planned} planned debates of run {run}"))
    });
    let progress_texts: Vec<String> = progress.collect();
    let more = match runs.len().saturating_sub(MAX_NAMED) {
        0 => String::new(),
        more => format!(", and part of {more} other runs"),
    };
    Some(format!(
        "{}{more}: no interval before a run is over, since one that is looked at again and again comes out too short",
        progress_texts.join(", ")
    ))
}
