//! Compact form of views: parts whose text the session contains elsewhere are references.

use super::template_context::drawn_item;
use super::visible_turns::{ruling_text, verdict_text};
use crate::debate::event::Created;
use crate::debate::ids::{AttemptId, TurnId};
use crate::debate::state::State;
use crate::debate::step::Target;
use crate::debate::view::{MessageRole, PartSource, TemplateTexts, View, ViewMessage, ViewPart};

/// Removes the text of every part that the session contains already. `reader` is the turn whose
/// view this is, for values drawn for it.
pub fn compact(state: &State, reader: Option<&TurnId>, view: View) -> View {
    map(view, |mut part| {
        if let PartSource::Template(_) = part.from {
            let fixed = template_texts(state).zip(part.text.as_deref());
            part.text_hash = fixed.and_then(|(texts, text)| texts.find(text)).cloned();
            if part.text_hash.is_some() {
                part.text = None;
            }
        } else if part.text.is_some() && part.text == source_text(state, reader, &part.from) {
            part.text = None;
        }
        part
    })
}

/// Restores the text of every part.
///
/// Parts whose source is not in the session stay without text.
pub fn expand(state: &State, reader: Option<&TurnId>, view: View) -> View {
    map(view, |mut part| {
        if let Some(hash) = part.text_hash.take() {
            let fixed = template_texts(state).and_then(|texts| texts.get(&hash));
            part.text = fixed.map(str::to_owned);
        } else if part.text.is_none() {
            part.text = source_text(state, reader, &part.from);
        }
        part
    })
}

fn template_texts(state: &State) -> Option<&TemplateTexts> {
    state.created().map(|created| &created.template_texts)
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

fn map(view: View, change: impl Fn(ViewPart) -> ViewPart) -> View {
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

fn source_text(state: &State, reader: Option<&TurnId>, from: &PartSource) -> Option<String> {
    let created = state.created()?;
    let topic = &created.topic;
    match from {
        PartSource::Topic => Some(topic.text.clone()),
        PartSource::Context => topic.context.clone(),
        PartSource::Conversation(at) => topic.conversation.get(*at).map(|said| said.text.clone()),
        PartSource::Document(at) => topic
            .documents
            .get(*at)
            .map(|document| document.text.clone()),
        PartSource::Option(at) => topic.options.get(*at).cloned(),
        // The findings of a check are worded differently from a verdict; only verdicts are
        // referenced.
        PartSource::Ruling { judging, target } => {
            let judging = created.protocol.judging(judging)?;
            let outcome = state.finding(judging, target)?;
            Some(ruling_text(&outcome))
        }
        PartSource::Turn(id) | PartSource::OwnPrivate(id) => attempt_text(state, id),
        PartSource::Verdict { judging, attempt } => {
            let judging = created.protocol.judging(judging)?;
            let target = Target::Attempt(attempt.clone());
            state
                .finding(judging, &target)
                .map(|outcome| verdict_text(&outcome))
        }
        PartSource::Memory(id) => state
            .retrieved()?
            .entries
            .iter()
            .find(|entry| &entry.id == id)
            .map(|entry| entry.text.clone()),
        PartSource::Guardrail(id) => {
            let near = &state.guards()?.candidates;
            let found = near.iter().find(|candidate| &candidate.id == id)?;
            Some(found.text())
        }
        PartSource::Persona => created.persona(&reader?.chair).map(str::to_owned),
        PartSource::Draw(name) => draw_text(created, reader?, name),
        PartSource::Template(_)
        | PartSource::Fence
        | PartSource::LabelLine
        | PartSource::Person => None,
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
