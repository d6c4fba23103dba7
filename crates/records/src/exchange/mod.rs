//! Import and export of other tools' formats. It opens no files.

mod best_sample;
pub mod colang;
mod completion_table;
mod finished_debate;
mod json_lines;
pub mod record;
mod reddebate;
mod round_record_parts;

pub use best_sample::best_sample;
pub use completion_table::completions;
pub use finished_debate::{
    FinishedFile, FinishedItem, FinishedKind, FinishedTurn, LabelColumns, LabelledBy, MAX_FINISHED,
    RefusedRow,
};
pub use json_lines::json_rows;
pub use reddebate::{is_no_debate, is_reddebate, reddebate};
