//! Changes of turns: re-rolls, edits, choice of an attempt. Refused where anything has seen the turn.

use super::commands::{CommandError, check_text, refuse};
use super::messages::MAX_REROLLS;
use crate::engine::call;
use crate::engine::play::Play;
use elenchus_game::debate::event::{Event, Player};
use elenchus_game::debate::ids::{AttemptId, Chair, TurnId};
use elenchus_game::debate::step::{Speak, Step, StepId};
use elenchus_game::debate::{Dependent, JudgingId, State, Target};
use elenchus_records::workspace::Session;

impl Play<'_> {
    pub(crate) async fn reroll_turn(
        &mut self,
        session: &mut Session,
        turn: &TurnId,
        attempts: u32,
    ) -> Result<(), CommandError> {
        if !(1..=MAX_REROLLS).contains(&attempts) {
            return refuse(format!(
                "{attempts} attempts cannot be asked for; ask for 1 to {MAX_REROLLS}"
            ));
        }
        self.start_attempts(session, turn, attempts, None).await
    }

    pub(crate) async fn ask_again(
        &mut self,
        session: &mut Session,
        turn: &TurnId,
    ) -> Result<(), CommandError> {
        let chosen_attempt = session.state.chosen_attempt(turn);
        let sent_back = chosen_attempt.and_then(|(_, attempt)| attempt.instead_of);
        let retry = sent_back.map(|sent| sent.rule);
        self.start_attempts(session, turn, 1, retry).await
    }

    async fn start_attempts(
        &mut self,
        session: &mut Session,
        turn: &TurnId,
        attempts: u32,
        retry: Option<usize>,
    ) -> Result<(), CommandError> {
        self.resume_if_left(session).await?;
        self.check_model(&session.state, &turn.chair)?;
        if !session.state.is_settled(turn) {
            return refuse("the turn is not spoken yet; play it first");
        }
        self.check_unseen(session, turn).await?;
        let turn_state = session.state.turns().get(turn);
        let first = turn_state.map_or(0, elenchus_game::debate::TurnState::next_reroll);
        for number in 0..attempts {
            let attempt = AttemptId {
                turn: turn.clone(),
                attempt: first.saturating_add(number),
            };
            let step = Step::Speak(Speak {
                turn: turn.clone(),
                attempt: attempt.attempt,
                retry,
            });
            let seats = self.table.seats;
            let call = call::prepare_call(&session.state, &session.game, seats, &step, None)?;
            let Some(mut call) = call else {
                return refuse("no model sits there");
            };
            call.id = StepId::from_reroll(&attempt);
            self.enqueue_or_refuse(&session.state, call)?;
            self.require_controller()?.rerolls.start_reroll(&attempt);
        }
        Ok(())
    }

    pub(crate) async fn judge_attempt(
        &mut self,
        session: &mut Session,
        attempt: &AttemptId,
    ) -> Result<(), CommandError> {
        self.resume_if_left(session).await?;
        let judges = session.state.judges_of(attempt);
        if judges.is_empty() {
            return refuse(
                "no model is to judge it, or every one has; look at the rules of judging",
            );
        }
        for judge in judges {
            let step = Step::Judge(judge);
            if self.running.contains_key(&step.id()) {
                continue;
            }
            let seats = self.table.seats;
            let call = call::prepare_call(&session.state, &session.game, seats, &step, None)?;
            let Some(call) = call else {
                return refuse("no model sits there");
            };
            self.enqueue_or_refuse(&session.state, call)?;
        }
        Ok(())
    }

    pub(crate) async fn give_verdict(
        &mut self,
        session: &mut Session,
        judging: &JudgingId,
        target: &Target,
    ) -> Result<(), CommandError> {
        self.resume_if_left(session).await?;
        let steps = session.state.find_open_steps().steps;
        let is_wanted = |step: &&Step| {
            let verdict = step.as_verdict();
            verdict.is_some_and(|verdict| verdict.judging == judging && verdict.target == target)
        };
        let wanted: Vec<&Step> = steps.iter().filter(is_wanted).collect();
        if wanted.is_empty() {
            return refuse(
                "the verdict is not open: it is given, or the debate has not come to it",
            );
        }
        let allowance = &mut self.require_controller()?.allowance;
        for step in wanted {
            allowance.add_step(step);
        }
        Ok(())
    }

    pub(crate) async fn do_step(
        &mut self,
        session: &mut Session,
        id: &StepId,
    ) -> Result<(), CommandError> {
        self.resume_if_left(session).await?;
        let steps = session.state.find_open_steps().steps;
        let Some(step) = steps.iter().find(|step| &step.id() == id) else {
            return refuse("this step is not open: it is done, or the debate has not come to it");
        };
        self.require_controller()?.allowance.add_step(step);
        Ok(())
    }

    fn check_model(&self, state: &State, chair: &Chair) -> Result<(), CommandError> {
        match state
            .first_event()
            .and_then(|created| created.player_of(chair))
        {
            Some(Player::Model(_)) => Ok(()),
            Some(Player::Human { .. }) => refuse("a person sits there; edit the turn instead"),
            Some(Player::Fixed(_)) => refuse("the seat is scripted; edit the turn instead"),
            None => refuse("the cast has no such seat"),
        }
    }

    pub(crate) async fn edit_turn(
        &mut self,
        session: &mut Session,
        turn: TurnId,
        text: String,
    ) -> Result<(), CommandError> {
        check_text(&text)?;
        self.resume_if_left(session).await?;
        let Some(turn_state) = session.state.turns().get(&turn) else {
            return refuse("the turn is not spoken yet; answer it to speak in its place");
        };
        let attempt = u32::try_from(turn_state.attempts.len()).unwrap_or(u32::MAX);
        self.check_unseen(session, &turn).await?;
        let event = Event::Edited {
            turn: turn.clone(),
            attempt,
            text,
        };
        self.record_change(session, &turn, event).await
    }

    pub(crate) async fn choose_attempt(
        &mut self,
        session: &mut Session,
        attempt: AttemptId,
    ) -> Result<(), CommandError> {
        self.resume_if_left(session).await?;
        self.check_unseen(session, &attempt.turn).await?;
        let turn = attempt.turn.clone();
        self.record_change(session, &turn, Event::Chosen { attempt })
            .await
    }

    pub(crate) async fn record_change(
        &mut self,
        session: &mut Session,
        turn: &TurnId,
        event: Event,
    ) -> Result<(), CommandError> {
        let author = self.person_author();
        self.record_events(session, vec![(author, event)]).await?;
        self.require_controller()?
            .withdraw_viewers(&session.state, turn);
        Ok(())
    }

    /// Refuses to change a turn that anything has been shown, or is about to be.
    async fn check_unseen(
        &mut self,
        session: &mut Session,
        turn: &TurnId,
    ) -> Result<(), CommandError> {
        if self.require_controller()?.rerolls.is_going(turn) {
            return refuse("fresh attempts of it are on their way; wait for them, or stop them");
        }
        let state = &session.state;
        if self
            .running
            .keys()
            .any(|id| id.turn().as_ref() == Some(turn))
        {
            return refuse("a call for this turn is in flight; stop it first, or wait for it");
        }
        let opening = state.find_open_steps();
        let mut running = opening
            .steps
            .iter()
            .filter(|step| self.running.contains_key(&step.id()));
        if let Some(step) = running.find(|step| state.would_see(step, turn)) {
            return refuse(format!(
                "'{}' is being asked about it; stop that call first, or fork before the turn",
                step.id()
            ));
        }
        let has_stopped_call = matches!(state.find_dependent(turn), Some(Dependent::Call(_)));
        if has_stopped_call && self.running.is_empty() && state.failures().is_empty() {
            // A stopped call brought nothing, and no step waits for it.
            self.resume_session(session).await?;
        }
        match session.state.find_dependent(turn) {
            None => Ok(()),
            Some(Dependent::Call(step)) => refuse(format!(
                "the stopped call '{step}' was shown it; wait until nothing is in flight, retry \
                 what failed, and do it again, or fork before the turn"
            )),
            Some(onlooker) => refuse(format!(
                "{turn} has been seen by {onlooker}; fork before it to change it"
            )),
        }
    }
}
