//! Commands of screens, as data. `hands` performs them and answers with [`Told`].
//!
//! [`Told`]: crate::tui::app::told::Told

use super::pending_writes::Sent;
use super::run_talk::RunDeed;
use super::screen::Screen;
use super::task::{AnyMessage, Task};
use super::told::Opened;
use super::ui_state::{Draft, UiState};
use crate::debate::SessionId;
use crate::engine::live::LiveCommand;
use crate::tui::screens::debate::SessionPosition;
use crate::tui::theme::Role;
use crate::workspace::Reopen;
use crate::workspace::annotations::Annotation;
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
    /// Shows a fork that was just made and taken, in place of this screen.
    OpenForked(SessionId),
    /// Shows a debate that was just begun and taken.
    OpenBegun(SessionId, Arc<Opened>),
    /// Leaves the program; asks first where something is going on.
    Quit,
    /// Shows two sessions side by side on top of this screen.
    Compare(SessionId, SessionId),
    /// Says something on the status line until the next key; names keys by their marks.
    Say(Role, String),
    /// A text was sent off: its draft is dropped when what it became is durable.
    Sent(Sent),
    /// Something for `hands`.
    Do(Deed),
    /// Lets `$EDITOR` change a text.
    EditOutside(OutsideEdit),
    /// Work whose result is a message of this screen.
    Start(Task),
}

impl Effect {
    /// Lets `$EDITOR` change a text, and makes a message of this screen of how that ended.
    pub fn edit_outside<M: Send + 'static>(
        text: String,
        message: impl FnOnce(Result<String, String>) -> M + 'static,
    ) -> Self {
        Effect::EditOutside(OutsideEdit {
            text,
            ended: Box::new(|end| Box::new(message(end))),
        })
    }
}

/// A text for `$EDITOR`. The workbench stands still until that is left: nothing comes between.
pub struct OutsideEdit {
    pub text: String,
    /// Returns the message of the screen.
    pub ended: Box<dyn FnOnce(Result<String, String>) -> AnyMessage>,
}

impl std::fmt::Debug for OutsideEdit {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(&self.text)
    }
}

/// Says something on the status line.
pub fn say(text: impl Into<String>) -> Vec<Effect> {
    vec![Effect::Say(Role::Notice, text.into())]
}

/// Says on the status line what a person should heed.
pub fn warn(text: impl Into<String>) -> Vec<Effect> {
    vec![Effect::Say(Role::Warning, text.into())]
}

/// Says on the status line what went wrong.
pub fn fail(why: impl Into<String>) -> Vec<Effect> {
    vec![Effect::Say(Role::Error, why.into())]
}

/// Something to be done outside of the screens.
#[derive(Debug, Clone)]
pub enum Deed {
    /// Read a session, kept or an example: `Opened`. Follows it while another process drives it.
    Open(SessionId),
    /// Take the session's lock to play it: `Taken` or `NotTaken`.
    Take(SessionId),
    /// Give an order to a session that was taken.
    Order(SessionId, LiveCommand),
    /// Give the session back, once nothing is in flight: `Released`.
    Release(SessionId),
    /// Copy a session's past so that something is open to change, and take the copy: `Forked`; the
    /// orders are given to it at once.
    Fork {
        parent: SessionId,
        reopen: Reopen,
        then: Vec<LiveCommand>,
    },
    /// Write into the person's margin, or take back what was written: `Annotations`.
    Margin(Annotation),
    /// Write the session's journal, or its transcript, to a file.
    Export(SessionId, ExportAs, PathBuf),
    /// Write a text to a file, never over one that is there.
    WriteText(PathBuf, String),
    /// Put a text on the terminal's clipboard and into a file: `Copied`.
    Copy(String),
    /// Show a text in `$PAGER`.
    Page(String),
    /// Keep what a person arranged.
    Remember(UiState),
    /// Labels are this person's from now on.
    LabelAs(String),
    /// Something with a run.
    Run(RunDeed),
    /// Keep a text that was not used yet; drops it where it is empty.
    Draft(Draft),
}

/// Names a question, so that a late answer is not taken for another's.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default)]
pub struct Ticket(pub u64);

/// In which form a session is exported.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ExportAs {
    /// As `elenchus export` writes it: the journal with its checksums, to be imported elsewhere.
    Parcel,
    /// As `elenchus show` prints it.
    Transcript,
}
