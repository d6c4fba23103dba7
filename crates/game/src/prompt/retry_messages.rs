//! Retry messages: a reply that a rule sends back is shown to its author, who is asked again.

use super::engine::{Engine, PromptError};
use super::template_context::{TemplateContext, Values};
use crate::debate::event::{Fields, Outcome};
use crate::debate::ids::TurnId;
use crate::debate::protocol::{Judging, Stage, Style};
use crate::debate::state::field;
use crate::debate::step::{Judge, VerdictSlot};
use crate::debate::view::{MessageRole, PartSource, ViewMessage, ViewPart};
use minijinja::Value;

/// Shows a speaker the reply that a rule sends back, and asks again.
pub(super) fn retry_messages(
    engine: &Engine,
    moment: &TemplateContext<'_>,
    turn: &TurnId,
    stage: &Stage,
    at: usize,
) -> Result<Vec<ViewMessage>, PromptError> {
    let created = moment.created;
    let (Some(rule), Some((id, attempt))) = (stage.retry.get(at), moment.state.sent_back(turn, at))
    else {
        return Ok(Vec::new());
    };
    let mut messages = vec![said_before(PartSource::Turn(id), &attempt.reply.text)];
    let path = rule.field.as_deref();
    let (value, why) = match &attempt.fields {
        Some(Fields::Read(fields)) => {
            let value = path.and_then(|path| field(fields, path)?.as_f64());
            (value, None)
        }
        Some(Fields::Unparsed { why }) => (None, Some(why.as_str())),
        None => (None, None),
    };
    let style = created.protocol.style_of(stage);
    let mut values = moment.common(&stage.sees, turn.round, style);
    nothing_new(&mut values);
    values.insert("me", moment.me(&turn.chair));
    values.insert("persona", moment.persona(&turn.chair));
    values.insert("stance", moment.stance(&turn.chair));
    values.insert("draw", moment.draws(stage, turn));
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
        .unwrap_or_else(|| created.protocol.template_name(stage, &turn.chair.seat));
    messages.extend(ask(engine, moment, template, values)?);
    Ok(messages)
}

/// Shows a judge the reply that could not be parsed, and asks again.
pub(super) fn repair_messages(
    engine: &Engine,
    moment: &TemplateContext<'_>,
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
    let before = moment
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
    let said = reply.map_or("", |reply| reply.text.as_str());
    let mut messages = vec![said_before(from, said)];
    let mut values = moment.common(&judging.sees, 0, Style::Single);
    nothing_new(&mut values);
    let retry = [
        ("field", Value::from(())),
        ("value", Value::from(())),
        ("below", Value::from(())),
        ("why", Value::from(why)),
    ];
    values.insert("retry", Value::from_pairs(retry));
    messages.extend(ask(engine, moment, &repair.template, values)?);
    Ok(messages)
}

pub(super) fn said_before(from: PartSource, text: &str) -> ViewMessage {
    ViewMessage {
        role: MessageRole::Assistant,
        parts: vec![ViewPart::new(from, text)],
    }
}

/// Removes the content that the first request has shown already.
fn nothing_new(values: &mut Values) {
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

fn ask(
    engine: &Engine,
    moment: &TemplateContext<'_>,
    template: &str,
    values: Values,
) -> Result<Vec<ViewMessage>, PromptError> {
    if !engine.has_section(template, MessageRole::User) {
        return Err(PromptError::NoUserSection(template.to_owned()));
    }
    engine.render(template, &moment.table, &values, |role| {
        role == MessageRole::User
    })
}
