//! Answers of people: on their own seats, or in place of a model.

use super::commands::{CommandError, check_text, refused};
use super::idle::failed_steps;
use crate::engine::observer::PersonAnswer;
use crate::engine::play::Play;
use crate::engine::seats::{answered, person_at, question};
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
        if id.rerolled().is_some() {
            return refused("this is a fresh attempt; edit the turn instead");
        }
        self.resume_if_left(session).await?;
        let Some(running) = self.running.get(&id) else {
            return self.answer(session, &id, text).await;
        };
        running.cancel.cancel();
        self.controller()?.takeovers.insert(id, text);
        Ok(())
    }

    pub(crate) async fn answer(
        &mut self,
        session: &mut Session,
        id: &StepId,
        text: String,
    ) -> Result<(), CommandError> {
        let state = &session.state;
        // A person may do what a model could not.
        let steps = state.open().steps.into_iter().chain(failed_steps(state));
        let Some(step) = steps.into_iter().find(|step| &step.id() == id) else {
            return refused("this step is not open any more; edit the turn, or fork before it");
        };
        let step = match step {
            Step::Speak(speak) | Step::AwaitSpeaker(speak) => Step::AwaitSpeaker(speak),
            Step::Judge(judge) | Step::AwaitJudge(judge) => Step::AwaitJudge(judge),
            Step::WriteFeedback(chair) | Step::AwaitFeedback(chair) => Step::AwaitFeedback(chair),
            Step::Refuse(_) => {
                return refused("a guardrail refuses this turn; play on, then edit it");
            }
            Step::Retrieve
            | Step::RetrieveGuards
            | Step::Guard(_)
            | Step::Recite(_)
            | Step::Grade { .. } => {
                return refused("this step asks no person; play on instead");
            }
        };
        if self.controller()?.is_held_by_rerolls(state, &step) {
            return refused("it waits for fresh attempts of what it is shown; wait, or stop them");
        }
        let question = question(state, &session.game, &step)?;
        let author = person_at(session, &step, self.table.people);
        let Some(event) = answered(session, step, question, PersonAnswer::Text(text)) else {
            return refused("this step takes no answer; play on instead");
        };
        self.record(session, vec![(author, event)]).await?;
        self.controller()?.withdraw(|asked, _| asked == id);
        Ok(())
    }
}
