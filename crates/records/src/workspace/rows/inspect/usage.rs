//! Tokens and cost by model and by seat: what a session's own calls used, as servers said.

use super::model_name;
use elenchus_game::debate::event::{Created, Reply, Usage};
use elenchus_game::debate::{Chair, State, VerdictState};
use serde_json::{Map, Value, json};
use std::collections::BTreeMap;

/// What calls used by one name.
#[derive(Debug, Clone, Default)]
pub(super) struct UsageSum(BTreeMap<String, NamedUsage>);

#[derive(Debug, Clone, Default)]
struct NamedUsage {
    input_tokens: u64,
    output_tokens: u64,
    cost_usd: f64,
    /// A call without a price: the cost of all is unknown.
    is_cost_unknown: bool,
}

impl UsageSum {
    fn add(&mut self, name: &str, reply: &Reply) {
        let sum = self.0.entry(name.to_owned()).or_default();
        sum.input_tokens = sum.input_tokens.saturating_add(reply.usage.input_tokens);
        sum.output_tokens = sum.output_tokens.saturating_add(reply.usage.output_tokens);
        match reply.cost_usd {
            Some(cost) => sum.cost_usd += cost,
            None => sum.is_cost_unknown = true,
        }
    }

    /// Adds another sum.
    pub(super) fn extend(&mut self, other: &Self) {
        for (name, added) in &other.0 {
            let sum = self.0.entry(name.clone()).or_default();
            sum.input_tokens = sum.input_tokens.saturating_add(added.input_tokens);
            sum.output_tokens = sum.output_tokens.saturating_add(added.output_tokens);
            sum.cost_usd += added.cost_usd;
            sum.is_cost_unknown |= added.is_cost_unknown;
        }
    }

    pub(super) fn to_value(&self) -> Value {
        let names = self.0.iter().map(|(name, sum)| {
            let usage = Usage {
                input_tokens: sum.input_tokens,
                output_tokens: sum.output_tokens,
                ..Usage::default()
            };
            let cost = (!sum.is_cost_unknown).then_some(sum.cost_usd);
            (name.clone(), usage_value(&usage, cost))
        });
        Value::Object(names.collect::<Map<_, _>>())
    }
}

/// Usage of one debate.
#[derive(Debug, Clone, Default)]
pub(super) struct UsageByName {
    pub by_model: UsageSum,
    pub by_seat: UsageSum,
}

impl UsageByName {
    /// Adds up the calls of a session: a fork's own, and none that a cache answered. What a file says that its
    /// calls used is its own.
    pub(super) fn from_state(state: &State, created: &Created) -> Self {
        let mut used = Self::default();
        for (turn, known) in state.turns() {
            for attempt in known.attempts.iter().filter(|one| !one.inherited) {
                used.add_reply(created, &turn.chair, &attempt.reply);
            }
        }
        for (judging, _, by_slot) in state.verdicts() {
            let rule = created.protocol.find_judging(judging);
            let Some(seat) = rule.and_then(|rule| rule.by.clone()) else {
                continue;
            };
            for (slot, last) in by_slot {
                let chair = Chair {
                    seat: seat.clone(),
                    index: slot.chair,
                };
                let tries = last.earlier.iter().chain([&**last]);
                let own = tries.filter(|verdict: &&VerdictState| !verdict.inherited);
                for reply in own.filter_map(|verdict| verdict.reply.as_ref()) {
                    used.add_reply(created, &chair, reply);
                }
            }
        }
        for (chair, guarded) in state.guard_states() {
            if let (Ok(decided), false) = (&guarded.decided, guarded.inherited) {
                used.add_reply(created, chair, &decided.reply);
            }
        }
        let has_own_lessons = !state.is_lesson_inherited();
        for lesson in state.lessons().filter(|_| has_own_lessons) {
            let rule = created.protocol.find_feedback(lesson.learner.as_ref());
            if let Some(rule) = rule {
                used.add_reply(created, &Chair::first(rule.by.clone()), &lesson.reply);
            }
        }
        used
    }

    fn add_reply(&mut self, created: &Created, chair: &Chair, reply: &Reply) {
        let player = created.player_of(chair).and_then(model_name);
        let name = match player {
            Some(_) if reply.cached => return,
            Some(name) => name,
            None if reply.model.is_empty() => return,
            None => reply.model.clone(),
        };
        self.by_model.add(&name, reply);
        self.by_seat.add(&chair.to_string(), reply);
    }
}

/// Returns Inspect's form of what a call used.
pub(super) fn usage_value(usage: &Usage, cost_usd: Option<f64>) -> Value {
    let mut value = json!({
        "input_tokens": usage.input_tokens,
        "output_tokens": usage.output_tokens,
        "total_tokens": usage.input_tokens.saturating_add(usage.output_tokens),
    });
    if let Some(cost) = cost_usd {
        value["total_cost"] = json!(cost);
    }
    value
}
