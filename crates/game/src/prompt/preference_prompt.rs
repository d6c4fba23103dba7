//! Prompt of a preference judge, who compares two replies to one turn.

use super::engine::{Engine, PromptError};
use super::judge_prompt::{FenceMode, JudgeFrame};
use super::view::{build_context, label_values, render_all};
use crate::debate::ids::Chair;
use crate::debate::protocol::{Sees, Style};
use crate::debate::state::State;
use crate::debate::view::{PartSource, View, ViewPart};
use minijinja::Value;

/// Two replies to one turn, in the order in which they are shown.
#[derive(Debug, Clone, Copy)]
pub struct ReplyPair<'a> {
    /// What was asked for: the turn, or the lesson.
    pub asked: &'a str,
    /// Who replied, and in which round.
    pub chair: &'a Chair,
    pub round: u32,
    /// The view of the seat that replied, with the text of every part. Template texts are omitted:
    /// they would reveal which prompt is which.
    pub shown: &'a View,
    pub first: &'a str,
    pub second: &'a str,
}

/// Builds the view of a judge who compares two replies. Every text is fenced, so that it cannot
/// address the judge.
///
/// # Errors
/// When the template is missing or fails, with its line.
pub fn preference_view(
    engine: &Engine,
    frame: &JudgeFrame,
    state: &State,
    replies: ReplyPair<'_>,
) -> Result<View, PromptError> {
    let first_event = state.first_event().ok_or(PromptError::NotBegun)?;
    let place = format!("preference {}", replies.asked);
    let context = build_context(state, first_event, "preference", FenceMode::Marks, &place);
    let sees = Sees {
        topic: true,
        ..Sees::default()
    };
    let mut values = context.common_values(&sees, replies.round, Style::Single);
    let parts = replies.shown.messages.iter().flat_map(|said| &said.parts);
    let shown_parts = parts.filter(|part| is_of_the_debate(part)).map(|part| {
        let text = part.text.as_deref().unwrap_or_default();
        Value::from_pairs([("text", context.authored_text(part.from.clone(), text))])
    });
    let target = Value::from_pairs([
        ("label", Value::from(context.chair_label(replies.chair))),
        ("shown", Value::from(shown_parts.collect::<Vec<_>>())),
        (
            "first",
            context.authored_text(PartSource::Person, replies.first),
        ),
        (
            "second",
            context.authored_text(PartSource::Person, replies.second),
        ),
    ]);
    values.insert("target", target);
    values.insert("labels", label_values(&context, frame));
    render_all(engine, &frame.template, &context, values)
}

/// Returns whether a part is a turn or finding of the debate; the topic is shown separately.
fn is_of_the_debate(part: &ViewPart) -> bool {
    match &part.from {
        PartSource::Turn(_)
        | PartSource::OwnPrivate(_)
        | PartSource::Verdict { .. }
        | PartSource::Ruling { .. }
        | PartSource::Rewards { .. }
        | PartSource::Memory(_)
        | PartSource::Guardrail(_)
        | PartSource::Document(_)
        | PartSource::Option(_)
        | PartSource::Person => true,
        PartSource::Template(_)
        | PartSource::Topic
        | PartSource::Context
        | PartSource::Conversation(_)
        | PartSource::Persona
        | PartSource::Draw(_)
        | PartSource::Reference
        | PartSource::Fence
        | PartSource::LabelLine => false,
    }
}
