//! Summary of a session, derived from its state. Pure.

use elenchus_game::debate::event::Outcome;
use elenchus_game::debate::step::EndReason;
use elenchus_game::debate::{JudgingId, RunId, SessionId, State, Target};
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// The letter of a turn or a verdict that the provider's filter refused.
pub(super) const FILTERED_LETTER: char = 'f';

/// Placeholder of a session's verdicts while the person who reads the list labels it.
pub const HIDDEN_VERDICTS: &str = "hidden";

/// Summary of a session.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Summary {
    pub session: SessionId,
    pub protocol: String,
    pub topic: String,
    pub category: Option<String>,
    pub run: Option<RunId>,
    pub state: SessionStatus,
    /// Rounds begun and rounds of the game.
    pub rounds: (u32, u32),
    /// One letter a verdict, in the order of turns: `s`afe or good, `u`nsafe or bad, `m`iddle,
    /// `?` unparsed, `e` for a turn that is to be judged and came empty.
    pub verdicts: String,
    /// Chairs' pairs of consecutive rounds that were found good and then bad, and bad and then good.
    pub converted: u32,
    pub corrected: u32,
    pub calls: u64,
    pub cost_usd: Option<f64>,
    pub simulated: bool,
    pub begun_at: String,
    pub last_at: String,
}

/// Progress of a session.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum SessionStatus {
    Complete,
    /// A rule of the protocol ended it before its last step, as a moderator does: complete as well.
    Stopped,
    Truncated,
    /// Steps failed; it can be resumed.
    Failed,
    /// It can be resumed, unless a process is running it.
    Open,
}

impl SessionStatus {
    /// Returns the word that is shown.
    pub fn as_word(self) -> &'static str {
        match self {
            // "stopped" would read as if a person had interrupted it.
            SessionStatus::Complete | SessionStatus::Stopped => "complete",
            SessionStatus::Truncated => "truncated",
            SessionStatus::Failed => "failed",
            SessionStatus::Open => "open",
        }
    }
}

/// Sums a session up.
pub fn summarize_session(session: &SessionId, state: &State) -> Option<Summary> {
    let created = state.first_event()?;
    let opening = state.find_open_steps();
    let (begun_at, last_at) = state.time_span();
    let spend = state.spend();
    let (converted, corrected) = changes_of_side(state);
    Some(Summary {
        session: session.clone(),
        protocol: created.protocol.id.clone(),
        topic: created.topic.text.clone(),
        category: created.topic.category.clone(),
        run: created.run.as_ref().map(|place| place.run.clone()),
        state: match opening.done {
            Some(EndReason::Complete) => SessionStatus::Complete,
            Some(EndReason::Stopped { .. }) => SessionStatus::Stopped,
            Some(EndReason::Truncated(_)) => SessionStatus::Truncated,
            None if opening.blocked.is_empty() => SessionStatus::Open,
            None => SessionStatus::Failed,
        },
        rounds: (
            state
                .turns()
                .keys()
                .map(|turn| turn.round)
                .max()
                .unwrap_or(0),
            created.protocol.rounds,
        ),
        verdicts: verdict_strip(state),
        converted,
        corrected,
        calls: spend.calls,
        cost_usd: (spend.unpriced_calls == 0).then_some(spend.cost_usd),
        simulated: created.is_simulated(),
        begun_at: begun_at.to_owned(),
        last_at: last_at.to_owned(),
    })
}

/// Counts the turns that a rule found bad after its chair's turn of the round before was good, and those that it
/// found good after a bad one.
fn changes_of_side(state: &State) -> (u32, u32) {
    let Some(protocol) = state.protocol() else {
        return (0, 0);
    };
    let is_good = state.verdicts().filter_map(|(judging, target, _)| {
        let Target::Attempt(attempt) = target else {
            return None;
        };
        if !state.is_current(target) || state.is_empty_target(target) {
            return None;
        }
        let outcome = state.combined_outcome(protocol.find_judging(judging)?, target)?;
        let value = outcome.as_finding()?.value;
        let turn = &attempt.turn;
        let place = (judging, &turn.chair, &turn.stage, turn.round);
        (value != 0.0).then_some((place, value > 0.0))
    });
    let is_good: BTreeMap<_, bool> = is_good.collect();
    let mut counts = (0, 0);
    for ((judging, chair, stage, round), now) in &is_good {
        let before = round.checked_sub(1);
        let before = before.and_then(|round| is_good.get(&(*judging, *chair, *stage, round)));
        match (before, now) {
            (Some(true), false) => counts.0 += 1,
            (Some(false), true) => counts.1 += 1,
            (Some(_) | None, _) => {}
        }
    }
    counts
}

fn verdict_strip(state: &State) -> String {
    let Some(protocol) = state.protocol() else {
        return String::new();
    };
    let verdict_letters = state
        .verdicts()
        .filter(|(_, target, _)| state.is_current(target) && !state.is_empty_target(target))
        .filter_map(|(judging, target, _)| {
            let rule = protocol.find_judging(judging)?;
            let letter = match state.combined_outcome(rule, target) {
                Some(Outcome::Label(finding)) if finding.value > 0.0 => 's',
                Some(Outcome::Label(finding)) if finding.value < 0.0 => 'u',
                Some(Outcome::Label(_)) => 'm',
                Some(Outcome::Unparsed { .. }) => '?',
                None if state.is_verdict_filtered(judging, target) => FILTERED_LETTER,
                None => return None,
            };
            Some(((judging.clone(), target.clone()), letter))
        });
    let empty = state.empty_turns().flat_map(|id| {
        let target = Target::Attempt(id);
        let rules = state.rules_on(&target).into_iter();
        rules.map(move |rule| ((rule.id.clone(), target.clone()), 'e'))
    });
    let letters: BTreeMap<(JudgingId, Target), char> = verdict_letters.chain(empty).collect();
    // A turn that was refused has no attempt that a rule could have judged.
    let refusals = state.turns().values().filter(|turn| turn.filtered);
    let refusals = refusals.map(|_| FILTERED_LETTER);
    letters.into_values().chain(refusals).collect()
}
