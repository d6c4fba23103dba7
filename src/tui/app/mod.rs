//! Core of the workbench, pure: a stack of screens; inputs and results in, effects out.

mod broadcast;
mod drawing;
mod effect;
mod entry;
pub mod event_loop;
mod rereading;
mod run_commands;
mod screen;
mod services;
mod settings;
pub mod state;
mod task;
mod turn_walk;
mod ui_state;

pub use crate::tui::widgets::DrawContext;
pub use broadcast::Broadcast;
pub use drawing::{Dirty, Drawing};
pub use effect::{Command, Effect, Ticket};
pub use effect::{
    copy_text, keep_draft, say_error, say_notice, say_outcome, say_warning, show_in_pager,
    show_screen,
};
pub use entry::{
    Annotator, ExitReason, FirstScreen, ModelChoices, RereadModels, WorkbenchExit, WorkbenchInputs,
};
pub use event_loop::run_workbench;
pub use rereading::Rereading;
pub(crate) use run_commands::RunCommand;
pub use run_commands::RunEvent;
pub use screen::Screen;
pub use services::{EditError, Services, TakenSession};
pub(crate) use services::{begin_debate, record_listing, release_free_memory};
pub use settings::WorkbenchSettings;
pub use task::{AnyMessage, Deliver, Delivery, Replies, ScreenId, Task, Update};
pub use turn_walk::TurnWalk;
pub(crate) use ui_state::LastPlace;
pub use ui_state::{SessionPosition, UiState};
