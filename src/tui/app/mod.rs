//! Core of the workbench, pure: a stack of screens; inputs and results in, effects out.

pub mod bench;
mod coming_reply;
mod deed;
mod drawing;
mod entry;
pub mod event_loop;
mod file_watch;
pub mod hands;
mod hidden_verdicts;
mod pending_writes;
mod run_talk;
mod screen;
mod services;
mod settings;
mod store_watch;
mod task;
mod told;
mod ui_state;

pub use coming_reply::ComingReply;
pub use deed::{Deed, Effect, ExportAs, Ticket};
pub use deed::{fail, say, warn};
pub use entry::{ExitReason, FirstScreen, Work, WorkbenchExit, WorkbenchInputs};
pub use event_loop::run;
pub use file_watch::{FolderWatch, Listens, WatchedChanges, WatchedFolder};
pub(crate) use hidden_verdicts::{HIDDEN_VERDICTS, annotations, hidden_sessions, hide_verdicts};
pub(crate) use pending_writes::Sent;
pub use pending_writes::SentWhat;
pub(crate) use run_talk::{RunDeed, RunTold};
pub use screen::{DrawContext, Screen};
pub use services::Services;
pub use settings::{ColorChoice, GlyphChoice, LinkChoice, WorkbenchSettings};
pub use task::{AnyMessage, Deliver, Delivery, Replies, ScreenId, Task, Update};
pub use told::{GameLine, LibraryList, ModelLine, Opened, Told};
pub(crate) use ui_state::LastPlace;
pub use ui_state::{DebateChoices, Draft, ListState, UiState};
