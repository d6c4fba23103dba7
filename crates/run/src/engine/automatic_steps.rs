//! Automatic steps: graders, detectors, scripted and refused turns. Asks no model and no person.

use elenchus_game::debate::event::{
    Event, Failed, FailureKind, Fields, Finish, Judged, Outcome, Player, Replied, Reply,
};
use elenchus_game::debate::ids::JudgingId;
use elenchus_game::debate::protocol::{Detector, DocumentsSeen, Judging};
use elenchus_game::debate::state::{Attempt, field_at_path};
use elenchus_game::debate::step::{ShownOrder, Speak, Step, Target};
use elenchus_game::debate::visibility::{self, ReaderPosition};
use elenchus_game::debate::{AttemptId, State, TurnId};
use elenchus_game::judge::{self, GradedText, Material, ReplyEnding, TurnAuthor, TurnText};
use elenchus_model::sim::remove_markers;
use serde_json::Value;
use std::borrow::Cow;

/// Returns what a grader or detector finds.
pub(crate) fn apply_automatic_rule(state: &State, id: &JudgingId, target: &Target) -> Event {
    let outcome = state
        .protocol()
        .and_then(|protocol| protocol.find_judging(id))
        .and_then(|judging| match judging.detector {
            Some(detector) => run_detector(state, judging, detector, target),
            None => run_grader(state, judging, target),
        });
    Event::Judged(Box::new(Judged {
        judging: id.clone(),
        chair: 0,
        target: target.clone(),
        order: ShownOrder::AsSeated,
        attempt: 0,
        outcome: outcome.unwrap_or_else(|| unparsed_outcome("there is nothing to compare")),
        view: None,
        reply: None,
    }))
}

/// Looks for a pattern in a turn, given the turns that the rule sees.
fn run_detector(
    state: &State,
    judging: &Judging,
    detector: Detector,
    target: &Target,
) -> Option<Outcome> {
    let created = state.first_event()?;
    let protocol = &created.protocol;
    let Target::Attempt(id) = target else {
        return None;
    };
    let target_turn = state.turns().get(&id.turn)?;
    let examined_turn =
        Unmarked::from_attempt(&id.turn, target_turn.attempts.get(id.attempt as usize)?);
    let reader = ReaderPosition::from_examined_turn(protocol, &id.turn);
    let visible = visibility::find_visible_turns(protocol, &judging.sees, reader);
    let visible_turns: Vec<Unmarked<'_>> = visible
        .iter()
        .filter(|turn| !state.is_empty_turn(turn))
        .filter_map(|turn| Some(Unmarked::from_attempt(turn, state.chosen_attempt(turn)?.1)))
        .collect();
    let visible_texts: Vec<TurnText<'_>> = visible_turns
        .iter()
        .map(|turn| turn.as_turn_text(id))
        .collect();
    let documents = &created.topic.documents;
    let shown_count = match judging.sees.documents {
        // A rule that does not say which documents it is about is about all of them.
        DocumentsSeen::None | DocumentsSeen::All => documents.len(),
        by_round @ DocumentsSeen::ByRound => by_round.count_visible(documents.len(), id.turn.round),
    };
    let documents = documents.get(..shown_count).unwrap_or(documents);
    Some(judge::run_detector(
        detector,
        &examined_turn.as_turn_text(id),
        &visible_texts,
        &created.topic.text,
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
    fn from_attempt(turn: &'a TurnId, attempt: &'a Attempt) -> Self {
        Self {
            turn,
            text: remove_markers(&attempt.reply.text),
            fields: match &attempt.fields {
                Some(Fields::Read(fields)) => Some(remove_marks(fields)),
                Some(Fields::Unparsed { .. }) | None => None,
            },
        }
    }

    fn as_turn_text(&self, examined: &AttemptId) -> TurnText<'_> {
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
fn remove_marks(value: &Value) -> Value {
    match value {
        Value::String(text) => Value::from(remove_markers(text)),
        Value::Array(items) => items.iter().map(remove_marks).collect(),
        Value::Object(fields) => {
            let fields = fields.iter();
            Value::Object(
                fields
                    .map(|(key, of)| (key.clone(), remove_marks(of)))
                    .collect(),
            )
        }
        Value::Null | Value::Bool(_) | Value::Number(_) => value.clone(),
    }
}

/// Compares an answer with the reference answer.
fn run_grader(state: &State, judging: &Judging, target: &Target) -> Option<Outcome> {
    let reference = state.first_event()?.topic.reference.as_ref()?;
    let Some(grader) = judging.grader.as_ref()?.rules else {
        return Some(unparsed_outcome(
            "the task is open, so no rule compares an answer to it",
        ));
    };
    let version = judging.grader_version;
    let grade = |graded| Some(judge::grade_answer(grader, version, reference, graded));
    match target {
        Target::Attempt(id) => {
            let turn = state.turns().get(&id.turn)?;
            let attempt = turn.attempts.get(id.attempt as usize)?;
            let (text, ending) = (attempt.reply.text.as_str(), reply_ending(&attempt.reply));
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
            Err(why) => Some(unparsed_outcome(&why)),
        },
        Target::Round(_) => None,
    }
}

fn reply_ending(reply: &Reply) -> ReplyEnding {
    match reply.finish {
        Finish::Length => ReplyEnding::Cut,
        Finish::Stop | Finish::Other(_) => ReplyEnding::Whole,
    }
}

/// Returns the field of a turn's answer, or why it has none; `None` where the rule grades the whole
/// turn.
pub(super) fn answer_of_turn(
    judging: &Judging,
    attempt: &Attempt,
) -> Option<Result<String, String>> {
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
        .and_then(|(id, protocol)| protocol.find_judging(id))
        .ok_or_else(nothing)?;
    match state.find_conclusion(rule) {
        Some(Outcome::Label(finding)) => text_at(&finding.fields, &answer.field),
        Some(Outcome::Unparsed { why, .. }) => Err(format!("the verdict could not be read: {why}")),
        None => Err(nothing()),
    }
}

fn text_at(fields: &Value, path: &str) -> Result<String, String> {
    match field_at_path(fields, path) {
        Some(Value::String(text)) => Ok(text.clone()),
        Some(value) if !value.is_null() => Ok(value.to_string()),
        Some(_) | None => Err(format!("the field '{path}' is empty")),
    }
}

fn unparsed_outcome(why: &str) -> Outcome {
    Outcome::Unparsed {
        why: why.to_owned(),
        cause: None,
    }
}

/// Returns what a chair says whose lines are written down; a failure where no line fits.
pub(super) fn recite_turn(state: &State, speak: &Speak) -> Event {
    let turn = &speak.turn;
    let created = state.first_event();
    let line = match created.and_then(|created| created.player_of(&turn.chair)) {
        Some(Player::Fixed(fixed)) => fixed.find_line(turn),
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
        .and_then(|created| created.protocol.find_stage(&turn.stage))
        .and_then(|stage| stage.output.as_ref());
    Event::Replied(Box::new(Replied {
        turn: turn.clone(),
        attempt: speak.attempt,
        view: None,
        fields: schema.map(|schema| judge::parse_json_fields(schema, text, &Material::empty())),
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
pub(super) fn refuse_turn(state: &State, speak: &Speak) -> Event {
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
