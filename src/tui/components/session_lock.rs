//! Session lock of a screen over a debate: what it asks of the session takes the lock where that is needed, and
//! makes a fork where only a fork can change. Pure.

use crate::tui::app::{Effect, TakenSession, say_error};
use crate::tui::keys::{Action, Context, key_for};
use crate::tui::theme::Role;
use elenchus_game::debate::step::Step;
use elenchus_game::debate::{SessionId, State};
use elenchus_records::workspace::{Reopen, WorkspaceError};
use elenchus_run::engine::live::LiveCommand;

/// What can be done with a session.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum SessionAccess {
    /// It is played under its lock.
    Lockable,
    /// An embedded example: any change makes a fork.
    Example,
}

/// Result of what was asked of the session.
pub enum LockMessage {
    Ordered(Result<(), WorkspaceError>),
    Forked(TakenSession),
}

/// Lock of such a screen.
#[derive(Debug, Clone)]
pub(in crate::tui) struct LockControl {
    session: SessionId,
    hold: SessionAccess,
    /// Something was asked of the session and is not answered.
    is_waiting: bool,
}

impl LockControl {
    /// The lock of a session.
    pub fn new(session: SessionId, hold: SessionAccess) -> Self {
        Self {
            session,
            hold,
            is_waiting: false,
        }
    }

    /// Gives a command and leaves the screen once it is given: what comes of it is seen below.
    pub fn give_command<M: Send + 'static>(
        &mut self,
        command: LiveCommand,
        wrap: fn(LockMessage) -> M,
    ) -> Vec<Effect> {
        match self.hold {
            _ if self.is_waiting => Vec::new(),
            SessionAccess::Lockable => {
                self.is_waiting = true;
                let to_message = move |given| wrap(LockMessage::Ordered(given));
                vec![Effect::give_command(
                    self.session.clone(),
                    command,
                    to_message,
                )]
            }
            SessionAccess::Example => self.fork_with_command(Reopen::Nothing, command, wrap),
        }
    }

    /// Gives a command to a fork, which is shown once it is there.
    pub fn fork_with_command<M: Send + 'static>(
        &mut self,
        reopen: Reopen,
        command: LiveCommand,
        wrap: fn(LockMessage) -> M,
    ) -> Vec<Effect> {
        if std::mem::replace(&mut self.is_waiting, true) {
            return Vec::new();
        }
        let to_message = move |made| wrap(LockMessage::Forked(made));
        vec![Effect::fork_session(
            self.session.clone(),
            reopen,
            vec![command],
            to_message,
        )]
    }

    /// Takes in the result of what was asked.
    pub fn update(&mut self, message: LockMessage) -> Vec<Effect> {
        self.is_waiting = false;
        match message {
            LockMessage::Ordered(Ok(())) => vec![Effect::Leave],
            LockMessage::Ordered(Err(why)) => say_error(why),
            LockMessage::Forked(made) => show_fork(&self.session, made),
        }
    }
}

/// Shows a fork in place of its parent, and says what there is to do in it.
pub(in crate::tui) fn show_fork(parent: &SessionId, made: TakenSession) -> Vec<Effect> {
    let (fork, opened) = match made {
        Ok(made) => made,
        Err(why) => return say_error(why),
    };
    let key = |action| key_for(Context::Debate, action);
    let text = format!(
        "a fork, the parent stays as it was: {}{} tree, {} back",
        describe_next(&opened.state),
        key(Action::Tree),
        key(Action::Undo)
    );
    vec![
        Effect::Say(Role::Notice, text),
        Effect::OpenForked {
            parent: parent.clone(),
            fork,
            opened,
        },
    ]
}

/// Returns what there is to do in a fork, where that is not plain to see.
fn describe_next(state: &State) -> String {
    let key = |action| key_for(Context::Debate, action);
    if state.find_open_steps().steps.iter().any(Step::is_spoken) {
        return format!("{} goes on, ", key(Action::StepTurn));
    }
    format!(
        "{} asks again, {} edits, ",
        key(Action::Reroll),
        key(Action::Edit)
    )
}
