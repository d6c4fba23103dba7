//! Construction of views: the exact messages of an open step.

use super::engine::{Engine, PromptError};
use super::judge_prompt::{FenceMode, JudgeFrame};
use super::label_line::{draw_label_mark, mark_label_line};
use super::retry_messages::{repair_messages, retry_messages};
use super::tagged_values::ValueTable;
use super::template_context::{TemplateContext, Values, fence_nonce};
use crate::debate::event::Created;
use crate::debate::ids::{Chair, JudgingId, TurnId};
use crate::debate::protocol::{OwnPrivate, Sees, Stage, Style};
use crate::debate::state::State;
use crate::debate::step::{Judge, ShownOrder, Speak, Target};
use crate::debate::view::{MessageRole, PartSource, View, ViewMessage, ViewPart};
use crate::debate::visibility::{self, ReaderPosition};
use minijinja::Value;
use std::collections::BTreeSet;

/// Builds the view of a speaker.
///
/// In the dialogue style the seat's earlier replies are assistant messages, and each user message
/// contains what has become visible since the one before: the conversation only grows (the sequence
/// extension property of the third source).
///
/// # Errors
/// When a template is missing or fails, with its line.
pub fn speaker_view(engine: &Engine, state: &State, speak: &Speak) -> Result<View, PromptError> {
    let created = state.created().ok_or(PromptError::NotBegun)?;
    let turn = &speak.turn;
    let stage = stage_of(created, turn)?;
    let moment = moment(
        state,
        created,
        &turn.chair.to_string(),
        FenceMode::Open,
        turn,
    );
    let speaker = Speaker {
        engine,
        moment: &moment,
        style: created.protocol.style_of(stage),
        shown: BTreeSet::new(),
        told: BTreeSet::new(),
        documents: 0,
        memory: false,
    };
    let mut messages = speaker.messages(turn, stage)?;
    if let Some(at) = speak.retry {
        messages.extend(retry_messages(engine, &moment, turn, stage, at)?);
    }
    Ok(view(messages))
}

/// Builds the view of a judge or evaluator.
///
/// Text under judgement is fenced as `frame` says, so that it cannot address the judge.
///
/// # Errors
/// When the rubric's template is missing or fails, with its line.
pub fn judge_view(
    engine: &Engine,
    state: &State,
    judge: &Judge,
    frame: &JudgeFrame,
) -> Result<View, PromptError> {
    let created = state.created().ok_or(PromptError::NotBegun)?;
    let protocol = &created.protocol;
    let judging = protocol
        .judging(&judge.judging)
        .ok_or_else(|| PromptError::NoSuchPlace(judge.judging.to_string()))?;
    let reader_name = format!("{} {}", judge.judging, judge.chair);
    let place = format!("{reader_name} {}", judge.target);
    let mut moment = moment(state, created, &reader_name, frame.fence, &place);
    moment.order = judge.order;
    let last = state.last_round();
    let (reader, round) = match &judge.target {
        Target::Attempt(attempt) => {
            let reader = ReaderPosition::examining(protocol, &attempt.turn);
            (reader, attempt.turn.round)
        }
        Target::Round(round) => (ReaderPosition::after_round(protocol, *round), *round),
        Target::Debate => (ReaderPosition::after_round(protocol, last), last),
    };
    let sees = &judging.sees;
    let mut values = moment.common(sees, round, Style::Single);
    values.insert("documents", moment.documents(sees, round, 0).0);
    let turns = visibility::visible(protocol, sees, reader);
    values.insert("turns", moment.turns(sees, turns, None));
    let mut told = BTreeSet::new();
    values.insert("rulings", moment.rulings(sees, reader, &mut told));
    values.insert("me", moment.me(&judge.chair));
    values.insert("persona", moment.persona(&judge.chair));
    values.insert("target", target_value(&moment, &judge.target)?);
    values.insert("labels", labels(&moment, frame));
    let mut view = render_all(engine, &frame.template, &moment, values)?;
    let repair = repair_messages(engine, &moment, judging, judge)?;
    view.messages.extend(repair);
    Ok(view)
}

/// Builds the view of the seat that writes the lesson of a debate.
///
/// # Errors
/// When the template is missing or fails, with its line.
pub fn feedback_view(engine: &Engine, state: &State, chair: &Chair) -> Result<View, PromptError> {
    let created = state.created().ok_or(PromptError::NotBegun)?;
    let protocol = &created.protocol;
    let feedback = protocol
        .feedback
        .as_ref()
        .ok_or_else(|| PromptError::NoSuchPlace("feedback".to_owned()))?;
    let moment = moment(
        state,
        created,
        &chair.to_string(),
        FenceMode::Marks,
        &"feedback",
    );
    let last = state.last_round();
    let sees = &feedback.sees;
    let mut values = moment.common(sees, last, Style::Single);
    values.insert("documents", moment.documents(sees, last, 0).0);
    let reader = ReaderPosition::after_round(protocol, last);
    let turns = visibility::visible(protocol, sees, reader);
    values.insert("turns", moment.turns(sees, turns, None));
    let mut told = BTreeSet::new();
    values.insert("rulings", moment.rulings(sees, reader, &mut told));
    values.insert("me", moment.me(chair));
    values.insert("persona", moment.persona(chair));
    let template = feedback.template.as_deref().unwrap_or(feedback.by.as_str());
    render_all(engine, template, &moment, values)
}

struct Speaker<'a> {
    engine: &'a Engine,
    moment: &'a TemplateContext<'a>,
    style: Style,
    /// Turns in earlier messages of this conversation.
    shown: BTreeSet<TurnId>,
    /// Rulings in earlier messages of this conversation.
    told: BTreeSet<(JudgingId, u32)>,
    documents: usize,
    /// An earlier message of this conversation contains the memory entries.
    memory: bool,
}

impl Speaker<'_> {
    fn messages(mut self, turn: &TurnId, stage: &Stage) -> Result<Vec<ViewMessage>, PromptError> {
        let created = self.moment.created;
        let mut messages = Vec::new();
        for own in self.own_turns(turn, stage) {
            let own_stage = stage_of(created, &own)?;
            let Some((id, attempt)) = self.moment.state.chosen(&own) else {
                continue;
            };
            messages.extend(self.ask(&own, own_stage, messages.is_empty())?);
            let from = if own_stage.private {
                PartSource::OwnPrivate(id)
            } else {
                PartSource::Turn(id)
            };
            messages.push(ViewMessage {
                role: MessageRole::Assistant,
                parts: vec![ViewPart::new(from, &attempt.reply.text)],
            });
            self.shown.insert(own);
        }
        let first = messages.is_empty();
        messages.extend(self.ask(turn, stage, first)?);
        Ok(messages)
    }

    /// Returns the seat's earlier turns that are part of its conversation.
    fn own_turns(&self, turn: &TurnId, stage: &Stage) -> Vec<TurnId> {
        if self.style == Style::Single {
            return Vec::new();
        }
        let protocol = &self.moment.created.protocol;
        let reader = ReaderPosition::at(protocol, turn);
        let mut own: Vec<TurnId> = visibility::visible(protocol, &stage.sees, reader)
            .into_iter()
            .filter(|seen| seen.chair == turn.chair)
            .collect();
        own.extend(visibility::own_private(protocol, &stage.sees, reader));
        // Some servers reject a message without a word in it.
        own.retain(|seen| {
            let chosen = self.moment.state.chosen(seen);
            chosen.is_some_and(|(_, attempt)| !attempt.is_empty_reply())
        });
        own.sort_by_key(|seen| (seen.round, protocol.stage_place(&seen.stage)));
        own
    }

    fn ask(
        &mut self,
        turn: &TurnId,
        stage: &Stage,
        first: bool,
    ) -> Result<Vec<ViewMessage>, PromptError> {
        let moment = self.moment;
        let created = moment.created;
        let protocol = &created.protocol;
        let sees = &stage.sees;
        let reader = ReaderPosition::at(protocol, turn);
        let mut new: Vec<TurnId> = visibility::visible(protocol, sees, reader)
            .into_iter()
            .filter(|seen| !self.shown.contains(seen))
            .collect();
        let own_verdicts = self.own_verdicts(turn, sees);
        if self.style == Style::Dialogue {
            new.retain(|seen| seen.chair != turn.chair);
        }
        self.shown.extend(new.iter().cloned());
        let mut values = moment.common(sees, turn.round, self.style);
        let (documents, until) = moment.documents(sees, turn.round, self.documents);
        self.documents = until;
        values.insert("documents", documents);
        let nothing = || Value::from(Vec::<Value>::new());
        values.insert(
            "memory",
            if self.memory {
                nothing()
            } else {
                moment.memory(sees)
            },
        );
        self.memory |= sees.memory;
        values.insert("turns", moment.turns(sees, new, Some(&turn.chair)));
        values.insert("rulings", moment.rulings(sees, reader, &mut self.told));
        values.insert("reasoning", self.reasoning(turn, sees));
        values.insert("my_verdicts", own_verdicts);
        values.insert("me", moment.me(&turn.chair));
        values.insert("persona", moment.persona(&turn.chair));
        values.insert("stance", moment.stance(&turn.chair));
        values.insert("draw", moment.draws(stage, turn));
        values.insert("first", Value::from(first));
        values.insert("retry", Value::from(()));
        let template = protocol.template_name(stage, &turn.chair.seat);
        if !self.engine.has_section(template, MessageRole::User) {
            return Err(PromptError::NoUserSection(template.to_owned()));
        }
        self.engine
            .render(template, &moment.table, &values, |role| match role {
                MessageRole::System => first,
                MessageRole::User | MessageRole::Assistant => true,
            })
    }

    /// Returns the verdicts on the seat's own turns, for experiments that reveal them.
    fn own_verdicts(&self, turn: &TurnId, sees: &Sees) -> Value {
        let moment = self.moment;
        let protocol = &moment.created.protocol;
        let reader = ReaderPosition::at(protocol, turn);
        let mut own: Vec<TurnId> = visibility::visible(protocol, sees, reader)
            .into_iter()
            // In the single style they are shown with the turns themselves.
            .filter(|seen| {
                sees.verdicts
                    && self.style == Style::Dialogue
                    && seen.chair == turn.chair
                    && !moment.state.is_empty_turn(seen)
            })
            .collect();
        // In a conversation each verdict is shown once, after its turn.
        own.drain(..own.len().saturating_sub(1));
        let verdicts: Vec<Value> = own
            .into_iter()
            .filter_map(|seen| {
                let (id, _) = moment.state.chosen(&seen)?;
                Some(Value::from_pairs([
                    ("round", Value::from(seen.round)),
                    ("verdict", moment.verdict(&id)),
                ]))
            })
            .collect();
        Value::from(verdicts)
    }

    /// Returns private reasoning for the single style; in a conversation it is a message.
    fn reasoning(&self, turn: &TurnId, sees: &Sees) -> Value {
        if self.style == Style::Dialogue || sees.own_private == OwnPrivate::None {
            return Value::from(Vec::<Value>::new());
        }
        let moment = self.moment;
        let protocol = &moment.created.protocol;
        let private = visibility::own_private(protocol, sees, ReaderPosition::at(protocol, turn));
        let values: Vec<Value> = private
            .iter()
            .filter(|seen| !moment.state.is_empty_turn(seen))
            .filter_map(|seen| {
                let (id, attempt) = moment.state.chosen(seen)?;
                let text = moment.authored_text(PartSource::OwnPrivate(id), &attempt.reply.text);
                Some(Value::from_pairs([
                    ("round", Value::from(seen.round)),
                    ("text", text),
                ]))
            })
            .collect();
        Value::from(values)
    }
}

fn target_value(moment: &TemplateContext<'_>, target: &Target) -> Result<Value, PromptError> {
    let Target::Attempt(id) = target else {
        return Ok(Value::from(()));
    };
    let attempt = moment
        .state
        .turns()
        .get(&id.turn)
        .and_then(|turn| turn.attempts.get(id.attempt as usize))
        .ok_or_else(|| PromptError::NoSuchPlace(id.to_string()))?;
    Ok(Value::from_pairs([
        ("label", Value::from(moment.label(&id.turn.chair))),
        ("seat", Value::from(id.turn.chair.seat.as_str())),
        ("round", Value::from(id.turn.round)),
        ("stage", Value::from(id.turn.stage.as_str())),
        (
            "text",
            moment.authored_text(PartSource::Turn(id.clone()), &attempt.reply.text),
        ),
    ]))
}

/// Returns the labels that a judge may give.
pub(super) fn labels(moment: &TemplateContext<'_>, frame: &JudgeFrame) -> Value {
    let mark = frame.marks_label.then(|| draw_label_mark(&moment.nonce));
    let labels = frame.labels.iter().map(|label| {
        let says = match &mark {
            None => Value::from(label.says.as_str()),
            Some(mark) => {
                let line = mark_label_line(&label.says, mark);
                moment.table.value(PartSource::LabelLine, line)
            }
        };
        Value::from_pairs([
            ("name", Value::from(label.name.as_str())),
            ("meaning", Value::from(label.meaning.as_str())),
            ("says", says),
        ])
    });
    Value::from(labels.collect::<Vec<_>>())
}

pub(super) fn render_all(
    engine: &Engine,
    template: &str,
    moment: &TemplateContext<'_>,
    values: Values,
) -> Result<View, PromptError> {
    Ok(view(engine.render(
        template,
        &moment.table,
        &values,
        |_| true,
    )?))
}

fn stage_of<'a>(created: &'a Created, turn: &TurnId) -> Result<&'a Stage, PromptError> {
    created
        .protocol
        .stage(&turn.stage)
        .ok_or_else(|| PromptError::NoSuchPlace(turn.to_string()))
}

pub(super) fn moment<'a>(
    state: &'a State,
    created: &'a Created,
    reader: &str,
    fence: FenceMode,
    place: &impl ToString,
) -> TemplateContext<'a> {
    let nonce = nonce(created, &place.to_string());
    TemplateContext {
        state,
        created,
        table: ValueTable::new(&nonce),
        fence,
        nonce,
        order: ShownOrder::AsSeated,
        reader: reader.to_owned(),
    }
}

/// Derives the seed of a view's marks from values that a replay shares: session seed, topic and
/// place.
fn nonce(created: &Created, place: &str) -> String {
    fence_nonce(&format!("{} {}", created.seed, created.topic.id), place)
}

fn view(messages: Vec<ViewMessage>) -> View {
    View {
        messages,
        request_sha256: String::new(),
    }
}
