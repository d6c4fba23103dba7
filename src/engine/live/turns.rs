//! Turns that somebody changes: fresh attempts, edits, choices. Only what nothing has seen.

use super::orders::{NotDone, check_text, refused};
use super::tiding::MAX_REROLLS;
use crate::debate::event::{Event, Player};
use crate::debate::ids::{AttemptId, Chair, TurnId};
use crate::debate::step::{Speak, Step, StepId};
use crate::debate::{Onlooker, State};
use crate::driver::call;
use crate::driver::play::Play;
use crate::driver::session::Session;

impl Play<'_> {
    pub(super) async fn reroll(
        &mut self,
        session: &mut Session,
        turn: &TurnId,
        attempts: u32,
    ) -> Result<(), NotDone> {
        if !(1..=MAX_REROLLS).contains(&attempts) {
            return refused(format!(
                "{attempts} attempts cannot be asked for; ask for 1 to {MAX_REROLLS}"
            ));
        }
        self.fresh(session, turn, attempts, None).await
    }

    pub(super) async fn ask_again(
        &mut self,
        session: &mut Session,
        turn: &TurnId,
    ) -> Result<(), NotDone> {
        let chosen = session.state.chosen(turn);
        let sent_back = chosen.and_then(|(_, attempt)| attempt.instead_of);
        let retry = sent_back.map(|sent| sent.rule);
        self.fresh(session, turn, 1, retry).await
    }

    async fn fresh(
        &mut self,
        session: &mut Session,
        turn: &TurnId,
        attempts: u32,
        retry: Option<usize>,
    ) -> Result<(), NotDone> {
        self.take_up(session).await?;
        self.check_model(&session.state, &turn.chair)?;
        if !session.state.is_settled(turn) {
            return refused("the turn is not spoken yet; play it first");
        }
        self.check_unseen(session, turn).await?;
        let known = session.state.turns().get(turn);
        let first = known.map_or(0, crate::debate::TurnState::next_reroll);
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
            let call = call::prepare(&session.state, &session.game, seats, &step, None)?;
            let Some(mut call) = call else {
                return refused("nobody sits there who could be asked");
            };
            call.id = StepId::of_reroll(&attempt);
            self.enqueue_or_refuse(&session.state, call)?;
            self.hand()?.rerolls.begin(&attempt);
        }
        Ok(())
    }

    pub(super) async fn judge(
        &mut self,
        session: &mut Session,
        attempt: &AttemptId,
    ) -> Result<(), NotDone> {
        self.take_up(session).await?;
        let judges = session.state.judges_of(attempt);
        if judges.is_empty() {
            return refused(
                "no model is to judge it, or every one has; look at the rules of judging",
            );
        }
        for judge in judges {
            let step = Step::Judge(judge);
            if self.running.contains_key(&step.id()) {
                continue;
            }
            let seats = self.table.seats;
            let call = call::prepare(&session.state, &session.game, seats, &step, None)?;
            let Some(call) = call else {
                return refused("nobody sits there who could be asked");
            };
            self.enqueue_or_refuse(&session.state, call)?;
        }
        Ok(())
    }

    pub(super) fn check_model(&self, state: &State, chair: &Chair) -> Result<(), NotDone> {
        match state.created().and_then(|created| created.player(chair)) {
            Some(Player::Model(_)) => Ok(()),
            Some(Player::Human { .. }) => refused("a person sits there; edit the turn instead"),
            Some(Player::Fixed(_)) => {
                refused("what is said there is written down; edit the turn instead")
            }
            None => refused("nobody has that seat; look at the cast"),
        }
    }

    pub(super) async fn edit(
        &mut self,
        session: &mut Session,
        turn: TurnId,
        text: String,
    ) -> Result<(), NotDone> {
        check_text(&text)?;
        self.take_up(session).await?;
        let Some(known) = session.state.turns().get(&turn) else {
            return refused("the turn is not spoken yet; answer it to speak in its place");
        };
        let attempt = u32::try_from(known.attempts.len()).unwrap_or(u32::MAX);
        self.check_unseen(session, &turn).await?;
        let event = Event::Edited {
            turn: turn.clone(),
            attempt,
            text,
        };
        self.change(session, &turn, event).await
    }

    pub(super) async fn choose(
        &mut self,
        session: &mut Session,
        attempt: AttemptId,
    ) -> Result<(), NotDone> {
        self.take_up(session).await?;
        self.check_unseen(session, &attempt.turn).await?;
        let turn = attempt.turn.clone();
        self.change(session, &turn, Event::Chosen { attempt }).await
    }

    pub(super) async fn change(
        &mut self,
        session: &mut Session,
        turn: &TurnId,
        event: Event,
    ) -> Result<(), NotDone> {
        let author = self.person();
        self.record(session, vec![(author, event)]).await?;
        self.hand()?.withdraw_viewers(&session.state, turn);
        Ok(())
    }

    /// Refuses to change a turn that anything has been shown, or is about to be.
    pub(super) async fn check_unseen(
        &mut self,
        session: &mut Session,
        turn: &TurnId,
    ) -> Result<(), NotDone> {
        if self.hand()?.rerolls.is_going(turn) {
            return refused("fresh attempts of it are on their way; wait for them, or stop them");
        }
        let state = &session.state;
        if self
            .running
            .keys()
            .any(|id| id.turn().as_ref() == Some(turn))
        {
            return refused("a call for this turn is in flight; stop it first, or wait for it");
        }
        let opening = state.open();
        let mut running = opening
            .steps
            .iter()
            .filter(|step| self.running.contains_key(&step.id()));
        if let Some(step) = running.find(|step| state.would_see(step, turn)) {
            return refused(format!(
                "'{}' is being asked about it; stop that call first, or fork before the turn",
                step.id()
            ));
        }
        let stopped = matches!(state.seen_by(turn), Some(Onlooker::Call(_)));
        if stopped && self.running.is_empty() && state.failures().is_empty() {
            // Nothing came of what was stopped, and nobody waits for it.
            self.resume(session).await?;
        }
        match session.state.seen_by(turn) {
            None => Ok(()),
            Some(Onlooker::Call(step)) => refused(format!(
                "the stopped call '{step}' was shown it; wait until nothing is in flight, retry \
                 what failed, and do it again, or fork before the turn"
            )),
            Some(onlooker) => refused(format!(
                "{turn} has been seen by {onlooker}; fork before it to change it"
            )),
        }
    }
}
