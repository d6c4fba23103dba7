//! Groups of debates on one topic, as a trainer that asked for them reads them.

use super::speech::finish_name;
use crate::workspace::rows::list_rewards;
use crate::workspace::run::{RunItem, RunState};
use elenchus_game::debate::State;
use serde::Serialize;
use std::collections::BTreeMap;

/// Debates on one topic.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct RolloutGroup {
    pub topic: String,
    /// Hash of all that the topic says to seats; the reference answer is no part of it.
    pub topic_key: String,
    pub run: String,
    pub rollouts: Vec<Rollout>,
}

/// One debate.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Rollout {
    pub session: String,
    pub rollout: u32,
    pub seed: Option<u64>,
    /// `complete`, `stopped` by the game's own rule, `truncated` by a ceiling, `failed`, or `missing`.
    pub end: String,
    /// Why it failed.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub failure: Option<String>,
    /// What the game paid, by chair; empty where it paid nothing.
    pub rewards: BTreeMap<String, f64>,
    pub replies: Vec<ReplyPlace>,
}

/// Place of a reply of a model.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct ReplyPlace {
    /// `rROUND.STAGE.CHAIR#ATTEMPT`, as in `export --outcomes`.
    pub place: String,
    pub seat: String,
    pub model: String,
    /// The server's own name for the call, where it gave one: a proxy finds the tokens by it.
    pub request_id: Option<String>,
    /// It was said in private.
    pub private: bool,
    /// The debate went on with it; another attempt was sent back.
    pub chosen: bool,
    pub finish: String,
}

/// Returns how an item of a run came out. `state` is what its session says; `None` where there is none.
pub fn describe_rollout(run: &RunState, item: &RunItem, state: Option<&State>) -> Rollout {
    let created = state.and_then(State::first_event);
    let finished = run.finished.get(&item.item);
    let failure = run.failed.get(&item.item).cloned();
    // What cannot be read has told nothing: a debate without rewards would be another thing.
    let end = match (finished.filter(|_| state.is_some()), &failure) {
        (Some(finished), _) => finished.how.clone(),
        (None, Some(_)) => "failed".to_owned(),
        (None, None) => "missing".to_owned(),
    };
    // What is not over has paid nothing yet.
    let paid = state.zip(created).filter(|_| finished.is_some());
    let rewards = paid.map_or_else(Vec::new, |(state, created)| list_rewards(state, created));
    Rollout {
        session: item.session.to_string(),
        rollout: item.rollout,
        seed: created.map(|created| created.seed),
        end,
        failure: failure.filter(|_| finished.is_none()),
        rewards: rewards
            .into_iter()
            .map(|(chair, reward)| (chair.to_string(), reward))
            .collect(),
        replies: state.map_or_else(Vec::new, list_replies),
    }
}

fn list_replies(state: &State) -> Vec<ReplyPlace> {
    let Some(created) = state.first_event() else {
        return Vec::new();
    };
    let protocol = &created.protocol;
    let mut turns: Vec<_> = state.turns().iter().collect();
    turns.sort_by_key(|(turn, _)| (turn.round, protocol.stage_place(&turn.stage)));
    let mut replies = Vec::new();
    for (turn, turn_state) in turns {
        let Some(model) = created
            .player_of(&turn.chair)
            .and_then(|player| player.as_model())
        else {
            continue;
        };
        let stage = protocol.find_stage(&turn.stage);
        for (attempt, said) in turn_state.attempts.iter().enumerate() {
            replies.push(ReplyPlace {
                place: format!("{turn}#{attempt}"),
                seat: turn.chair.to_string(),
                model: model.model.clone(),
                request_id: said.reply.request_id.clone(),
                private: stage.is_some_and(|stage| stage.private),
                chosen: attempt == turn_state.chosen_index,
                finish: finish_name(&said.reply.finish),
            });
        }
    }
    replies
}
