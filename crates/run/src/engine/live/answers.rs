//! Answers of people: on their own seats, or in place of a model.

use super::commands::{CommandError, check_text, refuse};
use super::idle::failed_steps;
use crate::engine::observer::PersonAnswer;
use crate::engine::play::Play;
use crate::engine::seats::{answer_event, build_question, person_at};
use elenchus_game::debate::step::{Step, StepId};
use elenchus_records::workspace::Session;

impl Play<'_> {
    pub(super) async fn answer_or_replace_model(
        &mut self,
        session: &mut Session,
        id: StepId,
        text: String,
    ) -> Result<(), CommandError> {
        check_text(&text)?;
        if id.rerolled_attempt().is_some() {
            return refuse("this is a fresh attempt; edit the turn instead");
        }
        self.resume_if_left(session).await?;
        let Some(running) = self.running.get(&id) else {
            return self.answer_step(session, &id, text).await;
        };
        running.cancel.cancel();
        self.require_controller()?.takeovers.insert(id, text);
        Ok(())
    }

    pub(crate) async fn answer_step(
        &mut self,
        session: &mut Session,
        id: &StepId,
        text: String,
    ) -> Result<(), CommandError> {
        let state = &session.state;
        // A person may do what a model could not.
        let steps = state
            .find_open_steps()
            .steps
            .into_iter()
            .chain(failed_steps(state));
        let Some(step) = steps.into_iter().find(|step| &step.id() == id) else {
            return refuse("this step is not open any more; edit the turn, or fork before it");
        };
        let step = match step {
            Step::Speak(speak) | Step::AwaitSpeaker(speak) => Step::AwaitSpeaker(speak),
            Step::Judge(judge) | Step::AwaitJudge(judge) => Step::AwaitJudge(judge),
            Step::WriteFeedback(lesson) | Step::AwaitFeedback(lesson) => {
                Step::AwaitFeedback(lesson)
            }
            Step::Refuse(_) => {
                return refuse("a guardrail refuses this turn; play on, then edit it");
            }
            Step::Retrieve(_)
            | Step::RetrieveGuards
            | Step::SwapRewards
            | Step::Guard(_)
            | Step::DeriveGuardrail(_)
            | Step::Recite(_)
            | Step::Grade { .. } => {
                return refuse("this step asks no person; play on instead");
            }
        };
        if self.require_controller()?.is_held_by_rerolls(state, &step) {
            return refuse("it waits for fresh attempts of what it is shown; wait, or stop them");
        }
        let question = build_question(state, &session.game, &step)?;
        let author = person_at(session, &step, self.table.people);
        let Some(event) = answer_event(session, step, question, PersonAnswer::Text(text)) else {
            return refuse("this step takes no answer; play on instead");
        };
        self.record_events(session, vec![(author, event)]).await?;
        self.require_controller()?
            .withdraw_questions(|asked, _| asked == id);
        Ok(())
    }
}
