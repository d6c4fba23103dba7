//! Latencies of the replies that a store holds, by model: what an estimate of time rests on.

use super::error::Result;
use super::session::read_session_without_views;
use super::session_list::newest_sessions;
use elenchus_game::debate::event::{Created, Player, Reply};
use elenchus_game::debate::{Chair, State};
use elenchus_store::Layout;
use std::collections::{BTreeMap, BTreeSet};

/// Sessions that are read at most, the newest: an estimate must not take as long as what it estimates.
const MAX_SESSIONS: usize = 200;
/// Replies of one model that are enough for its median.
const ENOUGH: usize = 300;

/// Latencies of earlier replies, in milliseconds, by the model's name in the configuration.
#[derive(Debug, Clone, Default)]
pub struct EarlierLatencies(BTreeMap<String, Vec<u64>>);

impl EarlierLatencies {
    /// Reads the newest replies of some models. Sessions that cannot be read are passed over. Blocks.
    ///
    /// # Errors
    /// When sessions cannot be listed.
    pub fn read_newest(layout: &Layout, models: &BTreeSet<String>) -> Result<Self> {
        let mut latencies = Self::default();
        for id in newest_sessions(layout, MAX_SESSIONS)? {
            let incomplete_models: BTreeSet<&String> = models
                .iter()
                .filter(|model| latencies.count_replies(model) < ENOUGH)
                .collect();
            if incomplete_models.is_empty() {
                break;
            }
            if let Ok(state) = read_session_without_views(&layout.session_path(id.as_str())?) {
                latencies.add_replies(&state, &incomplete_models);
            }
        }
        Ok(latencies)
    }

    /// Returns the median latency of a model's replies; `None` where it has none.
    pub fn median_ms(&self, model: &str) -> Option<u64> {
        let mut all = self.0.get(model)?.clone();
        all.sort_unstable();
        all.get(all.len() / 2).copied()
    }

    /// Returns how many replies of a model are known.
    pub fn count_replies(&self, model: &str) -> usize {
        self.0.get(model).map_or(0, Vec::len)
    }

    fn add_replies(&mut self, state: &State, models: &BTreeSet<&String>) {
        let Some(created) = state.first_event() else {
            return;
        };
        for (chair, reply) in list_replies(state, created) {
            let Some(model) = created.player_of(&chair).and_then(Player::as_model) else {
                continue;
            };
            let model = &model.model;
            if !reply.cached && models.contains(model) {
                let model_latencies = self.0.entry(model.clone()).or_default();
                model_latencies.push(reply.latency_ms);
            }
        }
    }
}

/// Returns the replies of a session's turns and verdicts, each with its chair.
fn list_replies<'a>(
    state: &'a State,
    created: &'a Created,
) -> impl Iterator<Item = (Chair, &'a Reply)> + 'a {
    let turns = state.turns().iter().flat_map(|(turn, known)| {
        let own = known.attempts.iter();
        // A person's text, and what a guardrail refused, were no calls.
        let model_attempts =
            own.filter(|one| !one.inherited && !one.by_person && one.guardrail.is_none());
        model_attempts.map(|one| (turn.chair.clone(), &one.reply))
    });
    let verdict_replies = state.verdicts().flat_map(|(judging, _, by_chair)| {
        let by = created.protocol.find_judging(judging);
        let seat = by.and_then(|rule| rule.by.clone());
        by_chair.iter().filter_map(move |(slot, last)| {
            let chair = Chair {
                seat: seat.clone()?,
                index: slot.chair,
            };
            Some((chair, last.reply.as_ref()?))
        })
    });
    turns.chain(verdict_replies)
}
