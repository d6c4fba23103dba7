//! Rows of debates whose critiques a pass replaced: one for each critique, with the decision that it led to, so that
//! the same figures and paired comparisons serve that serve arms.

use super::judged::decision_label;
use crate::workspace::pass::{CritiqueText, Pass, PassVerdict, ReplacedCritique};
use elenchus_game::debate::event::Outcome;
use elenchus_game::debate::protocol::Combine;
use elenchus_game::debate::{Target, combine_outcomes};
use elenchus_metrics::{DebateRow, DecisionLabel, DecisionRow};

/// The critique that others are compared with, where it is among them: as long, and without content.
pub const REPLACED_BASE: &str = "equal";

/// Rows of a pass that replaced critiques.
pub struct ReplacedRows {
    /// A row for each debate and critique that was judged; the critique's name is its arm.
    pub rows: Vec<DebateRow>,
    /// The critique that others are compared with.
    pub base: String,
    pub others: Vec<String>,
}

impl ReplacedRows {
    /// Builds them from the rows of the debates as they were played.
    pub fn from_pass(pass: &Pass, played: &[DebateRow]) -> Self {
        let critiques = &pass.manifest.critiques;
        let rows = played.iter().flat_map(|row| {
            let replaced = critiques.iter();
            replaced.filter_map(|critique| build_row(pass, row, critique))
        });
        let is_base = |one: &&ReplacedCritique| matches!(one.text, CritiqueText::EqualLength);
        let base = critiques.iter().find(is_base).or_else(|| critiques.first());
        let base = base.map_or_else(String::new, |one| one.name.clone());
        let others = critiques.iter().map(|one| one.name.clone());
        Self {
            rows: rows.collect(),
            others: others.filter(|name| *name != base).collect(),
            base,
        }
    }
}

fn build_row(pass: &Pass, played: &DebateRow, critique: &ReplacedCritique) -> Option<DebateRow> {
    let is_of = |session: &str, judging, target: &Target| {
        session == played.session && critique.is_of(judging) && *target == Target::Debate
    };
    let verdicts: Vec<&PassVerdict> = pass
        .verdicts
        .iter()
        .filter(|found| is_of(found.session.as_str(), &found.judging, &found.target))
        .collect();
    let outcomes: Vec<Outcome> = verdicts.iter().map(|one| one.outcome.clone()).collect();
    let mut filtered = pass.filtered.iter();
    let label = match combine_outcomes(&outcomes, Combine::Majority) {
        Some(outcome) => decision_label(&outcome),
        None if filtered
            .any(|asked| is_of(asked.session.as_str(), &asked.judging, &asked.target)) =>
        {
            DecisionLabel::Filtered
        }
        None => return None,
    };
    let decision = DecisionRow {
        label,
        // Rewards were paid for what the game's own judge decided.
        proposer_reward: None,
        inherited: false,
        ..played.decision?
    };
    Some(DebateRow {
        arm: critique.name.clone(),
        decision: Some(decision),
        rewards: Vec::new(),
        findings: Vec::new(),
        gauges: Vec::new(),
        simulated: played.simulated || pass.manifest.judges().any(|judge| judge.simulated),
        ..played.clone()
    })
}
