//! Import and export of other tools' formats. It opens no files.

pub mod batch_file;
mod best_sample;
pub mod colang;
mod colang_reader;
mod completion_table;
mod finished_debate;
pub mod inspect;
mod json_lines;
mod label_columns;
mod label_file_kind;
mod label_tools;
mod memory_file;
pub mod record;
mod reddebate;
mod round_record_parts;

pub use best_sample::best_sample;
pub use completion_table::parse_completions;
pub use finished_debate::{
    FindingPlace, FinishedFile, FinishedItem, FinishedKind, FinishedTurn, FoundCall, FoundLabel,
    FoundSkip, LabelledBy, MAX_FINISHED, RefusedRow, TurnPart,
};
pub use json_lines::json_rows;
pub use label_columns::{LabelColumns, LabelField, LabelReading};
pub use label_file_kind::LabelFileKind;
pub use label_tools::{SourceRows, read_tool_file};
pub use memory_file::{FoundGuardrail, MAX_MEMORY_FILE_BYTES, MemoryFile, parse_memory_file};
pub use reddebate::{is_no_debate, is_reddebate, parse_reddebate};
