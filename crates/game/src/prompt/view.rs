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
use crate::debate::step::{Judge, LessonStep, ShownOrder, Speak, StepId, Target};
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
    let first_event = state.first_event().ok_or(PromptError::NotBegun)?;
    let turn = &speak.turn;
    let stage = stage_of(first_event, turn)?;
    let context = build_context(
        state,
        first_event,
        &turn.chair.to_string(),
        FenceMode::Open,
        turn,
    );
    let speaker = Speaker {
        engine,
        context: &context,
        style: first_event.protocol.style_of(stage),
        shown: BTreeSet::new(),
        told: BTreeSet::new(),
        documents: 0,
        memory: false,
    };
    let mut messages = speaker.build_messages(turn, stage)?;
    if let Some(at) = speak.retry {
        messages.extend(retry_messages(engine, &context, turn, stage, at)?);
    }
    Ok(build_view(messages))
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
    let first_event = state.first_event().ok_or(PromptError::NotBegun)?;
    let protocol = &first_event.protocol;
    let judging = protocol
        .find_judging(&judge.judging)
        .ok_or_else(|| PromptError::NoSuchPlace(judge.judging.to_string()))?;
    let reader_name = format!("{} {}", judge.judging, judge.chair);
    let place = format!("{reader_name} {}", judge.target);
    let mut context = build_context(state, first_event, &reader_name, frame.fence, &place);
    context.order = judge.order;
    let last = state.last_round();
    let (reader, round) = match &judge.target {
        Target::Attempt(attempt) => {
            let reader = ReaderPosition::from_examined_turn(protocol, &attempt.turn);
            (reader, attempt.turn.round)
        }
        Target::Round(round) => (ReaderPosition::from_round_end(protocol, *round), *round),
        Target::Debate => (ReaderPosition::from_round_end(protocol, last), last),
    };
    let sees = &judging.sees;
    let mut values = context.common_values(sees, round, Style::Single);
    values.insert("documents", context.document_values(sees, round, 0).0);
    values.insert("memory", context.memory_values(sees, &judge.chair.seat));
    let turns = visibility::find_visible_turns(protocol, sees, reader);
    values.insert("turns", context.turn_values(sees, turns, None));
    let mut told_rulings = BTreeSet::new();
    values.insert(
        "rulings",
        context.ruling_values(sees, reader, &mut told_rulings),
    );
    values.insert("reasoning", context.private_values(sees, reader));
    values.insert("me", context.reader_value(&judge.chair));
    values.insert("persona", context.persona_value(&judge.chair));
    values.insert("target", target_value(&context, &judge.target)?);
    values.insert("labels", label_values(&context, frame));
    if judging.grades.is_some() {
        // Nobody else's templates have these.
        values.extend(context.reference_values());
    }
    let mut view = render_all(engine, &frame.template, &context, values)?;
    let repair = repair_messages(engine, &context, judging, judge)?;
    view.messages.extend(repair);
    Ok(view)
}

/// Builds the view of the seat that writes a lesson of a debate.
///
/// # Errors
/// When the template is missing or fails, with its line.
pub fn feedback_view(
    engine: &Engine,
    state: &State,
    lesson: &LessonStep,
) -> Result<View, PromptError> {
    let first_event = state.first_event().ok_or(PromptError::NotBegun)?;
    let protocol = &first_event.protocol;
    let place = StepId::feedback_step(lesson.learner.as_ref());
    let feedback = protocol
        .find_feedback(lesson.learner.as_ref())
        .ok_or_else(|| PromptError::NoSuchPlace(place.to_string()))?;
    let chair = &lesson.chair;
    let learner = lesson.learner.as_ref().map(|seat| Chair {
        seat: seat.clone(),
        index: 0,
    });
    let context = build_context(
        state,
        first_event,
        &chair.to_string(),
        FenceMode::Marks,
        &place,
    );
    let last = state.last_round();
    let sees = &feedback.sees;
    let mut values = context.common_values(sees, last, Style::Single);
    values.insert("documents", context.document_values(sees, last, 0).0);
    // Who learns is shown what it thought in private; nobody else's author is.
    let reader = ReaderPosition::from_debate_end(protocol, last, learner.as_ref());
    let turns = visibility::find_visible_turns(protocol, sees, reader);
    values.insert("turns", context.turn_values(sees, turns, learner.as_ref()));
    let mut told_rulings = BTreeSet::new();
    values.insert(
        "rulings",
        context.ruling_values(sees, reader, &mut told_rulings),
    );
    values.insert("reasoning", context.private_values(sees, reader));
    let (decisions, rewards) = context.reward_values(sees, learner.as_ref());
    values.insert("decisions", decisions);
    values.insert("rewards", rewards);
    let learner_value = learner
        .as_ref()
        .map(|learner| context.reader_value(learner));
    values.insert("learner", learner_value.unwrap_or_else(|| Value::from(())));
    values.insert("me", context.reader_value(chair));
    values.insert("persona", context.persona_value(chair));
    render_all(engine, feedback.template_name(), &context, values)
}

struct Speaker<'a> {
    engine: &'a Engine,
    context: &'a TemplateContext<'a>,
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
    fn build_messages(
        mut self,
        turn: &TurnId,
        stage: &Stage,
    ) -> Result<Vec<ViewMessage>, PromptError> {
        let first_event = self.context.created;
        let mut messages = Vec::new();
        for own in self.own_turns(turn, stage) {
            let own_stage = stage_of(first_event, &own)?;
            let Some((id, attempt)) = self.context.state.chosen_attempt(&own) else {
                continue;
            };
            messages.extend(self.render_turn(&own, own_stage, messages.is_empty())?);
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
        messages.extend(self.render_turn(turn, stage, first)?);
        Ok(messages)
    }

    /// Returns the seat's earlier turns that are part of its conversation.
    fn own_turns(&self, turn: &TurnId, stage: &Stage) -> Vec<TurnId> {
        if self.style == Style::Single {
            return Vec::new();
        }
        let protocol = &self.context.created.protocol;
        let reader = ReaderPosition::from_spoken_turn(protocol, turn);
        let mut own: Vec<TurnId> = visibility::find_visible_turns(protocol, &stage.sees, reader)
            .into_iter()
            .filter(|seen| seen.chair == turn.chair)
            .collect();
        own.extend(visibility::find_private_turns(
            protocol,
            &stage.sees,
            reader,
        ));
        // Some servers reject a message without a word in it.
        own.retain(|seen| {
            let seen_attempt = self.context.state.chosen_attempt(seen);
            seen_attempt.is_some_and(|(_, attempt)| !attempt.is_empty_reply())
        });
        own.sort_by_key(|seen| (seen.round, protocol.stage_place(&seen.stage)));
        own
    }

    fn render_turn(
        &mut self,
        turn: &TurnId,
        stage: &Stage,
        first: bool,
    ) -> Result<Vec<ViewMessage>, PromptError> {
        let context = self.context;
        let first_event = context.created;
        let protocol = &first_event.protocol;
        let sees = &stage.sees;
        let reader = ReaderPosition::from_spoken_turn(protocol, turn);
        let mut new: Vec<TurnId> = visibility::find_visible_turns(protocol, sees, reader)
            .into_iter()
            .filter(|seen| !self.shown.contains(seen))
            .collect();
        let own_verdicts = self.own_verdicts(turn, sees);
        if self.style == Style::Dialogue {
            new.retain(|seen| seen.chair != turn.chair);
        }
        self.shown.extend(new.iter().cloned());
        let mut values = context.common_values(sees, turn.round, self.style);
        let (documents, until) = context.document_values(sees, turn.round, self.documents);
        self.documents = until;
        values.insert("documents", documents);
        let nothing = || Value::from(Vec::<Value>::new());
        values.insert(
            "memory",
            if self.memory {
                nothing()
            } else {
                context.memory_values(sees, &turn.chair.seat)
            },
        );
        self.memory |= sees.memory;
        values.insert("turns", context.turn_values(sees, new, Some(&turn.chair)));
        values.insert(
            "rulings",
            context.ruling_values(sees, reader, &mut self.told),
        );
        values.insert("reasoning", self.reasoning_values(turn, sees));
        values.insert("my_verdicts", own_verdicts);
        values.insert("me", context.reader_value(&turn.chair));
        values.insert("persona", context.persona_value(&turn.chair));
        values.insert("stance", context.stance_value(&turn.chair));
        values.insert("draw", context.draw_values(stage, turn));
        values.insert("first", Value::from(first));
        values.insert("retry", Value::from(()));
        let template = protocol.template_name(stage, &turn.chair.seat);
        if !self.engine.has_section(template, MessageRole::User) {
            return Err(PromptError::NoUserSection(template.to_owned()));
        }
        self.engine
            .render(template, &context.table, &values, |role| match role {
                MessageRole::System => first,
                MessageRole::User | MessageRole::Assistant => true,
            })
    }

    /// Returns the verdicts on the seat's own turns, for experiments that reveal them.
    fn own_verdicts(&self, turn: &TurnId, sees: &Sees) -> Value {
        let context = self.context;
        let protocol = &context.created.protocol;
        let reader = ReaderPosition::from_spoken_turn(protocol, turn);
        let mut own: Vec<TurnId> = visibility::find_visible_turns(protocol, sees, reader)
            .into_iter()
            // In the single style they are shown with the turns themselves.
            .filter(|seen| {
                sees.verdicts
                    && self.style == Style::Dialogue
                    && seen.chair == turn.chair
                    && !context.state.is_empty_turn(seen)
            })
            .collect();
        // In a conversation each verdict is shown once, after its turn.
        own.drain(..own.len().saturating_sub(1));
        let verdicts: Vec<Value> = own
            .into_iter()
            .filter_map(|seen| {
                let (id, _) = context.state.chosen_attempt(&seen)?;
                Some(Value::from_pairs([
                    ("round", Value::from(seen.round)),
                    ("verdict", context.verdict_value(&id)),
                ]))
            })
            .collect();
        Value::from(verdicts)
    }

    /// Returns private reasoning for the single style; in a conversation it is a message.
    fn reasoning_values(&self, turn: &TurnId, sees: &Sees) -> Value {
        if self.style == Style::Dialogue || sees.own_private == OwnPrivate::None {
            return Value::from(Vec::<Value>::new());
        }
        let protocol = &self.context.created.protocol;
        let reader = ReaderPosition::from_spoken_turn(protocol, turn);
        self.context.private_values(sees, reader)
    }
}

fn target_value(context: &TemplateContext<'_>, target: &Target) -> Result<Value, PromptError> {
    let Target::Attempt(id) = target else {
        return Ok(Value::from(()));
    };
    let attempt = context
        .state
        .turns()
        .get(&id.turn)
        .and_then(|turn| turn.attempts.get(id.attempt as usize))
        .ok_or_else(|| PromptError::NoSuchPlace(id.to_string()))?;
    Ok(Value::from_pairs([
        ("label", Value::from(context.chair_label(&id.turn.chair))),
        ("seat", Value::from(id.turn.chair.seat.as_str())),
        ("round", Value::from(id.turn.round)),
        ("stage", Value::from(id.turn.stage.as_str())),
        (
            "text",
            context.authored_text(PartSource::Turn(id.clone()), &attempt.reply.text),
        ),
    ]))
}

/// Returns the labels that a judge may give.
pub(super) fn label_values(context: &TemplateContext<'_>, frame: &JudgeFrame) -> Value {
    let mark = frame.marks_label.then(|| draw_label_mark(&context.nonce));
    let labels = frame.labels.iter().map(|label| {
        let says = match &mark {
            None => Value::from(label.says.as_str()),
            Some(mark) => {
                let line = mark_label_line(&label.says, mark);
                context.table.tag_text(PartSource::LabelLine, line)
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
    context: &TemplateContext<'_>,
    values: Values,
) -> Result<View, PromptError> {
    Ok(build_view(engine.render(
        template,
        &context.table,
        &values,
        |_| true,
    )?))
}

fn stage_of<'a>(created: &'a Created, turn: &TurnId) -> Result<&'a Stage, PromptError> {
    created
        .protocol
        .find_stage(&turn.stage)
        .ok_or_else(|| PromptError::NoSuchPlace(turn.to_string()))
}

pub(super) fn build_context<'a>(
    state: &'a State,
    created: &'a Created,
    reader: &str,
    fence: FenceMode,
    place: &impl ToString,
) -> TemplateContext<'a> {
    let nonce = derive_nonce(created, &place.to_string());
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
fn derive_nonce(created: &Created, place: &str) -> String {
    fence_nonce(&format!("{} {}", created.seed, created.topic.id), place)
}

fn build_view(messages: Vec<ViewMessage>) -> View {
    View {
        messages,
        request_sha256: String::new(),
    }
}
