//! People on seats: what they are asked, and what their answers become.

use super::call;
use super::error::DriverError;
use super::game::Game;
use super::observe::{Answer, People, Question, QuestionKind, VerdictForm};
use super::ruling;
use super::session::Session;
use crate::debate::State;
use crate::debate::event::{
    Author, Event, FeedbackWritten, Judged, Outcome, Player, Replied, Reply,
};
use crate::debate::step::Step;
use crate::judge::{self, Reading, Rubric};
use crate::prompt;

/// Returns what a person is asked at an open step, with what the seat is shown.
///
/// # Errors
/// When a template fails, or the step is nothing a person can do.
pub(super) fn question(state: &State, game: &Game, step: &Step) -> Result<Question, DriverError> {
    let (view, kind) = match step {
        Step::AwaitJudge(judge) => {
            let rubric = state
                .protocol()
                .and_then(|protocol| protocol.judging(&judge.judging))
                .and_then(|judging| judging.rubric.clone())
                .unwrap_or_default();
            let (Some(frame), Some(found)) = (game.frame(&rubric), game.rubrics.get(&rubric))
            else {
                return Err(DriverError::Invalid(format!(
                    "the session holds no rubric '{rubric}'"
                )));
            };
            let kind = QuestionKind::Verdict {
                judge: judge.clone(),
                labels: frame.labels.clone(),
                form: form(found),
                rubric: Box::new(found.clone()),
            };
            (
                prompt::judge_view(&game.engine, state, judge, &frame)?,
                kind,
            )
        }
        Step::AwaitFeedback(chair) | Step::WriteFeedback(chair) => (
            prompt::feedback_view(&game.engine, state, chair)?,
            QuestionKind::Lesson(chair.clone()),
        ),
        Step::AwaitSpeaker(speak) | Step::Speak(speak) => (
            prompt::speaker_view(&game.engine, state, speak)?,
            QuestionKind::Turn(speak.clone()),
        ),
        Step::Retrieve
        | Step::RetrieveGuards
        | Step::Guard(_)
        | Step::Recite(_)
        | Step::Refuse(_)
        | Step::Judge(_)
        | Step::Grade { .. } => {
            return Err(DriverError::Invalid(format!(
                "step '{}' is nothing a person can be asked",
                step.id()
            )));
        }
    };
    Ok(Question { view, kind })
}

/// A label alone is no reply where the rubric's schema asks for more.
pub(super) fn form(rubric: &Rubric) -> VerdictForm {
    let reads = |says: &str| matches!(judge::read(rubric, says), Outcome::Label(_));
    match rubric.reading {
        Reading::LastLine => VerdictForm::LabelAfterReasons,
        Reading::LlamaGuard
        | Reading::Json
        | Reading::Moderation
        | Reading::FirstWord
        | Reading::NamedFields
            if rubric.labels.iter().all(|label| reads(&label.says)) =>
        {
            VerdictForm::Label
        }
        Reading::LlamaGuard
        | Reading::Json
        | Reading::Moderation
        | Reading::FirstWord
        | Reading::NamedFields => VerdictForm::Whole,
    }
}

/// Returns the event that a person's answer becomes; `None` when they left.
pub(super) fn answered(
    session: &Session,
    step: Step,
    question: Question,
    answer: Answer,
) -> Option<Event> {
    let state = &session.state;
    let reader = match &step {
        Step::AwaitSpeaker(speak) => Some(speak.turn.clone()),
        _ => None,
    };
    let view = Some(prompt::compact(state, reader.as_ref(), question.view));
    let reply = |text: String| Reply {
        text,
        ..Reply::default()
    };
    Some(match (step, answer) {
        (_, Answer::Left) => return None,
        (Step::AwaitSpeaker(speak), Answer::Text(text)) => {
            let schema = state
                .protocol()
                .and_then(|protocol| protocol.stage(&speak.turn.stage))
                .and_then(|stage| stage.output.as_ref());
            Event::Replied(Box::new(Replied {
                fields: schema.map(|schema| judge::fields(schema, &text)),
                turn: speak.turn,
                attempt: speak.attempt,
                view,
                reply: reply(text),
                call: None,
                guardrail: None,
            }))
        }
        (Step::AwaitFeedback(_), Answer::Text(text)) => {
            Event::FeedbackWritten(Box::new(FeedbackWritten {
                entry: call::entry_id(&session.id),
                view,
                reply: reply(text),
            }))
        }
        (Step::AwaitJudge(judge), Answer::Text(text)) => {
            let outcome = ruling::read_verdict(
                state.protocol(),
                &session.game,
                &judge,
                &reply(text.clone()),
            );
            Event::Judged(Box::new(Judged {
                judging: judge.judging,
                chair: judge.chair.index,
                target: judge.target,
                order: judge.order,
                attempt: judge.attempt,
                outcome,
                view,
                reply: Some(reply(text)),
            }))
        }
        _ => return None,
    })
}

/// Returns who answers for a step: the person that the cast names, else whoever is there.
pub(super) fn person_at(session: &Session, step: &Step, people: &dyn People) -> Author {
    let chair = match step {
        Step::Speak(speak)
        | Step::AwaitSpeaker(speak)
        | Step::Recite(speak)
        | Step::Refuse(speak) => Some(&speak.turn.chair),
        Step::Judge(judge) | Step::AwaitJudge(judge) => Some(&judge.chair),
        Step::WriteFeedback(chair) | Step::AwaitFeedback(chair) | Step::Guard(chair) => Some(chair),
        Step::Retrieve | Step::RetrieveGuards | Step::Grade { .. } => None,
    };
    let player = chair.and_then(|chair| session.state.created()?.player(chair));
    let named = match player {
        Some(Player::Human { name }) => name.clone(),
        Some(Player::Model(_) | Player::Fixed(_)) | None => None,
    };
    Author::Person(named.unwrap_or_else(|| people.name()))
}
