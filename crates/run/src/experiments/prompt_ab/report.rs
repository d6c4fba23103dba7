//! Rows of a prompt comparison: its samples as the metrics compare them.

use super::event::{AbCell, AbContext, AbPlan};
use super::state::AbState;
use super::topics::AbTopic;
use crate::engine::seats::kept_settings;
use crate::experiments::prompt_trial::{
    TriedCall, own_attempts, read_sample, side_of, turn_judging_rule,
};
use elenchus_game::debate::event::{Outcome, Player, Reply};
use elenchus_game::debate::protocol::Judging;
use elenchus_game::debate::{AttemptId, Chair, SessionId, State, Target, TopicKey, TurnId};
use elenchus_metrics::{PromptSample, RowTopic};
use elenchus_records::workspace::Result;
use elenchus_store::Layout;
use std::collections::BTreeMap;

/// What the samples of a comparison came to, read once each: a comparison that grows is looked at
/// again for the price of what is new.
#[derive(Debug, Default)]
pub struct AbRows {
    rows: BTreeMap<AbCell, (SessionId, PromptSample)>,
    /// What the topics are of sessions whose plan does not say it.
    topic_keys: BTreeMap<SessionId, TopicKey>,
    /// What topics ask, by their ids, as far as somebody wanted to know.
    topic_texts: BTreeMap<String, String>,
    /// On some turn that was tried the prompts have different words.
    has_two_texts: bool,
}

impl AbRows {
    /// Reads the samples that are new since it was last called. Blocks.
    ///
    /// # Errors
    /// When a sample or the session that it was tried on cannot be read.
    pub fn read_samples(&mut self, layout: &Layout, state: &AbState) -> Result<()> {
        self.read_topics(layout, state);
        let mut parent: Option<(SessionId, State)> = None;
        for (place, played) in &state.played {
            let old_row = self.rows.get(place);
            let Some(context) = state.find_context(*place) else {
                continue;
            };
            if old_row.is_some_and(|(session, _)| session == &played.session) {
                continue;
            }
            if parent.as_ref().is_none_or(|(id, _)| id != &context.session) {
                parent = Some((context.session.clone(), context.read_state(layout)?));
            }
            let Some((_, before)) = &parent else {
                continue;
            };
            self.has_two_texts |= !is_one_text(&state.manifest.plan, before);
            let sample = read_sample(layout, &played.session)?;
            let row = build_sample_row(&sample, before, context, &state.manifest.plan.template);
            self.rows.insert(*place, (played.session.clone(), row));
        }
        Ok(())
    }

    /// Reads what topics are from the sessions, where the plan of an earlier version names their ids alone. A
    /// session that is gone leaves its id.
    fn read_topics(&mut self, layout: &Layout, state: &AbState) {
        for context in &state.manifest.plan.contexts {
            if context.topic_key.is_some() || self.topic_keys.contains_key(&context.session) {
                continue;
            }
            let parent_state = context.read_state(layout).ok();
            let topic = parent_state.as_ref().and_then(State::first_event);
            let key = topic.map_or_else(
                || TopicKey::from_name(&context.topic),
                |created| created.topic.compute_key(),
            );
            self.topic_keys.insert(context.session.clone(), key);
        }
    }

    /// Reads what some topics ask, each once; one whose session cannot be read stays unknown. Blocks.
    pub fn read_topic_texts<'a>(
        &mut self,
        layout: &Layout,
        state: &AbState,
        topics: impl Iterator<Item = &'a AbTopic>,
    ) -> &BTreeMap<String, String> {
        for topic in topics {
            if !self.topic_texts.contains_key(&topic.id)
                && let Some(text) = topic.read_text(layout, state)
            {
                self.topic_texts.insert(topic.id.clone(), text);
            }
        }
        &self.topic_texts
    }

    /// Returns what the topic of a context is; `None` of one that was not read.
    pub(crate) fn topic_key<'a>(&'a self, context: &'a AbContext) -> Option<&'a TopicKey> {
        let plan_key = context.topic_key.as_ref();
        plan_key.or_else(|| self.topic_keys.get(&context.session))
    }

    /// Returns what a sample came to.
    pub(crate) fn find_row(&self, place: AbCell) -> Option<&PromptSample> {
        self.rows.get(&place).map(|(_, row)| row)
    }

    /// Says whether both prompts had the same words on every turn that was tried.
    pub(crate) fn are_of_one_text(&self) -> bool {
        !self.rows.is_empty() && !self.has_two_texts
    }

    /// Returns what the samples of both arms came to; those that failed before their seat spoke are
    /// silent.
    pub fn samples_by_arm(&self) -> [Vec<PromptSample>; 2] {
        let mut arms = [Vec::new(), Vec::new()];
        for (place, (_, row)) in &self.rows {
            if let Some(arm) = arms.get_mut(usize::from(place.arm)) {
                arm.push(row.clone());
            }
        }
        arms
    }
}

/// Says whether both prompts have the same words on turns of a session.
pub(super) fn is_one_text(plan: &AbPlan, session: &State) -> bool {
    let recorded = || session.first_event()?.templates.get(&plan.template);
    let [a, b] = plan.arms.each_ref().map(|arm| {
        let text = arm.text.as_ref().or_else(recorded);
        text.map(|text| text.trim_end())
    });
    a == b
}

fn build_sample_row(
    sample: &State,
    parent: &State,
    context: &AbContext,
    template: &str,
) -> PromptSample {
    let mut row = PromptSample::default();
    if let Some(created) = sample.first_event() {
        row.topic = RowTopic::from_topic(&created.topic);
        row.simulated = created.is_simulated();
    }
    row.chars = mean_reply_chars(sample, context, template);
    row.cost_usd = compute_cost(sample);
    match &context.call {
        Some(TriedCall::Verdict(place)) => {
            let truth = context.truth.or_else(|| place.find_truth(parent));
            add_verdict(&mut row, place.find_outcome(sample), truth);
            return row;
        }
        Some(TriedCall::GuardDecision(place)) => {
            add_verdict(&mut row, place.find_outcome(sample), context.truth);
            return row;
        }
        Some(TriedCall::Derivation(place)) => {
            if let Some(outcome) = place.find_outcome(sample) {
                row.judged += 1;
                row.bad += u32::from(side_of(outcome) != Some(true));
            }
            return row;
        }
        Some(TriedCall::Lesson(_)) => return row,
        Some(TriedCall::Turn(_)) | None => {}
    }
    for id in own_attempts(sample) {
        let Some(rule) = turn_judging_rule(sample, &id.turn) else {
            continue;
        };
        let is_good = match is_good_attempt(sample, rule, &id) {
            Some(is_good) => is_good,
            None => {
                row.left_out += 1;
                continue;
            }
        };
        row.judged += 1;
        row.bad += u32::from(!is_good);
        match is_previous_good(sample, parent, rule, &id.turn) {
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

/// Counts a verdict as a judged one that is bad where it does not find the truth: one in the middle does not.
fn add_verdict(row: &mut PromptSample, outcome: Option<Outcome>, truth: Option<bool>) {
    let Some(truth) = truth else {
        row.left_out += 1;
        return;
    };
    match outcome {
        Some(outcome @ Outcome::Label(_)) => {
            row.judged += 1;
            row.bad += u32::from(side_of(outcome) != Some(truth));
        }
        Some(Outcome::Unparsed { .. }) | None => row.left_out += 1,
    }
}

/// Returns the cost of a sample without the reply cache: replies that came from earlier trials are
/// counted at their price, or the prompt that was tried first would look dear.
fn compute_cost(sample: &State) -> Option<f64> {
    let spend = sample.spend();
    if spend.unpriced_calls > 0 {
        return None;
    }
    let turns = sample.turns().iter();
    let attempts = turns.flat_map(|(turn, known)| {
        let new_attempts = known.attempts.iter().filter(|attempt| !attempt.inherited);
        new_attempts.map(|attempt| (turn.chair.clone(), &attempt.reply))
    });
    let mut cost = Some(spend.cost_usd);
    for (chair, reply) in attempts
        .chain(own_verdicts(sample))
        .chain(own_memory_replies(sample))
    {
        cost = cost
            .zip(cached_reply_cost(sample, &chair, reply))
            .map(|(sum, usd)| sum + usd);
    }
    cost
}

/// Returns the judges' replies about what the sample itself brought, with who gave them. What is known
/// of the past was given before, and belongs to no prompt.
fn own_verdicts(sample: &State) -> impl Iterator<Item = (Chair, &Reply)> {
    let is_own = |target: &Target| match target {
        Target::Attempt(id) => sample.turns().get(&id.turn).is_some_and(|known| {
            let attempt = known.attempts.get(id.attempt as usize);
            attempt.is_some_and(|attempt| !attempt.inherited)
        }),
        Target::Round(_) | Target::Debate => true,
    };
    let new_verdicts = sample
        .verdicts()
        .filter(move |(_, target, _)| is_own(target));
    new_verdicts.flat_map(|(judging, _, by_slot)| {
        let rule = sample
            .protocol()
            .and_then(|protocol| protocol.find_judging(judging));
        let seat = rule.and_then(|rule| rule.by.clone());
        by_slot.iter().filter_map(move |(slot, verdict)| {
            let chair = Chair {
                seat: seat.clone()?,
                index: slot.chair,
            };
            let reply = verdict.reply.as_ref().filter(|_| !verdict.inherited)?;
            Some((chair, reply))
        })
    })
}

/// Returns the lessons, the decisions about guardrails and the guardrails that the sample itself brought.
fn own_memory_replies(sample: &State) -> impl Iterator<Item = (Chair, &Reply)> {
    let lessons = sample.lessons().filter(|_| !sample.is_lesson_inherited());
    let lessons = lessons.filter_map(|lesson| {
        let rule = sample.protocol()?.find_feedback(lesson.learner.as_ref())?;
        Some((Chair::first(rule.by.clone()), &lesson.reply))
    });
    let decisions = sample.guard_states().iter();
    let decisions = decisions.filter(|(_, state)| !state.inherited);
    let decisions = decisions
        .filter_map(|(chair, state)| Some((chair.clone(), &state.decided.as_ref().ok()?.reply)));
    let written = sample.written_guardrail().into_iter();
    let written = written.map(|written| (written.chair.clone(), &written.reply));
    lessons.chain(decisions).chain(written)
}

/// Returns what a reply would have cost that was there already; `None` where its model has no price.
fn cached_reply_cost(sample: &State, chair: &Chair, reply: &Reply) -> Option<f64> {
    if !reply.cached {
        return Some(0.0);
    }
    match sample.first_event()?.player_of(chair)? {
        Player::Model(player) => {
            let usage = reply.usage;
            kept_settings(player)?.compute_price(usage.input_tokens, usage.output_tokens)
        }
        Player::Human { .. } | Player::Fixed(_) => Some(0.0),
    }
}

/// Returns the characters of what the tried turn says; in a whole debate, the mean over all turns that
/// the template asked for.
fn mean_reply_chars(sample: &State, context: &AbContext, template: &str) -> Option<u32> {
    if let Some(call) = context.call.as_ref().filter(|call| call.turn().is_none()) {
        let chars = call.find_text(sample)?.chars().count();
        return Some(u32::try_from(chars).unwrap_or(u32::MAX));
    }
    let is_told = |turn: &TurnId| match context.turn() {
        Some(tried) => tried == turn,
        None => sample.protocol().is_some_and(|protocol| {
            let stage = protocol.find_stage(&turn.stage);
            stage.is_some_and(|stage| protocol.template_name(stage, &turn.chair.seat) == template)
        }),
    };
    let ids = own_attempts(sample).into_iter();
    let attempts = ids.filter(|id| is_told(&id.turn));
    let char_counts = attempts.filter_map(|id| {
        Some(
            sample
                .chosen_attempt(&id.turn)?
                .1
                .reply
                .text
                .chars()
                .count(),
        )
    });
    let char_counts: Vec<usize> = char_counts.collect();
    let mean = char_counts
        .iter()
        .sum::<usize>()
        .checked_div(char_counts.len())?;
    Some(u32::try_from(mean).unwrap_or(u32::MAX))
}

/// Says whether an attempt was found good; `None` where nothing readable was found, or neither.
fn is_good_attempt(state: &State, rule: &Judging, id: &AttemptId) -> Option<bool> {
    side_of(state.combined_outcome(rule, &Target::Attempt(id.clone()))?)
}

/// Says whether the seat's turn of the round before was good: of the sample's own, or as it was found
/// in the debate that the sample was tried on.
fn is_previous_good(sample: &State, parent: &State, rule: &Judging, turn: &TurnId) -> Option<bool> {
    let earlier = TurnId {
        round: turn.round.checked_sub(1)?,
        ..turn.clone()
    };
    let (id, attempt) = sample.chosen_attempt(&earlier)?;
    match attempt.inherited {
        false => is_good_attempt(sample, rule, &id),
        true => {
            let (parent_id, same) = parent.chosen_attempt(&earlier)?;
            let is_same = same.reply.text == attempt.reply.text;
            is_same
                .then(|| is_good_attempt(parent, rule, &parent_id))
                .flatten()
        }
    }
}
