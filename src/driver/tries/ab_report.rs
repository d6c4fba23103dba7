//! What the samples of a comparison came to, as the rows that metrics compare.

use super::super::error::DriverError;
use super::super::session::read_session;
use super::ab_event::{AbContext, AbPlace, AbState};
use super::sample::own_attempts;
use crate::debate::event::Outcome;
use crate::debate::protocol::{JudgedThing, Judging};
use crate::debate::sight;
use crate::debate::{AttemptId, SessionId, State, Target, TurnId};
use crate::metrics::PromptSample;
use crate::store::Layout;
use std::collections::BTreeMap;

/// What the samples of a comparison came to, read once each: a comparison that grows is looked at
/// again for the price of what is new.
#[derive(Debug, Default)]
pub struct AbRows {
    rows: BTreeMap<AbPlace, (SessionId, PromptSample)>,
}

impl AbRows {
    /// Reads the samples that are new since it was last called. Blocks.
    ///
    /// # Errors
    /// When a sample or the session that it was tried on cannot be read.
    pub fn read(&mut self, layout: &Layout, state: &AbState) -> Result<(), DriverError> {
        let tries = layout.tries();
        let mut parent: Option<(SessionId, State)> = None;
        for (place, played) in &state.played {
            let known = self.rows.get(place);
            let Some(context) = state.context(*place) else {
                continue;
            };
            if known.is_some_and(|(session, _)| session == &played.session) {
                continue;
            }
            if parent.as_ref().is_none_or(|(id, _)| id != &context.session) {
                let store = match context.turn {
                    Some(_) => layout,
                    None => &tries,
                };
                let path = store.session(context.session.as_str())?;
                parent = Some((context.session.clone(), read_session(&path)?));
            }
            let Some((_, before)) = &parent else {
                continue;
            };
            let sample = read_sample(layout, &played.session)?;
            let row = sample_row(&sample, before, context, &state.manifest.template);
            self.rows.insert(*place, (played.session.clone(), row));
        }
        Ok(())
    }

    /// Returns what a sample came to.
    pub(super) fn row(&self, place: AbPlace) -> Option<&PromptSample> {
        self.rows.get(&place).map(|(_, row)| row)
    }

    /// Returns what the samples of both arms came to; those that failed before their seat spoke are
    /// silent.
    pub fn arms(&self) -> [Vec<PromptSample>; 2] {
        let mut arms = [Vec::new(), Vec::new()];
        for (place, (_, row)) in &self.rows {
            if let Some(arm) = arms.get_mut(usize::from(place.arm)) {
                arm.push(row.clone());
            }
        }
        arms
    }
}

/// Reads a sample of a try, wherever it is. Blocks.
///
/// # Errors
/// When it cannot be read.
pub(super) fn read_sample(layout: &Layout, session: &SessionId) -> Result<State, DriverError> {
    // Whoever adopted a sample has moved it among the sessions.
    let tried = layout.tries().session(session.as_str())?;
    let path = match tried.exists() {
        true => tried,
        false => layout.session(session.as_str())?,
    };
    read_session(&path)
}

fn sample_row(sample: &State, parent: &State, context: &AbContext, template: &str) -> PromptSample {
    let mut row = PromptSample::default();
    if let Some(created) = sample.created() {
        row.topic.clone_from(&created.topic.id);
        row.simulated = created.is_simulated();
    }
    row.chars = spoken_chars(sample, context, template);
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

/// Returns the characters of what the tried turn says; in a whole debate, the mean over all turns that
/// the template asked for.
fn spoken_chars(sample: &State, context: &AbContext, template: &str) -> Option<u32> {
    let is_told = |turn: &TurnId| match &context.turn {
        Some(tried) => tried == turn,
        None => sample.protocol().is_some_and(|protocol| {
            let stage = protocol.stage(&turn.stage);
            stage.is_some_and(|stage| protocol.template_name(stage, &turn.chair.seat) == template)
        }),
    };
    let own = own_attempts(sample).into_iter();
    let told = own.filter(|id| is_told(&id.turn));
    let said = told.filter_map(|id| Some(sample.chosen(&id.turn)?.1.reply.text.chars().count()));
    let said: Vec<usize> = said.collect();
    let mean = said.iter().sum::<usize>().checked_div(said.len())?;
    Some(u32::try_from(mean).unwrap_or(u32::MAX))
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
