//! Retry messages: a reply that a rule sends back is shown to its author, who is asked again.

use super::engine::{Engine, PromptError};
use super::template_context::{TemplateContext, Values};
use crate::debate::event::{Fields, Outcome};
use crate::debate::ids::TurnId;
use crate::debate::protocol::{Judging, Stage, Style};
use crate::debate::state::field_at_path;
use crate::debate::step::{Judge, VerdictSlot};
use crate::debate::view::{MessageRole, PartSource, ViewMessage, ViewPart};
use minijinja::Value;

/// Shows a speaker the reply that a rule sends back, and asks again.
pub(super) fn retry_messages(
    engine: &Engine,
    context: &TemplateContext<'_>,
    turn: &TurnId,
    stage: &Stage,
    at: usize,
) -> Result<Vec<ViewMessage>, PromptError> {
    let first_event = context.created;
    let (Some(rule), Some((id, attempt))) = (
        stage.retry.get(at),
        context.state.find_sent_back_reply(turn, at),
    ) else {
        return Ok(Vec::new());
    };
    let mut messages = vec![assistant_message(PartSource::Turn(id), &attempt.reply.text)];
    let path = rule.field.as_deref();
    let (value, why) = match &attempt.fields {
        Some(Fields::Read(fields)) => {
            let value = path.and_then(|path| field_at_path(fields, path)?.as_f64());
            (value, None)
        }
        Some(Fields::Unparsed { why }) => (None, Some(why.as_str())),
        None => (None, None),
    };
    let style = first_event.protocol.style_of(stage);
    let mut values = context.common_values(&stage.sees, turn.round, style);
    clear_shown_values(&mut values);
    values.insert("me", context.reader_value(&turn.chair));
    values.insert("persona", context.persona_value(&turn.chair));
    values.insert("stance", context.stance_value(&turn.chair));
    values.insert("draw", context.draw_values(stage, turn));
    let retry = [
        ("field", Value::from(path)),
        ("value", Value::from(value)),
        ("below", Value::from(rule.below)),
        ("why", Value::from(why)),
    ];
    values.insert("retry", Value::from_pairs(retry));
    let template = rule
        .template
        .as_deref()
        .unwrap_or_else(|| first_event.protocol.template_name(stage, &turn.chair.seat));
    messages.extend(render_user_messages(engine, context, template, values)?);
    Ok(messages)
}

/// Shows a judge the reply that could not be parsed, and asks again.
pub(super) fn repair_messages(
    engine: &Engine,
    context: &TemplateContext<'_>,
    judging: &Judging,
    judge: &Judge,
) -> Result<Vec<ViewMessage>, PromptError> {
    let Some(repair) = judging.repair.as_ref().filter(|_| judge.attempt > 0) else {
        return Ok(Vec::new());
    };
    let slot = VerdictSlot {
        chair: judge.chair.index,
        order: judge.order,
    };
    let before = context
        .state
        .verdicts_on(&judging.id, &judge.target)
        .and_then(|by_slot| by_slot.get(&slot));
    // After an empty reply the request before it is repeated.
    let before = before.map(|before| &**before);
    let before = before.and_then(|before| match before.asks_again() {
        true => before.earlier.last(),
        false => Some(before),
    });
    let Some(before) = before else {
        return Ok(Vec::new());
    };
    let why = match &before.outcome {
        Some(Outcome::Unparsed { why, .. }) => Some(why.as_str()),
        Some(Outcome::Label(_)) | None => None,
    };
    let from = PartSource::Ruling {
        judging: judging.id.clone(),
        target: judge.target.clone(),
    };
    let reply = before.reply.as_ref();
    let reply_text = reply.map_or("", |reply| reply.text.as_str());
    let mut messages = vec![assistant_message(from, reply_text)];
    let mut values = context.common_values(&judging.sees, 0, Style::Single);
    clear_shown_values(&mut values);
    let retry = [
        ("field", Value::from(())),
        ("value", Value::from(())),
        ("below", Value::from(())),
        ("why", Value::from(why)),
    ];
    values.insert("retry", Value::from_pairs(retry));
    messages.extend(render_user_messages(
        engine,
        context,
        &repair.template,
        values,
    )?);
    Ok(messages)
}

pub(super) fn assistant_message(from: PartSource, text: &str) -> ViewMessage {
    ViewMessage {
        role: MessageRole::Assistant,
        parts: vec![ViewPart::new(from, text)],
    }
}

/// Removes the content that the first request has shown already.
fn clear_shown_values(values: &mut Values) {
    for name in [
        "documents",
        "memory",
        "turns",
        "rulings",
        "reasoning",
        "my_verdicts",
    ] {
        values.insert(name, Value::from(Vec::<Value>::new()));
    }
    values.insert("first", Value::from(false));
}

fn render_user_messages(
    engine: &Engine,
    context: &TemplateContext<'_>,
    template: &str,
    values: Values,
) -> Result<Vec<ViewMessage>, PromptError> {
    if !engine.has_section(template, MessageRole::User) {
        return Err(PromptError::NoUserSection(template.to_owned()));
    }
    engine.render(template, &context.table, &values, |role| {
        role == MessageRole::User
    })
}
