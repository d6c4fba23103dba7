//! A judge that decides the same whenever it reads a transcript again: its fresh decision is the one that was
//! selected.

use std::collections::BTreeMap;

use super::rollouts::Rollouts;
use super::speech::{Answer, ComparedBy};
use crate::rows::DecisionLabel;

/// A judge that decided the same whenever it read a transcript again.
pub(super) struct CertainJudge {
    pub transcripts: usize,
}

/// Returns whether the judge decided the same whenever it read a transcript again; `None` where it never did, or
/// differed.
pub(super) fn certain_judge(rollouts: &Rollouts<'_>) -> Option<CertainJudge> {
    let mut labels: BTreeMap<_, Vec<DecisionLabel>> = BTreeMap::new();
    for (number, group) in rollouts.groups.iter().enumerate() {
        for draw in group.answers.iter().flat_map(|answer| answer.all_draws()) {
            let Some(decision) = draw.readable_decision() else {
                continue;
            };
            let transcript = Answer::from_debate(draw.debate, "", ComparedBy::Transcript).speech;
            let decisions = labels.entry((number, transcript)).or_default();
            decisions.push(decision.label);
        }
    }
    let again: Vec<&Vec<DecisionLabel>> =
        labels.values().filter(|labels| labels.len() > 1).collect();
    let differs = |labels: &&Vec<DecisionLabel>| labels.windows(2).any(|pair| pair[0] != pair[1]);
    match again.is_empty() || again.iter().any(differs) {
        true => None,
        false => Some(CertainJudge {
            transcripts: again.len(),
        }),
    }
}
