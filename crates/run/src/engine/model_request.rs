//! Conversion between the game's types and the model's: messages, call context, recorded reply.

use elenchus_game::debate::event::{self, Created, UNSTATED_FINISH};
use elenchus_game::debate::ids::Chair;
use elenchus_game::debate::protocol::{MeasuredProperty, SeatKind};
use elenchus_game::debate::step::{Judge, ShownOrder, Target};
use elenchus_game::debate::view::{MessageRole, View};
use elenchus_game::debate::{Recorded, is_blank};
use elenchus_game::judge::{Constraint, LINE_FIELD, Rubric};
use elenchus_game::prompt::{self, mark_label_line};
use elenchus_model as model;
use elenchus_model::{
    Axis, CallContext, ChatRole, DocumentHint, JudgeTask, LabelChoice, Message, ReplyForm,
    RoleHint, TokenSource,
};
use serde::Serialize;
use serde_json::Value;

/// The stage's name that calls about guardrails go by.
pub(super) const GUARDRAIL_STAGE: &str = "guardrail";

/// Returns an expanded view as the messages of a request.
pub(crate) fn messages_of_view(view: &View) -> Vec<Message> {
    prompt::full_text(view)
        .into_iter()
        .map(|(role, content)| Message {
            role: match role {
                MessageRole::System => ChatRole::System,
                MessageRole::User => ChatRole::User,
                MessageRole::Assistant => ChatRole::Assistant,
            },
            content,
        })
        .collect()
}

/// Returns usage as the journal keeps it.
pub(super) fn to_event_usage(from: model::Usage) -> event::Usage {
    event::Usage {
        input_tokens: from.input_tokens,
        output_tokens: from.output_tokens,
        estimated: match from.counted {
            TokenSource::Server | TokenSource::Simulated => false,
            TokenSource::Estimated => true,
        },
        claimed: from.claimed.map(|claimed| event::ClaimedTokens {
            input_tokens: claimed.input_tokens,
            output_tokens: claimed.output_tokens,
        }),
        sent_tokens: from.sent_tokens,
    }
}

/// Returns a model's reply to a request as the journal keeps it.
pub(crate) fn to_event_reply(
    from: model::Reply,
    cost_usd: Option<f64>,
    request: &model::Request,
) -> event::Reply {
    let dialect = &request.dialect;
    let is_plain = *dialect == model::Dialect::default();
    let out_of_tokens = from.finish == model::Finish::Length && is_blank(&from.text);
    event::Reply {
        text: from.text,
        thinking: from.thinking,
        finish: match from.finish {
            model::Finish::Stop => event::Finish::Stop,
            model::Finish::Length => event::Finish::Length,
            model::Finish::Unstated => event::Finish::Other(UNSTATED_FINISH.to_owned()),
            model::Finish::Other(reason) => event::Finish::Other(reason),
        },
        usage: to_event_usage(from.usage),
        cost_usd,
        latency_ms: from.latency_ms,
        first_token_ms: from.first_token_ms,
        model: from.model,
        sampling: to_recorded_value(&request.sampling),
        request_id: from.request_id,
        cached: from.cached,
        first_token: from.first_token.map(|first| event::FirstToken {
            token: first.token,
            probability: first.probability,
            others: first.others,
        }),
        end_token: from.end_token,
        unknown_mark: from.unknown_mark,
        left_out: from.left_out,
        sent_as: from.sent_as,
        ask_again: false,
        out_of_tokens,
        dialect: match is_plain {
            true => Recorded::default(),
            false => to_recorded_value(dialect),
        },
    }
}

fn to_recorded_value(setting: &impl Serialize) -> Recorded<Value> {
    Recorded::from(&serde_json::to_value(setting).unwrap_or_default())
}

/// Position of a call in a debate.
pub(crate) struct CallPlace<'a> {
    pub chair: &'a Chair,
    pub round: u32,
    pub stage: String,
    pub attempt: u32,
    pub private: bool,
    pub question: JudgeTask,
    pub rubric: Option<&'a Rubric>,
    /// The mark that the view shows on the line of a label.
    pub label_mark: Option<&'a str>,
}

/// Returns the context that the simulated and the recorded model get in addition to the messages.
pub(crate) fn build_call_context(created: &Created, place: CallPlace<'_>) -> CallContext {
    let protocol = &created.protocol;
    let kind = protocol.find_seat(&place.chair.seat).map(|seat| seat.kind);
    CallContext {
        role: match kind {
            Some(SeatKind::Judge) => RoleHint::Judge,
            Some(SeatKind::Evaluator) => RoleHint::Evaluator,
            Some(SeatKind::Feedback) => RoleHint::Feedback,
            Some(SeatKind::Speaker) | None => RoleHint::Speaker,
        },
        seat: place.chair.seat.to_string(),
        index: place.chair.index,
        round: place.round,
        rounds: protocol.rounds,
        stage: place.stage,
        attempt: place.attempt,
        topic: created.topic.id.clone(),
        axis: match protocol.measures {
            MeasuredProperty::Safety => Axis::Safety,
            MeasuredProperty::Correctness | MeasuredProperty::Quality => Axis::Correctness,
        },
        judged: protocol.is_judged(&place.chair.seat),
        private: place.private,
        choices: place.rubric.map_or_else(Vec::new, |rubric| {
            rubric
                .labels
                .iter()
                .map(|label| LabelChoice {
                    label: label.name.clone(),
                    reply: match place.label_mark {
                        Some(mark) => mark_label_line(&label.says, mark),
                        None => label.says.clone(),
                    },
                    value: label.value,
                })
                .collect()
        }),
        seed: created.seed,
        reference: created
            .topic
            .reference
            .as_ref()
            .map(|reference| reference.answer.clone()),
        documents: created
            .topic
            .documents
            .iter()
            .map(|document| DocumentHint {
                name: document.name.clone(),
                text: document.text.clone(),
            })
            .collect(),
        question: place.question,
        guarded: None,
        others_rewards: false,
        label_field: place.rubric.and_then(label_field),
    }
}

/// Returns the stage's name that a judge's call goes by, and its round. One seat may judge the same
/// thing by several rules and in both orders, and several attempts of a turn: each is a call of its
/// own.
pub(super) fn judge_place(judge: &Judge, last_round: u32) -> (String, u32) {
    let round = match &judge.target {
        Target::Attempt(attempt) => attempt.turn.round,
        Target::Round(round) => *round,
        Target::Debate => last_round,
    };
    let order = match judge.order {
        ShownOrder::AsSeated => "",
        ShownOrder::Swapped => " swapped",
    };
    (format!("{} {}{order}", judge.judging, judge.target), round)
}

/// Returns the form that a judge's server is to hold its reply to, where the rubric asks for one.
pub(crate) fn reply_form(rubric: &Rubric, label_mark: Option<&str>) -> Option<ReplyForm> {
    match rubric.constrain {
        Some(Constraint::Schema) => Some(ReplyForm::Schema(rubric.line_schema(label_mark))),
        Some(Constraint::Grammar) => Some(ReplyForm::Grammar(rubric.line_grammar(label_mark))),
        None => rubric.schema.clone().map(ReplyForm::Schema),
    }
}

/// Where a structured verdict states its label.
fn label_field(rubric: &Rubric) -> Option<String> {
    if rubric.constrain == Some(Constraint::Schema) {
        return Some(LINE_FIELD.to_owned());
    }
    rubric.schema.as_ref()?;
    let field_name = rubric.label_field.as_deref();
    Some(field_name.unwrap_or("verdict").to_owned())
}
