//! Benchmark files as topics: HarmBench, CoSafe, XSTest, TriviaQA, MATH, Aegis, WildJailbreak, QuALITY,
//! JailbreakBench, StrongREJECT, AdvBench, do-not-answer, BeaverTails, TruthfulQA, files of promptfoo, lm-eval and
//! chats, and our own CSV, JSON, YAML and plain text.
//!
//! Every row of a file becomes a topic or is reported with its line; none is dropped in silence.
//! The text of a topic is stored as the file has it, so it may hold control characters: code that
//! prints it must make them visible.
//!
//! Decisions:
//! - A conversation gives its last user turn as the topic's text and the turns before it as the
//!   conversation. Turns after it (one CoSafe line ends with the assistant) are left out with a
//!   note, because the seats are to answer that user turn.
//! - A repeated id refuses the later row; a row without an id is named `<file stem>:<line>`.
//! - Rows of one text, context, conversation, documents and options are one topic under several ids. Where they
//!   differ in the reference or the expected label, all of them are refused: which one is right is not known.
//! - A contextual HarmBench behaviour without a context string is refused, for it cannot be
//!   understood.
//! - Read as `own`, a HarmBench file loses its functional categories: then no topic needs a hash
//!   check.
//! - A MATH problem whose solution has no boxed answer is refused, unless the record gives the
//!   answer separately; without its id a problem is named after its file in the folder, so that
//!   adding files renames none.
//! - An XSTest or Aegis prompt that is neither safe nor unsafe is refused.
//! - A TriviaQA question whose answer is withheld is a topic without a reference answer.
//! - The first category that Aegis lists for a prompt is the topic's; a prompt that was taken out of the
//!   file is refused.
//! - A WildJailbreak topic is the adversarial text where the row is of an adversarial type, else the
//!   vanilla one; the type is its category and says whether it is harmful.
//! - A QuALITY text gives a topic for each question, with the text as its document and all options.
//! - A column that a person names stands for its field alone; one that they ignore is as if it were not there.
//! - The reference of multiple choice is the text of an option. Numbers count from 0 where one is 0, from 1 where
//!   one is the number of options, and else from 0, with a remark.
//! - Words for a missing value are absent in category, label and reference, and refuse a row as its text.
//! - An expected label that is a number, an assertion or a sentence is left out; another word than safe and unsafe
//!   is kept. Both are counted in a remark, as topics with one text are.
//! - YAML is read with bounds on depth and aliases; other text that is no list of topics is refused by its name or
//!   content.
//! - Blank lines are not rows.
//! - A file whose content is not text is refused as a whole; one that gzip has packed is unpacked.
//! - A file of any size is read; what its topics take together is bounded.

mod binary_file;
mod boxed_answer;
mod collector;
mod column_choice;
mod columns;
mod error;
mod folder;
mod foreign_text;
mod json;
mod json_objects;
mod json_scan;
mod load;
mod missing_value;
mod option_answers;
mod pieces;
mod quality;
mod repeated_topics;
mod row_shape;
mod selection;
mod spec;
mod stream;
mod table;
mod topic_draft;
mod yaml;

pub use column_choice::{ColumnChoice, is_same as is_same_column};
pub use columns::TopicField;
pub use error::DatasetError;
pub use json_objects::{JsonObjects, parse_json_objects};
pub use json_scan::{split_json_items, split_json_members};
use load::RowNote;
pub use load::{
    DatasetFormat, LoadedDataset, MAX_DOCUMENT_BYTES, MAX_FILE_BYTES, RejectedRow, load_dataset,
    load_dataset_with, load_first_topics, parse_dataset, parse_dataset_with, read_unpacked_file,
    strip_byte_order_mark,
};
pub use missing_value::{is_missing, number_text};
pub use quality::keep_two_options;
pub use selection::{Selection, select_topics, split_topics};
pub use spec::{DatasetKind, DatasetSpec};
pub use table::{TableRows, parse_table_rows};
