//! Effects: what a screen wants done, as data.

use super::run_commands::RunCommand;
use super::screen::Screen;
use super::services::EditError;
use super::services::TakenSession;
use super::task::{AnyMessage, Task};
use super::turn_walk::TurnWalk;
use super::ui_state::UiState;
use crate::tui::app::SessionPosition;
use crate::tui::theme::Role;
use elenchus_game::debate::SessionId;
use elenchus_records::workspace::{Draft, Reopen, WorkspaceError};
use elenchus_run::engine::live::{LiveCommand, Sent};
use elenchus_view::OpenedSession;
use std::path::PathBuf;
use std::sync::Arc;

/// Effect of an input.
pub enum Effect {
    /// Puts a screen on top of this one.
    Show(Box<dyn Screen>),
    /// Leaves this screen; the one below comes back. The last one quits.
    Leave,
    /// Takes this screen away and puts another in its place.
    Replace(Box<dyn Screen>),
    /// Shows a session's debate on top of this screen, at a place if one is named.
    Open(SessionId, Option<SessionPosition>),
    /// Shows a session's debate in place of this screen.
    OpenInstead(SessionId),
    /// Shows the debate of a list's turn on top of this screen.
    Walk(TurnWalk),
    /// The same in place of this screen.
    WalkOn(TurnWalk),
    /// Shows a debate that was just begun and taken.
    OpenBegun(SessionId, Arc<OpenedSession>),
    /// Shows a fork that was just made and taken, in place of its parent and what lies over that.
    OpenForked {
        parent: SessionId,
        fork: SessionId,
        opened: Arc<OpenedSession>,
    },
    /// Leaves the program; asks first where something is going on.
    Quit,
    /// Lists the sessions that a filter names on top of this screen.
    ListSessions(String),
    /// Shows two sessions side by side on top of this screen.
    Compare(SessionId, SessionId),
    /// Says something on the status line until the next key; names keys by their marks.
    Say(Role, String),
    /// A text was sent off: its draft is dropped when what it became is durable.
    Sent(Sent),
    /// Something that the workbench itself does.
    Do(Command),
    /// Gives a session a command, and takes its lock first where that is needed.
    Order(Order),
    /// Copies a session's past so that something is open to change, and takes the copy.
    Fork(Fork),
    /// Lets `$EDITOR` change a text.
    EditOutside(OutsideEdit),
    /// Work whose result is a message of this screen.
    Start(Task),
}

impl Effect {
    /// Lets `$EDITOR` change a text, and makes a message of this screen of how that ended.
    pub fn edit_outside<M: Send + 'static>(
        text: String,
        message: impl FnOnce(Result<String, EditError>) -> M + 'static,
    ) -> Self {
        Effect::EditOutside(OutsideEdit {
            text,
            to_message: Box::new(|end| Box::new(message(end))),
        })
    }

    /// Gives a session a command, and makes a message of this screen of whether it could be given.
    pub fn give_command<M: Send + 'static>(
        session: SessionId,
        command: LiveCommand,
        message: impl FnOnce(Result<(), WorkspaceError>) -> M + Send + 'static,
    ) -> Self {
        let to_message = Box::new(|given| Box::new(message(given)) as AnyMessage);
        Effect::Order(Order {
            session,
            command,
            to_message,
        })
    }

    /// Makes a fork, and a message of this screen of what came of it.
    pub fn fork_session<M: Send + 'static>(
        parent: SessionId,
        reopen: Reopen,
        then: Vec<LiveCommand>,
        message: impl FnOnce(TakenSession) -> M + Send + 'static,
    ) -> Self {
        let to_message = Box::new(|made| Box::new(message(made)) as AnyMessage);
        Effect::Fork(Fork {
            parent,
            reopen,
            then,
            to_message,
        })
    }
}

/// A text for `$EDITOR`. The workbench stands still until that is left: nothing comes between.
pub struct OutsideEdit {
    pub text: String,
    /// Returns the message of the screen.
    pub to_message: Box<dyn FnOnce(Result<String, EditError>) -> AnyMessage>,
}

/// A command for a session; `given` returns the message of the screen.
pub struct Order {
    pub session: SessionId,
    pub command: LiveCommand,
    pub(super) to_message: Box<dyn FnOnce(Result<(), WorkspaceError>) -> AnyMessage + Send>,
}

/// A fork that is wanted, and the commands that it is given at once; `made` returns the message of the screen.
pub struct Fork {
    pub parent: SessionId,
    pub reopen: Reopen,
    pub then: Vec<LiveCommand>,
    pub(super) to_message: Box<dyn FnOnce(TakenSession) -> AnyMessage + Send>,
}

impl std::fmt::Debug for OutsideEdit {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(&self.text)
    }
}

/// Puts a screen on top of this one.
pub fn show_screen(screen: impl Screen + 'static) -> Vec<Effect> {
    vec![Effect::Show(Box::new(screen))]
}

/// Keeps a text that was not used yet, and is found by its place; an empty one is forgotten.
pub fn keep_draft(place: impl Into<String>, text: impl Into<String>) -> Effect {
    Effect::Do(Command::Draft(Draft {
        place: place.into(),
        text: text.into(),
    }))
}

/// Says something on the status line.
pub fn say_notice(text: impl ToString) -> Vec<Effect> {
    vec![Effect::Say(Role::Notice, text.to_string())]
}

/// Says on the status line what a person should heed.
pub fn say_warning(text: impl Into<String>) -> Vec<Effect> {
    vec![Effect::Say(Role::Warning, text.into())]
}

/// Says on the status line what went wrong.
pub fn say_error(why: impl ToString) -> Vec<Effect> {
    vec![Effect::Say(Role::Error, why.to_string())]
}

/// Copies a text; nothing where there is none.
pub fn copy_text(text: Option<String>) -> Vec<Effect> {
    let copy = text.map(|text| Effect::Do(Command::Copy(text)));
    copy.into_iter().collect()
}

/// Shows a text in `$PAGER`; nothing where there is none.
pub fn show_in_pager(text: Option<String>) -> Vec<Effect> {
    let page = text.map(|text| Effect::Do(Command::Page(text)));
    page.into_iter().collect()
}

/// Says what there is to say of something, if there is.
pub fn say_outcome(outcome: Option<(Role, String)>) -> Vec<Effect> {
    let effect = outcome.map(|(role, text)| Effect::Say(role, text));
    effect.into_iter().collect()
}

/// Something that the workbench itself does.
#[derive(Debug, Clone)]
pub enum Command {
    /// Put a text on the terminal's clipboard and into a file.
    Copy(String),
    /// Show a text in `$PAGER`.
    Page(String),
    /// Write a text to a file, never over one that is there.
    WriteText(PathBuf, String),
    /// Keep a text that was not used yet; drops it where it is empty.
    Draft(Draft),
    /// Keep what a person arranged.
    Remember(Box<UiState>),
    /// Labels are this person's from now on.
    LabelAs(String),
    /// Give a session back, once nothing is in flight.
    Release(SessionId),
    /// Something with a run.
    Run(RunCommand),
}

/// Names a question, so that a late answer is not taken for another's.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default)]
pub struct Ticket(pub u64);
