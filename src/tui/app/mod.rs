//! Core of the workbench, pure: a stack of screens; inputs and results in, effects out.

pub mod bench;
mod broadcast;
mod coming_reply;
mod drawing;
mod effect;
mod entry;
pub mod event_loop;
mod file_watch;
mod hidden_verdicts;
mod pending_writes;
mod run_commands;
mod screen;
mod services;
mod settings;
mod store_watch;
mod task;
mod ui_state;

pub use crate::tui::widgets::DrawContext;
pub use broadcast::Broadcast;
pub use coming_reply::ComingReply;
pub use effect::{Command, Effect, ExportAs, Ticket};
pub use effect::{fail, say, warn};
pub use entry::{ExitReason, FirstScreen, Work, WorkbenchExit, WorkbenchInputs};
pub use event_loop::run;
pub use file_watch::{FolderWatch, Listens, WatchedChanges, WatchedFolder};
pub(crate) use hidden_verdicts::{HIDDEN_VERDICTS, annotations, hidden_sessions, hide_verdicts};
pub(crate) use pending_writes::Sent;
pub use pending_writes::SentWhat;
pub(crate) use run_commands::{RunCommand, RunEvent};
pub use screen::Screen;
pub use services::{
    GameLine, LibraryList, ModelLine, Opened, Services, SessionUpdate, TakenSession, Tools,
};
pub(crate) use services::{
    Revealing, begin_debate, export_session, find_draft, for_sessions, live_tools, models,
    opened_journal, path_of, prepare_debate, prepare_run, read_library, read_opened, record,
    reveals, servers_line, write_mark,
};
pub use settings::{ColorChoice, GlyphChoice, LinkChoice, WorkbenchSettings};
pub use task::{AnyMessage, Deliver, Delivery, Replies, ScreenId, Task, Update};
pub(crate) use ui_state::LastPlace;
pub use ui_state::{DebateChoices, Draft, ListState, UiState};
