//! Controller of the session: reading needs no lock; the first change takes one, and seen turns are
//! changed in a fork.

use super::actions::key;
use super::{Debate, Message, tasks};
use crate::debate::step::{Performer, Step};
use crate::debate::{AttemptId, TurnId};
use crate::engine::live::LiveCommand;
use crate::tui::app::{Effect, say, warn};
use crate::tui::keys::Action;
use crate::tui::screens::session_lock::Hold;
use crate::tui::theme::Role;
use crate::workspace::Reopen;
use crate::workspace::annotations::{Annotation, AnnotationId};

/// Acts that can be undone, at most.
const MAX_UNDO: usize = 200;

/// Something that can be undone.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Act {
    /// Another attempt of a turn was chosen, or written.
    Chose {
        turn: TurnId,
        before: u32,
        after: u32,
    },
    /// A note was written; retracting it undoes that.
    Noted(AnnotationId),
}

/// Control of a session.
#[derive(Debug, Default)]
pub(super) struct SessionControl {
    /// This process has its lock.
    pub(super) is_taken: bool,
    /// Choice that is not durable yet: it becomes an act when it is recorded.
    pub(super) chosen_before: Option<(TurnId, u32)>,
    pub(super) undo: Vec<Act>,
    pub(super) redo: Vec<Act>,
    /// A fork is being made.
    pub(super) forking: bool,
    pub(super) retracting: Option<Retracting>,
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

/// Reason for a retraction.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Retracting {
    ToUndo,
    ToRedo,
}

impl SessionControl {
    /// The lock is not ours, or not any more.
    pub(super) fn let_go(&mut self) {
        self.is_taken = false;
        self.playing = false;
        self.follows = Follows::Nobody;
    }

    pub(super) fn did(&mut self, act: Act) {
        self.redo.clear();
        if self.undo.len() >= MAX_UNDO {
            self.undo.remove(0);
        }
        self.undo.push(act);
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
            self.remember_choice(turn);
            self.order(order)
        }
    }

    /// Says whether changing a turn makes a fork.
    pub(super) fn needs_fork(&self, turn: &TurnId) -> bool {
        self.example || self.source.state.is_seen(turn)
    }

    fn remember_choice(&mut self, turn: &TurnId) {
        if let Some((id, _)) = self.source.state.chosen(turn) {
            self.control.chosen_before = Some((turn.clone(), id.attempt));
        }
    }

    /// Another attempt counts now: that can be undone.
    pub(super) fn note_choice(&mut self, turn: &TurnId) {
        let Some((before_turn, before)) = self.control.chosen_before.take() else {
            return;
        };
        let Some((after, _)) = self.source.state.chosen(turn) else {
            return;
        };
        if before_turn == *turn && after.attempt != before {
            self.control.did(Act::Chose {
                turn: before_turn,
                before,
                after: after.attempt,
            });
        }
    }

    /// Takes the last act back; in a fork with no acts of its own, goes back to the parent.
    pub(super) fn undo(&mut self) -> Vec<Effect> {
        let Some(act) = self.control.undo.pop() else {
            return self.back_to_parent();
        };
        let effects = match &act {
            Act::Chose { turn, before, .. } => {
                let order = LiveCommand::Choose(AttemptId {
                    turn: turn.clone(),
                    attempt: *before,
                });
                if self.needs_fork(turn) {
                    let text = format!(
                        "what follows has seen that turn: {} forks before it",
                        key(Action::Fork)
                    );
                    self.control.undo.push(act);
                    return warn(text);
                }
                self.order(order)
            }
            Act::Noted(mark) => return self.retract(mark.clone(), Retracting::ToUndo),
        };
        self.control.redo.push(act);
        effects
    }

    /// Does again what was undone.
    pub(super) fn redo(&mut self) -> Vec<Effect> {
        let Some(act) = self.control.redo.pop() else {
            return say("nothing to redo");
        };
        let effects = match &act {
            Act::Chose { turn, after, .. } => self.order(LiveCommand::Choose(AttemptId {
                turn: turn.clone(),
                attempt: *after,
            })),
            Act::Noted(mark) => return self.retract(mark.clone(), Retracting::ToRedo),
        };
        self.control.undo.push(act);
        effects
    }

    /// Takes a mark in the margin back; that this was done can be taken back in turn.
    fn retract(&mut self, of: AnnotationId, how: Retracting) -> Vec<Effect> {
        self.control.retracting = Some(how);
        self.annotate(Annotation::Retracted { of }, None)
    }

    /// Writes in the margin; the draft of what is written is dropped when that is durable.
    pub(super) fn annotate(&self, mark: Annotation, draft: Option<String>) -> Vec<Effect> {
        vec![Effect::Start(tasks::annotate(mark, draft))]
    }

    /// Something was written in the margin.
    pub(super) fn note_mark(&mut self, mark: &AnnotationId) {
        let act = Act::Noted(mark.clone());
        match self.control.retracting.take() {
            None => self.control.did(act),
            Some(Retracting::ToUndo) => self.control.redo.push(act),
            Some(Retracting::ToRedo) => self.control.undo.push(act),
        }
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
