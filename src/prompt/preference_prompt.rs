//! What a judge is shown who says which of two replies to one turn is better.

use super::engine::{Engine, PromptError};
use super::frame::{FenceMode, LabelHint};
use super::view::{labels, moment, render_all};
use crate::debate::ids::TurnId;
use crate::debate::protocol::{Sees, Style};
use crate::debate::state::State;
use crate::debate::view::{Part, Source, View};
use minijinja::Value;

/// Two replies to one turn, in the order in which they are shown.
#[derive(Debug, Clone, Copy)]
pub struct Replies<'a> {
    pub turn: &'a TurnId,
    /// What the seat was shown when it was asked, with the text of every part. Words of templates
    /// are left out: they would tell the prompts apart.
    pub shown: &'a View,
    pub first: &'a str,
    pub second: &'a str,
}

/// Makes the view of a judge who compares two replies. Every text is fenced, so that it cannot speak
/// to the judge.
///
/// # Errors
/// When the template is missing or fails, with its line.
pub fn preference_view(
    engine: &Engine,
    template: &str,
    hints: &[LabelHint],
    state: &State,
    replies: Replies<'_>,
) -> Result<View, PromptError> {
    let created = state.created().ok_or(PromptError::NotBegun)?;
    let place = format!("preference {}", replies.turn);
    let moment = moment(state, created, "preference", FenceMode::Marks, &place);
    let sees = Sees {
        topic: true,
        ..Sees::default()
    };
    let round = replies.turn.round;
    let mut values = moment.common(&sees, round, Style::Single);
    let parts = replies.shown.messages.iter().flat_map(|said| &said.parts);
    let shown = parts.filter(|part| is_of_the_debate(part)).map(|part| {
        let text = part.text.as_deref().unwrap_or_default();
        Value::from_pairs([("text", moment.said(part.from.clone(), text))])
    });
    let target = Value::from_pairs([
        ("label", Value::from(moment.label(&replies.turn.chair))),
        ("shown", Value::from(shown.collect::<Vec<_>>())),
        ("first", moment.said(Source::Person, replies.first)),
        ("second", moment.said(Source::Person, replies.second)),
    ]);
    values.insert("target", target);
    values.insert("labels", labels(hints));
    render_all(engine, template, &moment, values)
}

/// Says whether a part was said or found in the debate; the topic stands by itself.
fn is_of_the_debate(part: &Part) -> bool {
    match &part.from {
        Source::Turn(_)
        | Source::OwnPrivate(_)
        | Source::Verdict { .. }
        | Source::Ruling { .. }
        | Source::Memory(_)
        | Source::Guardrail(_)
        | Source::Document(_)
        | Source::Option(_)
        | Source::Person => true,
        Source::Template(_)
        | Source::Topic
        | Source::Context
        | Source::Conversation(_)
        | Source::Persona
        | Source::Draw(_)
        | Source::Fence => false,
    }
}
