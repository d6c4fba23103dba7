//! Views as they are kept: parts whose text the session holds elsewhere are references.

use super::moment::drawn_item;
use super::shown::{ruling_text, verdict_text};
use crate::debate::event::Created;
use crate::debate::ids::{AttemptId, TurnId};
use crate::debate::state::State;
use crate::debate::step::Target;
use crate::debate::view::{MessageRole, Part, Source, View, ViewMessage};

/// Drops the text of every part that the session holds already. `reader` is the turn whose view
/// this is, for values drawn for it.
pub fn compact(state: &State, reader: Option<&TurnId>, view: View) -> View {
    map(view, |mut part| {
        if part.text.is_some() && part.text == source_text(state, reader, &part.from) {
            part.text = None;
        }
        part
    })
}

/// Puts the text back into every part.
///
/// Parts whose source the session does not hold stay without text.
pub fn expand(state: &State, reader: Option<&TurnId>, view: View) -> View {
    map(view, |mut part| {
        if part.text.is_none() {
            part.text = source_text(state, reader, &part.from);
        }
        part
    })
}

/// Returns the messages of an expanded view as plain text.
pub fn full_text(view: &View) -> Vec<(MessageRole, String)> {
    view.messages
        .iter()
        .map(|message| {
            let text = message
                .parts
                .iter()
                .filter_map(|part| part.text.as_deref())
                .collect();
            (message.role, text)
        })
        .collect()
}

fn map(view: View, change: impl Fn(Part) -> Part) -> View {
    View {
        messages: view
            .messages
            .into_iter()
            .map(|message| ViewMessage {
                role: message.role,
                parts: message.parts.into_iter().map(&change).collect(),
            })
            .collect(),
        request_sha256: view.request_sha256,
    }
}

fn source_text(state: &State, reader: Option<&TurnId>, from: &Source) -> Option<String> {
    let created = state.created()?;
    let topic = &created.topic;
    match from {
        Source::Topic => Some(topic.text.clone()),
        Source::Context => topic.context.clone(),
        Source::Conversation(at) => topic.conversation.get(*at).map(|said| said.text.clone()),
        Source::Document(at) => topic
            .documents
            .get(*at)
            .map(|document| document.text.clone()),
        Source::Option(at) => topic.options.get(*at).cloned(),
        // What a check found is told in other words than a verdict; only the latter is held.
        Source::Ruling { judging, target } => {
            let judging = created.protocol.judging(judging)?;
            let outcome = state.finding(judging, target)?;
            Some(ruling_text(&outcome))
        }
        Source::Turn(id) | Source::OwnPrivate(id) => attempt_text(state, id),
        Source::Verdict { judging, attempt } => {
            let judging = created.protocol.judging(judging)?;
            let target = Target::Attempt(attempt.clone());
            state
                .finding(judging, &target)
                .map(|outcome| verdict_text(&outcome))
        }
        Source::Memory(id) => state
            .retrieved()?
            .entries
            .iter()
            .find(|entry| &entry.id == id)
            .map(|entry| entry.text.clone()),
        Source::Guardrail(id) => {
            let near = &state.guards()?.candidates;
            let found = near.iter().find(|candidate| &candidate.id == id)?;
            Some(found.text())
        }
        Source::Persona => created.persona(&reader?.chair).map(str::to_owned),
        Source::Draw(name) => draw_text(created, reader?, name),
        Source::Template(_) | Source::Fence | Source::Person => None,
    }
}

fn attempt_text(state: &State, id: &AttemptId) -> Option<String> {
    let turn = state.turns().get(&id.turn)?;
    let attempt = turn.attempts.get(id.attempt as usize)?;
    Some(attempt.reply.text.clone())
}

fn draw_text(created: &Created, turn: &TurnId, name: &str) -> Option<String> {
    let stage = created.protocol.stage(&turn.stage)?;
    let items = created.lists.get(stage.draw.get(name)?)?;
    drawn_item(items, created.seed, turn, name).map(str::to_owned)
}
