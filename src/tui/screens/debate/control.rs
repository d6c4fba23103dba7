//! Controller of the session: reading needs no lock; the first change takes one, and seen turns are
//! changed in a fork.

use super::actions::debate_key;
use super::{Debate, Message, tasks};
use crate::tui::app::{Effect, say_notice, say_warning};
use crate::tui::components::session_lock::SessionAccess;
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
    pub(super) is_forking: bool,
    /// A pace was given and is not used up.
    pub(super) is_playing: bool,
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
        self.is_playing = false;
        self.follows = Follows::Nobody;
    }
}

impl Debate {
    /// Gives an order, taking the session first where that is needed.
    pub(super) fn give_command(&mut self, order: LiveCommand) -> Vec<Effect> {
        if self.is_example {
            return self.fork_session(Reopen::Nothing, vec![order]);
        }
        if let Some(who) = self.driven_by.as_ref().filter(|_| !self.control.is_taken) {
            let text = format!("{who} is playing this session: read along, or fork it");
            return say_warning(text);
        }
        if matches!(order, LiveCommand::Play(_)) {
            self.control.is_playing = true;
        }
        vec![Effect::give_command(
            self.id.clone(),
            order,
            Message::Ordered,
        )]
    }

    /// Makes a fork in which something is open to change.
    pub(super) fn fork_session(&mut self, reopen: Reopen, then: Vec<LiveCommand>) -> Vec<Effect> {
        if self.control.is_forking {
            return Vec::new();
        }
        self.control.is_forking = true;
        vec![Effect::fork_session(
            self.id.clone(),
            reopen,
            then,
            Message::Forked,
        )]
    }

    /// Gives an order on a turn: here where nothing has seen the turn, else in a fork.
    pub(super) fn give_turn_command(&mut self, turn: &TurnId, order: LiveCommand) -> Vec<Effect> {
        if self.needs_fork(turn) {
            self.fork_session(Reopen::Turn(turn.clone()), vec![order])
        } else {
            self.control.acts.begin_choice(&self.source.state, turn);
            self.give_command(order)
        }
    }

    /// Says whether changing a turn makes a fork.
    pub(super) fn needs_fork(&self, turn: &TurnId) -> bool {
        self.is_example || self.source.state.is_seen(turn)
    }

    /// Takes the last act back; in a fork with no acts of its own, goes back to the parent.
    pub(super) fn undo_act(&mut self) -> Vec<Effect> {
        match self.control.acts.last() {
            None => return self.back_to_parent(),
            Some(Act::Chose { turn, .. }) if self.needs_fork(turn) => {
                return say_warning(format!(
                    "what follows has seen that turn: {} forks before it",
                    debate_key(Action::Fork)
                ));
            }
            Some(Act::Chose { .. } | Act::Noted(_)) => {}
        }
        let reversal = self.control.acts.undo();
        reversal.map_or_else(Vec::new, |reversal| self.apply_reversal(reversal))
    }

    /// Does again what was undone.
    pub(super) fn redo_act(&mut self) -> Vec<Effect> {
        match self.control.acts.redo() {
            Some(reversal) => self.apply_reversal(reversal),
            None => say_notice("nothing to redo"),
        }
    }

    fn apply_reversal(&mut self, reversal: Reversal) -> Vec<Effect> {
        match reversal {
            Reversal::Choose(attempt) => self.give_command(LiveCommand::Choose(attempt)),
            Reversal::Retract(of) => self.add_annotation(Annotation::Retracted { of }, None),
        }
    }

    /// Writes in the margin; the draft of what is written is dropped when that is durable.
    pub(super) fn add_annotation(&self, mark: Annotation, draft: Option<String>) -> Vec<Effect> {
        vec![Effect::Start(tasks::save_annotation(mark, draft))]
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
            None => say_notice("nothing to undo"),
        }
    }

    /// Returns whose the session is, for screens that lie over this one.
    pub(super) fn session_hold(&self) -> SessionAccess {
        match self.is_example {
            true => SessionAccess::Example,
            false => SessionAccess::Lockable,
        }
    }

    /// Returns the open step that asks a person or a model, preferring a turn.
    pub(super) fn next_open_step(&self) -> Option<&Step> {
        let asks = |step: &&Step| step.performer() != Performer::Engine;
        let speaks = |step: &&Step| step.is_spoken() && asks(step);
        self.coming
            .iter()
            .find(speaks)
            .or_else(|| self.coming.iter().find(asks))
    }
}
