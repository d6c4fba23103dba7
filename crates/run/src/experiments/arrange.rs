//! Lines of a list of experiments: runs that are played as parts of another stand below it, folded unless they are
//! asked for. Pure.

use super::kinds::ListedExperiment;
use std::collections::{BTreeMap, BTreeSet};

/// Line of a list of experiments.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ExperimentLine {
    /// Its place among all experiments.
    pub at: usize,
    /// It is a part of the nearest line before it that is none, where that is listed.
    pub is_part: bool,
    /// Parts that are folded away.
    pub folded: usize,
}

/// Lines of a list of experiments, and which parts are shown.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct ExperimentLines {
    pub lines: Vec<ExperimentLine>,
    /// Ids of those whose parts are shown.
    unfolded: BTreeSet<String>,
}

impl ExperimentLines {
    /// Arranges the experiments that fit: parts stand below what they are parts of. Parts that fit where that does
    /// not are lines of their own.
    pub fn arrange(&mut self, all: &[ListedExperiment], fits: impl Fn(&ListedExperiment) -> bool) {
        let owners = find_owners(all);
        let mut parts: BTreeMap<usize, Vec<usize>> = BTreeMap::new();
        for (part, owner) in &owners {
            parts.entry(*owner).or_default().push(*part);
        }
        self.lines.clear();
        for (at, one) in all.iter().enumerate() {
            if owners.contains_key(&at) {
                continue;
            }
            let own_parts = parts.get(&at).map_or(&[][..], Vec::as_slice);
            let fitting = own_parts
                .iter()
                .filter(|part| all.get(**part).is_some_and(&fits));
            let fitting: Vec<usize> = fitting.copied().collect();
            let is_listed = fits(one);
            let is_folded = is_listed && !self.unfolded.contains(&one.summary.id);
            if is_listed {
                self.lines.push(ExperimentLine {
                    at,
                    is_part: false,
                    folded: if is_folded { fitting.len() } else { 0 },
                });
            }
            if !is_folded {
                let lines = fitting.into_iter().map(|part| ExperimentLine {
                    at: part,
                    is_part: true,
                    folded: 0,
                });
                self.lines.extend(lines);
            }
        }
    }

    /// Shows or folds the parts of an experiment, or of what it is a part of; returns the id of that. `None` where
    /// there are no parts.
    pub fn set_folded(
        &mut self,
        all: &[ListedExperiment],
        id: &str,
        is_folded: bool,
    ) -> Option<String> {
        let owners = find_owners(all);
        let at = all.iter().position(|one| one.summary.id == id)?;
        let owner = owners.get(&at).copied();
        let owner = owner.or_else(|| owners.values().copied().find(|owner| *owner == at))?;
        let id = all.get(owner)?.summary.id.clone();
        match is_folded {
            true => self.unfolded.remove(&id),
            false => self.unfolded.insert(id.clone()),
        };
        Some(id)
    }

    /// Returns how many experiments fit, with those that are folded away.
    pub fn count_fitting(&self) -> usize {
        self.lines.iter().map(|line| 1 + line.folded).sum()
    }
}

/// Returns for each part of an experiment what it is a part of, by their places.
fn find_owners(all: &[ListedExperiment]) -> BTreeMap<usize, usize> {
    let ids = all.iter().enumerate();
    let place_by_id: BTreeMap<&str, usize> =
        ids.map(|(at, one)| (one.summary.id.as_str(), at)).collect();
    let mut owners = BTreeMap::new();
    for (owner, one) in all.iter().enumerate() {
        for run in &one.summary.runs {
            if let Some(part) = place_by_id.get(run.as_str()) {
                owners.insert(*part, owner);
            }
        }
    }
    owners
}
