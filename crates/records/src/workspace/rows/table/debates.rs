//! Table of debates: a row for each, with its decision, rewards, gauges, use and end.

use super::cells::{DEBATE_COLUMNS, cell_text, debate_cells, label_of, name_of};
use super::pass_columns::PassColumns;
use crate::workspace::pass::Pass;
use elenchus_game::debate::event::Created;
use elenchus_game::debate::protocol::JudgedThing;
use elenchus_game::debate::{JudgingId, SessionId, State, Target};
use elenchus_metrics::{DebateOutcome, DebateRow, outcome_right};
use std::collections::BTreeSet;

/// Columns of every table, behind those that say which debate it is.
const COLUMNS: [&str; 18] = [
    "rounds",
    "turns",
    "end",
    "failure",
    "decision",
    "proposal_correct",
    "pick",
    "outcome_right",
    "lesson",
    "calls",
    "input_tokens",
    "output_tokens",
    "cost_usd",
    "estimated_usd",
    "wall_ms",
    "critical_path_ms",
    "asked_otherwise",
    "self_judging",
];

/// The columns that the debates of a store need beside the common ones.
#[derive(Debug, Default)]
pub struct DebateTable {
    rewards: BTreeSet<(String, usize)>,
    gauges: BTreeSet<String>,
    /// Rules of judging on whole debates.
    rules: BTreeSet<JudgingId>,
    passes: PassColumns,
}

impl DebateTable {
    /// Begins a table that holds what passes found about debates.
    pub fn new(passes: &[Pass]) -> Self {
        Self {
            passes: PassColumns::from_passes(passes, |target| *target == Target::Debate),
            ..Self::default()
        }
    }

    /// Adds the columns that a debate needs.
    pub fn add_columns(&mut self, row: &DebateRow, session: &SessionId, state: &State) {
        self.rewards
            .extend(rewards_by_chair(row).map(|(column, _)| column));
        let gauges = row.gauges.iter().map(|gauge| gauge.id.clone());
        self.gauges.extend(gauges);
        if let Some(created) = state.first_event() {
            self.rules.extend(debate_rules(created));
        }
        self.passes.add_session(session);
    }

    /// Returns the names of the columns: `reward.SEAT` is what a seat earned (`reward.SEAT.2` its third chair),
    /// `gauge.GAUGE` the mean of a gauge, `found.RULE` what a rule on debates found, `pass.PASS.RULE` what a
    /// pass found.
    pub fn column_names(&self) -> Vec<String> {
        let common = DEBATE_COLUMNS
            .iter()
            .chain(&COLUMNS)
            .map(|&name| name.to_owned());
        let rewards = self.rewards.iter().map(|(seat, chair)| match chair {
            0 => format!("reward.{seat}"),
            chair => format!("reward.{seat}.{chair}"),
        });
        let gauges = self.gauges.iter().map(|gauge| format!("gauge.{gauge}"));
        let rules = self.rules.iter().map(|rule| format!("found.{rule}"));
        common
            .chain(rewards)
            .chain(gauges)
            .chain(rules)
            .chain(self.passes.column_names())
            .collect()
    }

    /// Returns the row of a debate.
    pub fn row_cells(
        &self,
        row: &DebateRow,
        session: &SessionId,
        state: &State,
    ) -> Option<Vec<String>> {
        let created = state.first_event()?;
        let mut cells = debate_cells(row, created);
        cells.extend(end_and_use(row));
        let reward = |column: &(String, usize)| {
            let mut row_rewards = rewards_by_chair(row);
            row_rewards.find_map(|(of, reward)| (of == *column).then_some(reward))
        };
        cells.extend(self.rewards.iter().map(|column| cell_text(reward(column))));
        let reading = |id: &String| {
            let mut gauges = row.gauges.iter().filter(|gauge| gauge.readings > 0);
            gauges.find_map(|gauge| (gauge.id == *id).then_some(gauge.value))
        };
        cells.extend(self.gauges.iter().map(|id| cell_text(reading(id))));
        let rule_label = |id: &JudgingId| {
            let mut rules = created.protocol.judging.iter();
            let rule = rules.find(|rule| rule.enabled && rule.id == *id)?;
            Some(label_of(&state.combined_outcome(rule, &Target::Debate)?))
        };
        cells.extend(
            self.rules
                .iter()
                .map(|id| rule_label(id).unwrap_or_default()),
        );
        cells.extend(self.passes.target_cells(session, Some(&Target::Debate)));
        Some(cells)
    }
}

/// Returns each seat's reward, with which of the seat's chairs earned it.
fn rewards_by_chair(row: &DebateRow) -> impl Iterator<Item = ((String, usize), f64)> + '_ {
    row.rewards.iter().enumerate().map(|(at, (seat, reward))| {
        let before = &row.rewards[..at];
        let chair = before.iter().filter(|(other, _)| other == seat).count();
        ((seat.clone(), chair), *reward)
    })
}

fn debate_rules(created: &Created) -> impl Iterator<Item = JudgingId> + '_ {
    let rules = created.protocol.judging.iter();
    let rules = rules.filter(|rule| rule.enabled && rule.of == JudgedThing::Debate);
    rules.map(|rule| rule.id.clone())
}

fn end_and_use(row: &DebateRow) -> Vec<String> {
    let (end, failure) = match &row.outcome {
        DebateOutcome::Complete => ("complete", ""),
        DebateOutcome::Truncated => ("truncated", ""),
        DebateOutcome::Failed(why) => ("failed", why.as_str()),
    };
    let decision = row.decision.as_ref();
    let used = &row.usage;
    let served_rows = row.served.iter();
    let otherwise: BTreeSet<&str> = served_rows
        .flat_map(|served| served.asked_otherwise.keys().map(String::as_str))
        .collect();
    vec![
        row.rounds.to_string(),
        row.turns.len().to_string(),
        end.to_owned(),
        failure.to_owned(),
        decision.map_or_else(String::new, |decision| name_of(&decision.label)),
        cell_text(decision.and_then(|decision| decision.proposal_correct)),
        row.pick
            .as_ref()
            .map_or_else(String::new, |pick| name_of(&pick.picked)),
        cell_text(outcome_right(row)),
        row.lesson.as_ref().map_or_else(String::new, name_of),
        used.calls.to_string(),
        used.input_tokens.to_string(),
        used.output_tokens.to_string(),
        cell_text(used.cost_usd),
        cell_text(used.estimated_usd),
        used.wall_ms.to_string(),
        used.critical_path_ms.to_string(),
        otherwise.into_iter().collect::<Vec<_>>().join("; "),
        row.self_judging.join("; "),
    ]
}
