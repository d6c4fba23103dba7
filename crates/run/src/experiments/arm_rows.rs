//! Debates of an experiment, each with the arm that it is of.

use elenchus_metrics::DebateRow;
use std::collections::{BTreeMap, BTreeSet};

/// Debates of one experiment, to stand beside those of others.
#[derive(Default)]
pub(super) struct ArmRows {
    pub rows: Vec<DebateRow>,
    /// Runs that wrote a memory of their own, where the rows do not say it.
    pub teaching: BTreeSet<String>,
    /// What they leave out.
    pub notes: Vec<String>,
    /// What a plan calls its arms, by their names here.
    pub plan_names: BTreeMap<String, String>,
}
