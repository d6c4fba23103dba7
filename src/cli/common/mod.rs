//! Parts that commands share: context, arguments, output, progress, questions on the terminal.

pub(crate) mod args;
pub(crate) mod built_in_files;
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
mod picture;
mod plan_standing;
mod progress;
pub(crate) mod question;
mod runtime;
mod session_id;
mod settings;
mod short_journals;
mod table;
pub(crate) mod text_input;

pub(crate) use columns_line::format_columns;
pub use context::CommandContext;
pub(crate) use context::FIRST_GAME;
pub(crate) use elenchus_text::Colour;
pub use exit::{Exit, FAILURE};
pub(crate) use experiment::{ExperimentCommand, ExperimentMonitor, raise_ceiling_option};
pub use global::Global;
pub(crate) use log::start_log;
pub(crate) use output::{
    Ink, Page, clean_line, clean_lines, describe_duplicates, display_width, fit_to_width,
    format_noun_count, join_first_names, shell_word, wrap_line,
};
pub use output::{clean_json, is_broken_pipe, print_notice};
pub(crate) use people::TerminalPlayer;
pub(crate) use picture::show_picture;
pub(crate) use plan_standing::{FoundPlan, PlanStanding, list_served_models};
pub(crate) use progress::ProgressCounts;
pub(crate) use question::Default;
pub(crate) use runtime::{run_interruptible, wait_for};
pub use session_id::ShortIds;
pub(crate) use session_id::resolve_session;
pub(crate) use settings::parse_settings;
pub(crate) use short_journals::{
    add_short_paths, print_incomplete, print_missing_journals, print_missing_of_runs,
    print_missing_sessions,
};
pub(crate) use table::print_table;
pub use table::{Column, format_table};
pub(crate) use text_input::{TopicText, read_text};
