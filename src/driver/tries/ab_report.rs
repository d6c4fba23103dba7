//! What the samples of a comparison came to, as the rows that metrics compare.

use super::super::error::DriverError;
use super::super::session::read_session;
use super::ab_event::AbState;
use super::sample::own_attempts;
use crate::debate::event::Outcome;
use crate::debate::protocol::{JudgedThing, Judging};
use crate::debate::sight;
use crate::debate::{AttemptId, SessionId, State, Target, TurnId};
use crate::metrics::PromptSample;
use crate::store::Layout;
use std::collections::BTreeMap;

/// What the samples of both arms came to; those that failed before their seat spoke are counted as
/// silent. Blocks while it reads.
///
/// # Errors
/// When a sample or the session that it was tried on cannot be read.
pub fn ab_samples(layout: &Layout, state: &AbState) -> Result<[Vec<PromptSample>; 2], DriverError> {
    let tries = layout.tries();
    let mut parents: BTreeMap<SessionId, State> = BTreeMap::new();
    let mut arms = [Vec::new(), Vec::new()];
    for (place, played) in &state.played {
        let at = usize::try_from(place.context).unwrap_or(usize::MAX);
        let (Some(context), Some(arm)) = (
            state.manifest.contexts.get(at),
            arms.get_mut(usize::from(place.arm)),
        ) else {
            continue;
        };
        let parent = match parents.get(&context.session) {
            Some(parent) => parent,
            None => {
                let path = layout.session(context.session.as_str())?;
                let read = read_session(&path)?;
                parents.entry(context.session.clone()).or_insert(read)
            }
        };
        // Whoever adopted a sample has moved it among the sessions.
        let tried = tries.session(played.session.as_str())?;
        let path = match tried.exists() {
            true => tried,
            false => layout.session(played.session.as_str())?,
        };
        let sample = read_session(&path)?;
        arm.push(sample_row(&sample, parent, &context.turn));
    }
    Ok(arms)
}

fn sample_row(sample: &State, parent: &State, turn: &TurnId) -> PromptSample {
    let mut row = PromptSample::default();
    if let Some(created) = sample.created() {
        row.topic.clone_from(&created.topic.id);
        row.simulated = created.is_simulated();
    }
    let spoken = sample.chosen(turn);
    let spoken = spoken.filter(|(_, attempt)| !attempt.inherited);
    row.chars = spoken
        .map(|(_, attempt)| u32::try_from(attempt.reply.text.chars().count()).unwrap_or(u32::MAX));
    let spend = sample.spend();
    row.cost_usd = (spend.unpriced_calls == 0).then_some(spend.cost_usd);
    for id in own_attempts(sample) {
        let Some(rule) = rule_on(sample, &id.turn) else {
            continue;
        };
        let is_good = match good(sample, rule, &id) {
            Some(is_good) => is_good,
            None => {
                row.left_out += 1;
                continue;
            }
        };
        row.judged += 1;
        row.bad += u32::from(!is_good);
        match before(sample, parent, rule, &id.turn) {
            Some(true) => {
                row.after_good += 1;
                row.made_bad += u32::from(!is_good);
            }
            Some(false) => {
                row.after_bad += 1;
                row.made_good += u32::from(is_good);
            }
            None => {}
        }
    }
    row
}

/// Returns the rule by which models judge a turn on its own.
pub(super) fn rule_on<'a>(state: &'a State, turn: &TurnId) -> Option<&'a Judging> {
    let protocol = state.protocol()?;
    protocol.judging.iter().find(|rule| {
        rule.enabled
            && rule.of == JudgedThing::Turn
            && rule.by.is_some()
            && sight::is_target(protocol, rule, turn)
    })
}

/// Says whether an attempt was found good; `None` where nothing readable was found, or neither.
fn good(state: &State, rule: &Judging, id: &AttemptId) -> Option<bool> {
    match state.finding(rule, &Target::Attempt(id.clone()))? {
        Outcome::Label(finding) if finding.value > 0.0 => Some(true),
        Outcome::Label(finding) if finding.value < 0.0 => Some(false),
        Outcome::Label(_) | Outcome::Unparsed { .. } => None,
    }
}

/// Says whether the seat's turn of the round before was good: of the sample's own, or as it was found
/// in the debate that the sample was tried on.
fn before(sample: &State, parent: &State, rule: &Judging, turn: &TurnId) -> Option<bool> {
    let earlier = TurnId {
        round: turn.round.checked_sub(1)?,
        ..turn.clone()
    };
    let (id, attempt) = sample.chosen(&earlier)?;
    match attempt.inherited {
        false => good(sample, rule, &id),
        true => {
            let (known, same) = parent.chosen(&earlier)?;
            let is_same = same.reply.text == attempt.reply.text;
            is_same.then(|| good(parent, rule, &known)).flatten()
        }
    }
}
