//! Prompts about guardrails: the decision whether one matches, and the derivation of a new one.

use super::engine::{Engine, PromptError};
use super::judge_prompt::FenceMode;
use super::label_line::{draw_label_mark, mark_label_line};
use super::retry_messages::assistant_message;
use super::template_context::{TemplateContext, Values};
use super::view::{build_context, render_all};
use crate::debate::ids::Chair;
use crate::debate::protocol::{Sees, Style};
use crate::debate::state::State;
use crate::debate::view::{MessageRole, PartSource, View};
use minijinja::Value;

/// Name of the template that asks for a decision.
pub const DECISION: &str = "guardrail:decide";
/// What a decision says, before its line is marked.
const MATCH_LINES: [&str; 2] = ["MATCH: no", "MATCH: <number>"];
/// Name of the template that asks for a guardrail.
pub const DERIVATION: &str = "guardrail:derive";
/// Name of the template that asks for a guardrail once more.
pub const REPAIR: &str = "guardrail:repair";

/// Builds the view of a debater's model that decides whether a guardrail matches the topic.
///
/// # Errors
/// When the template is missing or fails, with its line.
pub fn guard_view(engine: &Engine, state: &State, chair: &Chair) -> Result<View, PromptError> {
    let first_event = state.first_event().ok_or(PromptError::NotBegun)?;
    let place = format!("guard {chair}");
    let context = build_context(
        state,
        first_event,
        &chair.to_string(),
        FenceMode::Marks,
        &place,
    );
    let mut values = topic_values(&context);
    let near = state
        .retrieved_guards()
        .map_or(&[][..], |near| &near.candidates);
    let guardrails = (1u32..).zip(near).map(|(number, candidate)| {
        let from = PartSource::Guardrail(candidate.id.clone());
        Value::from_pairs([
            ("number", Value::from(number)),
            ("text", context.authored_text(from, &candidate.full_text())),
        ])
    });
    values.insert("guardrails", Value::from(guardrails.collect::<Vec<_>>()));
    let mark = draw_label_mark(&context.nonce);
    let lines = MATCH_LINES.map(|line| {
        let marked_line = mark_label_line(line, &mark);
        context.table.tag_text(PartSource::LabelLine, marked_line)
    });
    values.insert("match_lines", Value::from(lines.to_vec()));
    render_all(engine, DECISION, &context, values)
}

/// Input of the derivation of a guardrail.
#[derive(Debug, Clone, Copy)]
pub struct Derivation<'a> {
    pub chair: &'a Chair,
    pub lesson: &'a str,
    /// The memory entry that holds the lesson.
    pub entry: &'a str,
    /// A reply that could not be parsed, and the reason.
    pub before: Option<(&'a str, &'a str)>,
}

/// Builds the view of the model that writes a guardrail.
///
/// # Errors
/// When a template is missing or fails, with its line.
pub fn derivation_view(
    engine: &Engine,
    state: &State,
    derivation: &Derivation<'_>,
) -> Result<View, PromptError> {
    let first_event = state.first_event().ok_or(PromptError::NotBegun)?;
    let reader = derivation.chair.to_string();
    let context = build_context(state, first_event, &reader, FenceMode::Marks, &"guardrail");
    let mut values = topic_values(&context);
    let from = PartSource::Memory(derivation.entry.to_owned());
    values.insert("lesson", context.authored_text(from, derivation.lesson));
    let mut view = render_all(engine, DERIVATION, &context, values)?;
    let Some((reply, why)) = derivation.before else {
        return Ok(view);
    };
    let from = PartSource::Guardrail(derivation.entry.to_owned());
    view.messages.push(assistant_message(from, reply));
    let mut values = topic_values(&context);
    values.insert("retry", Value::from_pairs([("why", Value::from(why))]));
    let again = engine.render(REPAIR, &context.table, &values, |role| {
        role == MessageRole::User
    })?;
    view.messages.extend(again);
    Ok(view)
}

/// Returns the topic with its context, and nothing else of the debate.
fn topic_values(context: &TemplateContext<'_>) -> Values {
    let sees = Sees {
        topic: true,
        ..Sees::default()
    };
    context.common_values(&sees, 0, Style::Single)
}
