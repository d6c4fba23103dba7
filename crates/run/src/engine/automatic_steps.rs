//! Automatic steps: graders, detectors, scripted and refused turns. Asks no model and no person.

use elenchus_game::debate::event::{
    Event, Failed, FailureKind, Fields, Finish, Judged, Outcome, Player, Replied, Reply,
};
use elenchus_game::debate::ids::JudgingId;
use elenchus_game::debate::protocol::{Detector, DocumentsSeen, Judging};
use elenchus_game::debate::state::{Attempt, field};
use elenchus_game::debate::step::{ShownOrder, Speak, Step, Target};
use elenchus_game::debate::visibility::{self, ReaderPosition};
use elenchus_game::debate::{AttemptId, State, TurnId};
use elenchus_game::judge::{self, GradedText, Material, ReplyEnding, TurnAuthor, TurnText};
use elenchus_model::sim::without_marks;
use serde_json::Value;
use std::borrow::Cow;

/// Returns what a grader or detector finds.
pub(crate) fn applied(state: &State, id: &JudgingId, target: &Target) -> Event {
    let found = state
        .protocol()
        .and_then(|protocol| protocol.judging(id))
        .and_then(|judging| match judging.detector {
            Some(detector) => detected(state, judging, detector, target),
            None => graded(state, judging, target),
        });
    Event::Judged(Box::new(Judged {
        judging: id.clone(),
        chair: 0,
        target: target.clone(),
        order: ShownOrder::AsSeated,
        attempt: 0,
        outcome: found.unwrap_or_else(|| unparsed("there is nothing to compare")),
        view: None,
        reply: None,
    }))
}

/// Looks for a pattern in a turn, given the turns that the rule sees.
fn detected(
    state: &State,
    judging: &Judging,
    detector: Detector,
    target: &Target,
) -> Option<Outcome> {
    let created = state.created()?;
    let protocol = &created.protocol;
    let Target::Attempt(id) = target else {
        return None;
    };
    let known = state.turns().get(&id.turn)?;
    let examined = Unmarked::of(&id.turn, known.attempts.get(id.attempt as usize)?);
    let reader = ReaderPosition::examining(protocol, &id.turn);
    let visible = visibility::visible(protocol, &judging.sees, reader);
    let seen: Vec<Unmarked<'_>> = visible
        .iter()
        .filter(|turn| !state.is_empty_turn(turn))
        .filter_map(|turn| Some(Unmarked::of(turn, state.chosen(turn)?.1)))
        .collect();
    let seen: Vec<TurnText<'_>> = seen.iter().map(|turn| turn.said(id)).collect();
    let documents = &created.topic.documents;
    let given = match judging.sees.documents {
        // A rule that does not say which documents it is about is about all of them.
        DocumentsSeen::None | DocumentsSeen::All => documents.len(),
        by_round @ DocumentsSeen::ByRound => by_round.shown(documents.len(), id.turn.round),
    };
    let documents = documents.get(..given).unwrap_or(documents);
    Some(judge::detect(
        detector,
        &examined.said(id),
        &seen,
        documents,
    ))
}

/// A turn without the marks of simulated replies: to a detector they would be words that every turn
/// has in common.
struct Unmarked<'a> {
    turn: &'a TurnId,
    text: Cow<'a, str>,
    fields: Option<Value>,
}

impl<'a> Unmarked<'a> {
    fn of(turn: &'a TurnId, attempt: &'a Attempt) -> Self {
        Self {
            turn,
            text: without_marks(&attempt.reply.text),
            fields: match &attempt.fields {
                Some(Fields::Read(fields)) => Some(unmarked(fields)),
                Some(Fields::Unparsed { .. }) | None => None,
            },
        }
    }

    fn said(&self, examined: &AttemptId) -> TurnText<'_> {
        TurnText {
            seat: self.turn.chair.seat.as_str(),
            round: self.turn.round,
            stage: self.turn.stage.as_str(),
            whose: if self.turn.chair == examined.turn.chair {
                TurnAuthor::Own
            } else {
                TurnAuthor::Other
            },
            text: &self.text,
            fields: self.fields.as_ref(),
        }
    }
}

/// Takes marks out of every text of a structured reply.
fn unmarked(value: &Value) -> Value {
    match value {
        Value::String(text) => Value::from(without_marks(text)),
        Value::Array(items) => items.iter().map(unmarked).collect(),
        Value::Object(fields) => {
            let fields = fields.iter();
            Value::Object(
                fields
                    .map(|(key, of)| (key.clone(), unmarked(of)))
                    .collect(),
            )
        }
        Value::Null | Value::Bool(_) | Value::Number(_) => value.clone(),
    }
}

/// Compares an answer with the reference answer.
fn graded(state: &State, judging: &Judging, target: &Target) -> Option<Outcome> {
    let reference = state.created()?.topic.reference.as_ref()?;
    let (grader, version) = (judging.grader?, judging.grader_version);
    let grade = |graded| Some(judge::grade(grader, version, reference, graded));
    match target {
        Target::Attempt(id) => {
            let turn = state.turns().get(&id.turn)?;
            let attempt = turn.attempts.get(id.attempt as usize)?;
            let (text, ending) = (attempt.reply.text.as_str(), ending(&attempt.reply));
            match answer_of_turn(judging, attempt) {
                None => grade(GradedText::Reply { text, ending }),
                Some(Ok(answer)) => grade(GradedText::Field(&answer)),
                Some(Err(why)) => grade(GradedText::NoField {
                    text,
                    ending,
                    why: &why,
                }),
            }
        }
        Target::Debate => match answer_of_verdict(state, judging) {
            Ok(answer) => grade(GradedText::Field(&answer)),
            // What a judge did not say is no answer of a debater.
            Err(why) => Some(unparsed(&why)),
        },
        Target::Round(_) => None,
    }
}

fn ending(reply: &Reply) -> ReplyEnding {
    match reply.finish {
        Finish::Length => ReplyEnding::Cut,
        Finish::Stop | Finish::Other(_) => ReplyEnding::Whole,
    }
}

/// Returns the field of a turn's answer, or why it has none; `None` where the rule grades the whole
/// turn.
fn answer_of_turn(judging: &Judging, attempt: &Attempt) -> Option<Result<String, String>> {
    let answer = judging.answer.as_ref()?;
    Some(match &attempt.fields {
        Some(Fields::Read(fields)) => text_at(fields, &answer.field),
        Some(Fields::Unparsed { why }) => Err(format!("the reply could not be read: {why}")),
        None => Err("the reply has no fields".to_owned()),
    })
}

/// Takes the answer from the last verdict of the rule that states it.
fn answer_of_verdict(state: &State, judging: &Judging) -> Result<String, String> {
    let nothing = || "the rule that states the answer found nothing".to_owned();
    let answer = judging.answer.as_ref().ok_or_else(nothing)?;
    let rule = answer
        .judging
        .as_ref()
        .zip(state.protocol())
        .and_then(|(id, protocol)| protocol.judging(id))
        .ok_or_else(nothing)?;
    match state.conclusion(rule) {
        Some(Outcome::Label(finding)) => text_at(&finding.fields, &answer.field),
        Some(Outcome::Unparsed { why, .. }) => Err(format!("the verdict could not be read: {why}")),
        None => Err(nothing()),
    }
}

fn text_at(fields: &Value, path: &str) -> Result<String, String> {
    match field(fields, path) {
        Some(Value::String(text)) => Ok(text.clone()),
        Some(value) if !value.is_null() => Ok(value.to_string()),
        Some(_) | None => Err(format!("the field '{path}' is empty")),
    }
}

fn unparsed(why: &str) -> Outcome {
    Outcome::Unparsed {
        why: why.to_owned(),
        cause: None,
    }
}

/// Returns what a chair says whose lines are written down; a failure where no line fits.
pub(super) fn recited(state: &State, speak: &Speak) -> Event {
    let turn = &speak.turn;
    let created = state.created();
    let line = match created.and_then(|created| created.player(&turn.chair)) {
        Some(Player::Fixed(fixed)) => fixed.line(turn),
        Some(Player::Model(_) | Player::Human { .. }) | None => None,
    };
    let Some(text) = line else {
        return Event::Failed(Failed {
            step: Step::Recite(speak.clone()).id(),
            kind: FailureKind::Error,
            message: format!(
                "what {} says is written down, and no line is for stage '{}' of round {}",
                turn.chair, turn.stage, turn.round
            ),
            may_have_cost_usd: None,
            may_have_used_tokens: None,
            unsent: false,
        });
    };
    let schema = created
        .and_then(|created| created.protocol.stage(&turn.stage))
        .and_then(|stage| stage.output.as_ref());
    Event::Replied(Box::new(Replied {
        turn: turn.clone(),
        attempt: speak.attempt,
        view: None,
        fields: schema.map(|schema| judge::fields(schema, text, &Material::none())),
        reply: Reply {
            text: text.to_owned(),
            // No model was asked, so there is no cost.
            cached: true,
            ..Reply::default()
        },
        call: None,
        guardrail: None,
    }))
}

/// Text that replaces a turn that a guardrail refused.
const REFUSAL: &str = "I can't help with this request.";

/// Returns the turn of a chair that a guardrail keeps from speaking.
pub(super) fn refused(state: &State, speak: &Speak) -> Event {
    Event::Replied(Box::new(Replied {
        turn: speak.turn.clone(),
        attempt: speak.attempt,
        view: None,
        reply: Reply {
            text: REFUSAL.to_owned(),
            // No model was asked, so there is no cost.
            cached: true,
            ..Reply::default()
        },
        fields: None,
        call: None,
        guardrail: state.guardrail_of(&speak.turn.chair).map(str::to_owned),
    }))
}
