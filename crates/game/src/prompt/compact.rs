//! Compact form of views: parts whose text the session contains elsewhere are references.

use super::visible_turns::{ruling_text, verdict_text};
use crate::debate::event::Created;
use crate::debate::ids::{AttemptId, TurnId};
use crate::debate::state::State;
use crate::debate::step::Target;
use crate::debate::view::{MessageRole, PartSource, TemplateTexts, View, ViewMessage, ViewPart};
use crate::debate::{ListItem, draw_item};

/// Removes the text of every part that the session contains already. `reader` is the turn whose
/// view this is, for values drawn for it.
pub fn compact_view(state: &State, reader: Option<&TurnId>, view: View) -> View {
    map_parts(view, |mut part| {
        if let PartSource::Template(_) = part.from {
            let text_pair = template_texts(state).zip(part.text.as_deref());
            part.text_hash = text_pair
                .and_then(|(texts, text)| texts.find_hash(text))
                .cloned();
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
pub fn expand_view(state: &State, reader: Option<&TurnId>, view: View) -> View {
    map_parts(view, |mut part| {
        if let Some(hash) = part.text_hash.take() {
            let template_text = template_texts(state).and_then(|texts| texts.get(&hash));
            part.text = template_text.map(str::to_owned);
        } else if part.text.is_none() {
            part.text = source_text(state, reader, &part.from);
        }
        part
    })
}

fn template_texts(state: &State) -> Option<&TemplateTexts> {
    state.first_event().map(|created| &created.template_texts)
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

fn map_parts(view: View, change: impl Fn(ViewPart) -> ViewPart) -> View {
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
    let first_event = state.first_event()?;
    let topic = &first_event.topic;
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
            let judging = first_event.protocol.find_judging(judging)?;
            let outcome = state.combined_outcome(judging, target)?;
            Some(ruling_text(&outcome))
        }
        PartSource::Turn(id) | PartSource::OwnPrivate(id) => attempt_text(state, id),
        PartSource::Verdict { judging, attempt } => {
            let judging = first_event.protocol.find_judging(judging)?;
            let target = Target::Attempt(attempt.clone());
            state
                .combined_outcome(judging, &target)
                .map(|outcome| verdict_text(&outcome))
        }
        PartSource::Memory(id) => {
            let mut entries = state.retrievals().flat_map(|retrieved| &retrieved.entries);
            let shown = entries.find(|entry| &entry.id == id)?;
            Some(shown.text.clone())
        }
        PartSource::Guardrail(id) => {
            let near = &state.retrieved_guards()?.candidates;
            let guardrail = near.iter().find(|candidate| &candidate.id == id)?;
            Some(guardrail.full_text())
        }
        PartSource::Persona => first_event.persona_of(&reader?.chair).map(str::to_owned),
        PartSource::Draw(name) => draw_text(first_event, reader?, name),
        PartSource::Template(_)
        | PartSource::Rewards { .. }
        | PartSource::Reference
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

/// Returns what was drawn under a name, or under `NAME.PART` that part of it.
fn draw_text(created: &Created, turn: &TurnId, name: &str) -> Option<String> {
    let stage = created.protocol.find_stage(&turn.stage)?;
    let draw = |name: &str| {
        let items = created.lists.get(stage.draw.get(name)?)?;
        draw_item(items, created.seed, turn, name)
    };
    match (draw(name), name.rsplit_once('.')) {
        (Some(ListItem::Text(text)), _) => Some(text.clone()),
        (Some(ListItem::Parts(_)), _) | (None, None) => None,
        (None, Some((name, part))) => match draw(name)? {
            ListItem::Parts(parts) => parts.get(part).cloned(),
            ListItem::Text(_) => None,
        },
    }
}
