//! Turns of a debate as messages of a chat, each with its seat.

use super::{PrivateTexts, model_name, usage::usage_value};
use elenchus_game::debate::event::{Author, Created, Finish, Player};
use elenchus_game::debate::{Attempt, AttemptId, SessionId, State, TurnId};
use serde_json::{Map, Value, json};

/// A chosen attempt that is in the log.
pub(super) struct SpokenTurn<'a> {
    pub id: AttemptId,
    pub attempt: &'a Attempt,
    is_private: bool,
    /// Set where it may be shown.
    reasoning: Option<&'a str>,
}

/// Returns the turns that are said, in the order of speaking.
pub(super) fn list_turns<'a>(
    state: &'a State,
    created: &Created,
    private: PrivateTexts,
) -> Vec<SpokenTurn<'a>> {
    let protocol = &created.protocol;
    let mut turns: Vec<&TurnId> = state.turns().keys().collect();
    turns.sort_by_key(|turn| {
        (
            turn.round,
            protocol.stage_place(&turn.stage),
            turn.chair.clone(),
        )
    });
    let spoken = turns.into_iter().filter_map(|turn| {
        let (id, attempt) = state.chosen_attempt(turn)?;
        let is_private = is_private_turn(created, turn);
        let reasoning = attempt.reply.thinking.as_deref();
        match private {
            PrivateTexts::LeftOut if is_private => None,
            PrivateTexts::LeftOut => Some((id, attempt, is_private, None)),
            PrivateTexts::Included => Some((id, attempt, is_private, reasoning)),
        }
    });
    let spoken = spoken.map(|(id, attempt, is_private, reasoning)| SpokenTurn {
        id,
        attempt,
        is_private,
        reasoning,
    });
    spoken.collect()
}

/// Says whether a turn is said in private.
pub(super) fn is_private_turn(created: &Created, turn: &TurnId) -> bool {
    let stage = created.protocol.find_stage(&turn.stage);
    stage.is_some_and(|stage| stage.private)
}

impl SpokenTurn<'_> {
    /// Says whether a model gave it: no guardrail, no person and no file.
    pub(super) fn is_generated(&self, created: &Created) -> bool {
        let player = created.player_of(&self.id.turn.chair);
        player.is_some_and(|player| player.as_model().is_some())
            && self.attempt.guardrail.is_none()
            && !self.attempt.edited
            && self.attempt.by == Author::Engine
    }

    /// Returns the model of its chair, or the one that its reply names.
    pub(super) fn model(&self, created: &Created) -> String {
        let player = created.player_of(&self.id.turn.chair);
        let model = player.and_then(model_name);
        model.unwrap_or_else(|| self.attempt.reply.model.clone())
    }

    /// Returns its message.
    pub(super) fn message(&self, session: &SessionId, created: &Created) -> Value {
        let turn = &self.id.turn;
        let mut message = Map::new();
        let mut add = |key: &str, value: Value| message.insert(key.to_owned(), value);
        add("id", json!(self.message_id(session)));
        add("role", json!("assistant"));
        let text = &self.attempt.reply.text;
        let content = match self.reasoning {
            None => json!(text),
            Some(reasoning) => json!([
                { "type": "reasoning", "reasoning": reasoning },
                { "type": "text", "text": text },
            ]),
        };
        add("content", content);
        if self.is_generated(created) {
            add("source", json!("generate"));
        }
        let model = self.model(created);
        if !model.is_empty() {
            add("model", json!(model));
        }
        let mut fields = Map::new();
        let mut add_field = |key: &str, value: Value| fields.insert(key.to_owned(), value);
        add_field("turn", json!(turn.to_string()));
        add_field("seat", json!(turn.chair.seat.as_str()));
        add_field("chair", json!(turn.chair.index));
        add_field("name", json!(created.protocol.name_of(&turn.chair)));
        add_field("round", json!(turn.round));
        add_field("stage", json!(turn.stage.as_str()));
        if self.is_private {
            add_field("private", json!(true));
        }
        if self.attempt.by_person {
            add_field("by_person", json!(true));
        }
        if self.attempt.edited {
            add_field("edited", json!(true));
        }
        if self.attempt.inherited {
            add_field("inherited", json!(true));
        }
        if let Some(guardrail) = &self.attempt.guardrail {
            add_field("guardrail", json!(guardrail));
        }
        if let Some(Player::Human { .. }) = created.player_of(&turn.chair) {
            add_field("player", json!("human"));
        }
        add("metadata", Value::Object(fields));
        Value::Object(message)
    }

    /// Returns its message as the output of a call.
    pub(super) fn output(&self, session: &SessionId, created: &Created) -> Value {
        let reply = &self.attempt.reply;
        let choice = json!({
            "message": self.message(session, created),
            "stop_reason": stop_reason(&reply.finish),
        });
        let mut output = json!({
            "model": self.model(created),
            "choices": [choice],
            "completion": reply.text,
        });
        if reply.usage.input_tokens + reply.usage.output_tokens > 0 {
            output["usage"] = usage_value(&reply.usage, reply.cost_usd);
        }
        if reply.latency_ms > 0 {
            output["time"] = json!(reply.latency_ms as f64 / 1000.0);
        }
        output
    }

    fn message_id(&self, session: &SessionId) -> String {
        format!("{session}.{}", self.id)
    }
}

/// Returns Inspect's word for the end of a reply.
pub(super) fn stop_reason(finish: &Finish) -> &'static str {
    match finish {
        Finish::Stop => "stop",
        Finish::Length => "max_tokens",
        Finish::Other(_) => "unknown",
    }
}
