//! Controller of the session: reading needs no lock; the first change takes one, and seen turns are
//! changed in a fork.

use super::actions::key;
use super::{Debate, Message, tasks};
use crate::tui::app::{Effect, say, warn};
use crate::tui::components::session_lock::Hold;
use crate::tui::keys::Action;
use crate::tui::theme::Role;
use elenchus_game::debate::TurnId;
use elenchus_game::debate::step::{Performer, Step};
use elenchus_records::workspace::Reopen;
use elenchus_records::workspace::annotations::Annotation;
use elenchus_run::engine::live::LiveCommand;
use elenchus_view::{Act, ActHistory, Reversal};

/// Control of a session.
#[derive(Debug, Default)]
pub(super) struct SessionControl {
    /// This process has its lock.
    pub(super) is_taken: bool,
    pub(super) acts: ActHistory,
    /// A fork is being made.
    pub(super) forking: bool,
    /// A pace was given and is not used up.
    pub(super) playing: bool,
    pub(super) follows: Follows,
}

/// Whose turn is looked at when it begins, where one pane alone is shown.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(super) enum Follows {
    /// What the person chose to look at stays.
    #[default]
    Nobody,
    /// Whoever speaks next.
    Next,
    /// Everybody who speaks, until the person looks elsewhere.
    All,
}

impl SessionControl {
    /// The lock is not ours, or not any more.
    pub(super) fn let_go(&mut self) {
        self.is_taken = false;
        self.playing = false;
        self.follows = Follows::Nobody;
    }
}

impl Debate {
    /// Gives an order, taking the session first where that is needed.
    pub(super) fn order(&mut self, order: LiveCommand) -> Vec<Effect> {
        if self.example {
            return self.fork(Reopen::Nothing, vec![order]);
        }
        if let Some(who) = self.driven_by.as_ref().filter(|_| !self.control.is_taken) {
            let text = format!("{who} is playing this session: read along, or fork it");
            return warn(text);
        }
        if matches!(order, LiveCommand::Play(_)) {
            self.control.playing = true;
        }
        vec![Effect::order(self.id.clone(), order, Message::Ordered)]
    }

    /// Makes a fork in which something is open to change.
    pub(super) fn fork(&mut self, reopen: Reopen, then: Vec<LiveCommand>) -> Vec<Effect> {
        if self.control.forking {
            return Vec::new();
        }
        self.control.forking = true;
        vec![Effect::fork(self.id.clone(), reopen, then, Message::Forked)]
    }

    /// Gives an order on a turn: here where nothing has seen the turn, else in a fork.
    pub(super) fn order_on(&mut self, turn: &TurnId, order: LiveCommand) -> Vec<Effect> {
        if self.needs_fork(turn) {
            self.fork(Reopen::Turn(turn.clone()), vec![order])
        } else {
            self.control.acts.choosing(&self.source.state, turn);
            self.order(order)
        }
    }

    /// Says whether changing a turn makes a fork.
    pub(super) fn needs_fork(&self, turn: &TurnId) -> bool {
        self.example || self.source.state.is_seen(turn)
    }

    /// Takes the last act back; in a fork with no acts of its own, goes back to the parent.
    pub(super) fn undo(&mut self) -> Vec<Effect> {
        match self.control.acts.last() {
            None => return self.back_to_parent(),
            Some(Act::Chose { turn, .. }) if self.needs_fork(turn) => {
                return warn(format!(
                    "what follows has seen that turn: {} forks before it",
                    key(Action::Fork)
                ));
            }
            Some(Act::Chose { .. } | Act::Noted(_)) => {}
        }
        let reversal = self.control.acts.undo();
        reversal.map_or_else(Vec::new, |reversal| self.reverse(reversal))
    }

    /// Does again what was undone.
    pub(super) fn redo(&mut self) -> Vec<Effect> {
        match self.control.acts.redo() {
            Some(reversal) => self.reverse(reversal),
            None => say("nothing to redo"),
        }
    }

    fn reverse(&mut self, reversal: Reversal) -> Vec<Effect> {
        match reversal {
            Reversal::Choose(attempt) => self.order(LiveCommand::Choose(attempt)),
            Reversal::Retract(of) => self.annotate(Annotation::Retracted { of }, None),
        }
    }

    /// Writes in the margin; the draft of what is written is dropped when that is durable.
    pub(super) fn annotate(&self, mark: Annotation, draft: Option<String>) -> Vec<Effect> {
        vec![Effect::Start(tasks::annotate(mark, draft))]
    }

    fn back_to_parent(&mut self) -> Vec<Effect> {
        match self.source.state.forked_from().last() {
            Some(parent) => vec![
                Effect::Say(
                    Role::Notice,
                    format!("back in the parent; the fork {} is kept", self.id),
                ),
                Effect::OpenInstead(parent.clone()),
            ],
            None => say("nothing to undo"),
        }
    }

    /// Returns whose the session is, for screens that lie over this one.
    pub(super) fn hold(&self) -> Hold {
        match self.example {
            true => Hold::Example,
            false => Hold::Lockable,
        }
    }

    /// Returns the open step that asks a person or a model, preferring a turn.
    pub(super) fn next_asked(&self) -> Option<&Step> {
        let asks = |step: &&Step| step.performer() != Performer::Engine;
        let speaks = |step: &&Step| step.is_spoken() && asks(step);
        self.coming
            .iter()
            .find(speaks)
            .or_else(|| self.coming.iter().find(asks))
    }
}
