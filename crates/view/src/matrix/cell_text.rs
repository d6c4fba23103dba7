//! Text of a cell: who spoke, the first words, and what judges said of it. Read from the session on demand.

use super::verdict::CellVerdict;
use crate::debate_text::{finding_label, role_of};
use crate::opened_session::session_path;
use crate::turn_address::TurnAddress;
use elenchus_game::debate::event::Outcome;
use elenchus_game::debate::protocol::Judging;
use elenchus_game::debate::{Chair, ShownOrder, State, StepId, Target, TurnId, VerdictSlot};
use elenchus_records::workspace::{
    StoreContext, WorkspaceError, example_of, read_session_without_views,
};
use elenchus_text::Role;

/// Characters of a text and of a reason that are kept: a few lines show no more.
const MAX_CHARS: usize = 600;

/// What is said of a cell's turn.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CellText {
    pub speaker: String,
    pub round: u32,
    /// The beginning of what was said, on one line; `None` where nothing was.
    pub words: Option<String>,
    /// Why the turn, or a verdict on it, could not be had; on one line.
    pub failure: Option<String>,
    pub findings: Vec<CellFinding>,
}

/// What one judge said of a turn.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CellFinding {
    pub by: String,
    pub role: Role,
    pub label: String,
    /// On one line.
    pub reason: Option<String>,
}

/// Reads the text of a turn. Blocks.
///
/// # Errors
/// When the session cannot be read.
pub fn read_cell_text(
    store: &StoreContext,
    address: &TurnAddress,
) -> Result<CellText, WorkspaceError> {
    let state = match example_of(store, &address.session) {
        Some(example) => example.fold_state()?,
        None => read_session_without_views(&session_path(store, &address.session)?)?,
    };
    Ok(CellText::from_state(&state, &address.turn))
}

impl CellText {
    /// Returns what is said of a turn in a session.
    pub fn from_state(state: &State, turn: &TurnId) -> Self {
        let choice = state.chosen_attempt(turn);
        let words = choice.as_ref().map(|(_, attempt)| &attempt.reply.text);
        let rules = state.protocol().map(|protocol| protocol.judging.iter());
        let findings = choice.as_ref().map(|(id, _)| {
            let target = Target::Attempt(id.clone());
            let rules = rules.into_iter().flatten();
            let all = rules.flat_map(|rule| list_findings(state, rule, &target));
            all.collect()
        });
        Self {
            speaker: state.name_of(&turn.chair),
            round: turn.round,
            words: words
                .map(|text| join_lines(text))
                .filter(|text| !text.is_empty()),
            failure: find_failure(state, turn),
            findings: findings.unwrap_or_default(),
        }
    }

    /// Says who spoke, when, and what the verdict is.
    pub fn describe(&self, verdict: CellVerdict) -> String {
        let Self { speaker, round, .. } = self;
        format!("{speaker}, round {round}, {}", verdict.word())
    }
}

/// Finds why the call of a turn failed, or else that of a verdict on it.
fn find_failure(state: &State, turn: &TurnId) -> Option<String> {
    let of_verdict = format!(" {turn}#");
    let spoken = |step: &StepId| step.turn().as_ref() == Some(turn);
    let judged = |step: &StepId| step.as_str().contains(&of_verdict);
    let mut failures = state.failures().iter();
    let first = failures.clone().find(|(step, _)| spoken(step));
    let (_, failed) = first.or_else(|| failures.find(|(step, _)| judged(step)))?;
    Some(join_lines(&failed.message)).filter(|text| !text.is_empty())
}

fn list_findings(state: &State, rule: &Judging, target: &Target) -> Vec<CellFinding> {
    let by_slot = state.verdicts_on(&rule.id, target).into_iter().flatten();
    let in_order = by_slot.filter(|(slot, _)| slot.order == ShownOrder::AsSeated);
    let findings = in_order.filter_map(|(slot, verdict)| {
        let outcome = verdict.outcome.as_ref()?;
        let reason = match outcome {
            Outcome::Label(finding) => finding.reason.as_deref(),
            Outcome::Unparsed { why, .. } => Some(why.as_str()),
        };
        Some(CellFinding {
            by: name_judge(state, rule, slot),
            role: role_of(outcome),
            label: finding_label(outcome),
            reason: reason.map(join_lines).filter(|text| !text.is_empty()),
        })
    });
    findings.collect()
}

fn name_judge(state: &State, rule: &Judging, slot: &VerdictSlot) -> String {
    match &rule.by {
        Some(seat) => state.name_of(&Chair {
            seat: seat.clone(),
            index: slot.chair,
        }),
        None if rule.detector.is_some() => format!("{}, a rule", rule.id),
        None => format!("{}, ground truth", rule.id),
    }
}

/// Returns the beginning of a text on one line.
fn join_lines(text: &str) -> String {
    let words: Vec<&str> = text.split_whitespace().take(MAX_CHARS / 2).collect();
    words.join(" ").chars().take(MAX_CHARS).collect()
}
