//! Findings of a debate at a glance: rounds × chairs, findings on rounds and the debate, the lesson. Pure.

use super::findings::Glances;
use super::speakers::SpeakerChart;
use elenchus_game::debate::event::Outcome;
use elenchus_game::debate::step::Target;
use elenchus_game::debate::{Chair, State};
use std::collections::BTreeSet;

/// Findings of a debate at a glance, read off the state once: drawing costs only what is in view.
#[derive(Debug, Default)]
pub struct VerdictBoard {
    /// The chairs that have a column.
    pub chairs: Vec<Chair>,
    rounds: u32,
    /// Findings on rounds and the debate, with their targets.
    pub joint_findings: Vec<(String, Outcome)>,
    lesson: bool,
}

impl VerdictBoard {
    /// Reads it off the state.
    pub fn from_state(state: &State, chart: &SpeakerChart, glances: &Glances) -> Self {
        let speaking_chairs: BTreeSet<&Chair> = glances.keys().map(|turn| &turn.chair).collect();
        let chairs = chart
            .chairs()
            .filter(|chair| chart.top.contains(chair) || speaking_chairs.contains(chair));
        let last_round = state.turns().keys().map(|turn| turn.round).max();
        Self {
            chairs: chairs.cloned().collect(),
            rounds: last_round.unwrap_or(0).max(1),
            joint_findings: collect_joint_findings(state),
            lesson: state.lessons().any(|written| !written.reply.is_empty()),
        }
    }

    /// Returns how many rounds were played; a debate has at least one.
    pub fn rounds(&self) -> usize {
        usize::try_from(self.rounds).unwrap_or(usize::MAX)
    }

    /// Returns how many lines it takes: names, rounds, findings on them and the debate, the lesson.
    pub fn line_count(&self) -> usize {
        1 + self.rounds() + self.joint_findings.len() + usize::from(self.lesson)
    }
}

/// Returns what was found about rounds and the debate, and what it was found about.
fn collect_joint_findings(state: &State) -> Vec<(String, Outcome)> {
    let Some(protocol) = state.protocol() else {
        return Vec::new();
    };
    let findings = state.verdicts().filter_map(|(judging, target, _)| {
        let what = match target {
            Target::Round(round) => format!("r{round} {judging}: "),
            Target::Debate => format!("{judging}: "),
            Target::Attempt(_) => return None,
        };
        let outcome = state.combined_outcome(protocol.find_judging(judging)?, target)?;
        Some((what, outcome))
    });
    findings.collect()
}
