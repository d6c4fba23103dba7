//! Human seats: the question to a person, and the event of the answer.

use crate::engine::call;
use crate::engine::observer::{People, PersonAnswer, PersonQuestion, QuestionKind};
use crate::engine::verdict_event;
use elenchus_game::debate::event::{
    Author, Event, FeedbackWritten, Judged, Player, Replied, Reply,
};
use elenchus_game::debate::step::Step;
use elenchus_game::debate::{Recorded, State};
use elenchus_game::judge::{self, Material};
use elenchus_game::prompt;
use elenchus_records::library::Game;
use elenchus_records::library::verdict_form;
use elenchus_records::workspace::Session;
use elenchus_records::workspace::WorkspaceError;

/// Returns what a person is asked at an open step, with what the seat is shown.
///
/// # Errors
/// When a template fails, or the step is nothing a person can do.
pub(crate) fn build_question(
    state: &State,
    game: &Game,
    step: &Step,
) -> Result<PersonQuestion, WorkspaceError> {
    let (view, kind) = match step {
        Step::AwaitJudge(judge) => {
            let rubric = state
                .protocol()
                .and_then(|protocol| protocol.find_judging(&judge.judging))
                .and_then(|judging| judging.rubric.clone())
                .unwrap_or_default();
            let (Some(mut frame), Some(found)) =
                (game.judge_frame(&rubric), game.rubrics.get(&rubric))
            else {
                return Err(WorkspaceError::Invalid(format!(
                    "the session holds no rubric '{rubric}'"
                )));
            };
            // A person copies no mark.
            frame.marks_label = false;
            let kind = QuestionKind::Verdict {
                judge: judge.clone(),
                labels: frame.labels.clone(),
                form: verdict_form::form_of_rubric(found),
                rubric: Box::new(found.clone()),
            };
            (
                prompt::judge_view(&game.engine, state, judge, &frame)?,
                kind,
            )
        }
        Step::AwaitFeedback(lesson) | Step::WriteFeedback(lesson) => (
            prompt::feedback_view(&game.engine, state, lesson)?,
            QuestionKind::Lesson(lesson.chair.clone()),
        ),
        Step::AwaitSpeaker(speak) | Step::Speak(speak) => (
            prompt::speaker_view(&game.engine, state, speak)?,
            QuestionKind::Turn(speak.clone()),
        ),
        Step::Retrieve(_)
        | Step::RetrieveGuards
        | Step::SwapRewards
        | Step::Guard(_)
        | Step::DeriveGuardrail(_)
        | Step::Recite(_)
        | Step::Refuse(_)
        | Step::Judge(_)
        | Step::Grade { .. } => {
            return Err(WorkspaceError::Invalid(format!(
                "step '{}' is nothing a person can be asked",
                step.id()
            )));
        }
    };
    Ok(PersonQuestion { view, kind })
}

/// Returns the event that a person's answer becomes; `None` when they left.
pub(crate) fn answer_event(
    session: &Session,
    step: Step,
    question: PersonQuestion,
    answer: PersonAnswer,
) -> Option<Event> {
    let state = &session.state;
    let reader = match &step {
        Step::AwaitSpeaker(speak) => Some(speak.turn.clone()),
        _ => None,
    };
    let view = Some(prompt::compact_view(state, reader.as_ref(), question.view));
    let reply = |text: String| Reply {
        text,
        ..Reply::default()
    };
    Some(match (step, answer) {
        (_, PersonAnswer::Left) => return None,
        (Step::AwaitSpeaker(speak), PersonAnswer::Text(text)) => {
            let schema = state
                .protocol()
                .and_then(|protocol| protocol.find_stage(&speak.turn.stage))
                .and_then(|stage| stage.output.as_ref());
            Event::Replied(Box::new(Replied {
                fields: schema
                    .map(|schema| judge::parse_json_fields(schema, &text, &Material::empty())),
                turn: speak.turn,
                attempt: speak.attempt,
                view,
                reply: reply(text),
                call: None,
                guardrail: None,
            }))
        }
        (Step::AwaitFeedback(lesson), PersonAnswer::Text(text)) => {
            Event::FeedbackWritten(Box::new(FeedbackWritten {
                entry: call::entry_id(&session.id, lesson.learner.as_ref()),
                learner: lesson.learner,
                view: view.as_ref().map(Recorded::from),
                reply: reply(text),
            }))
        }
        (Step::AwaitJudge(judge), PersonAnswer::Text(text)) => {
            let outcome = verdict_event::read_verdict(
                state.protocol(),
                &session.game,
                &judge,
                &reply(text.clone()),
                // A person types no quotations of what is judged.
                &Material::empty(),
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

/// Returns the author of a person's answer: the person that the cast names, else the person present.
pub(crate) fn person_at(session: &Session, step: &Step, people: &dyn People) -> Author {
    let chair = step.chair();
    let player = chair.and_then(|chair| session.state.first_event()?.player_of(chair));
    let cast_name = match player {
        Some(Player::Human { name }) => name.clone(),
        Some(Player::Model(_) | Player::Fixed(_)) | None => None,
    };
    Author::Person(cast_name.unwrap_or_else(|| people.name()))
}
