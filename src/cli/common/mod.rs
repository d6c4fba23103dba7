//! Parts that commands share: context, arguments, output, progress, questions on the terminal.

pub(crate) mod args;
pub(crate) mod ceilings;
mod columns_line;
pub(crate) mod completers;
mod context;
pub(crate) mod estimate;
mod exit;
mod experiment;
mod global;
mod log;
pub(crate) mod model_names;
pub(crate) mod output;
pub(crate) mod people;
mod progress;
pub(crate) mod question;
mod runtime;
mod session_id;
mod settings;
mod short_journals;
mod table;
pub(crate) mod text_input;

pub(crate) use columns_line::columns_line;
pub use context::Workshop;
pub(crate) use elenchus_text::Colour;
pub use exit::{Exit, FAILURE};
pub(crate) use experiment::{ExperimentCommand, Watched, raising};
pub use global::Global;
pub(crate) use log::start;
pub(crate) use output::{
    Ink, Page, clean, columns, counted, first_names, fit, harmless, shell_word, there_already, wrap,
};
pub use output::{harmless_json, is_broken_pipe, notice};
pub(crate) use people::TerminalPlayer;
pub(crate) use progress::ProgressCounts;
pub(crate) use question::Default;
pub(crate) use runtime::{run_interruptible, wait_for};
pub use session_id::ShortIds;
pub(crate) use session_id::resolve_session;
pub(crate) use settings::parse_settings;
pub(crate) use short_journals::{
    print_gone_sessions, print_incomplete, print_missing_journals, print_missing_of_runs,
    with_short,
};
pub(crate) use table::print_table;
pub use table::{Column, table};
pub(crate) use text_input::{TopicText, read_text};
