//! Library: what can be played. Protocols, templates, rubrics, label sets and pins, read from the files
//! that are embedded in the program and from the user's and the project's folders, which win.
//!
//! It never plays and never writes a journal.
//!
//! ```text
//! catalogue          Library: files by name, from folders and from the binary
//! game               Game: a protocol with every file it needs, read and checked together
//! game_variants      variants of a game that a setting makes of it
//! game_diff          settings and texts in which two games differ
//! protocol_source, protocol_check    a protocol as a person names it, and its check with many settings
//! game_labels        check that the labels a protocol names are labels its rubrics give
//! rubric_limit       token limits of rules whose rubric was chosen for a game
//! template_selection templates that make a call
//! pins, pinned_files, pin_text    hashes that files must have, their check, their digits as text
//! watched_files      files that can be pinned and need not be
//! label_sets         label sets with their codebooks
//! verdict_form, json_verdict_form    forms in which a person gives a verdict
//! critiques       critiques that a pass can put in place of those that were played
//! model_tables, model_families   tables of models by name patterns; families, and judges that judge themselves
//! imported, software, toml_text      the protocol of imported debates, version text, TOML text
//! ```

mod catalogue;
mod critiques;
mod game;
mod game_diff;
mod game_labels;
mod game_variants;
mod imported;
mod json_verdict_form;
mod label_sets;
mod model_families;
pub mod model_tables;
mod pin_text;
mod pinned_files;
mod pins;
mod protocol_check;
mod protocol_source;
mod rubric_limit;
mod software;
pub mod template_selection;
mod toml_text;
pub mod verdict_form;
mod watched_files;

pub use catalogue::{FileOrigin, Library, SHARED, guardrail_file, rubric_template};
pub use critiques::CritiqueEntry;
pub use game::{Game, GameError, GameParts, last_named_round};
pub use game_diff::{CONTEXT_LINES, GameDiff, TextPair};
pub use game_variants::GameVariant;
pub use imported::IMPORTED;
pub use json_verdict_form::JsonVerdictForm;
pub use label_sets::LabelBook;
pub use model_families::{JudgedModels, KinRole, ModelFamilies, SelfJudging};
pub use model_tables::{RECORDED_PROVIDER, matches_patterns, parse_table};
pub use pin_text::{MIN_PIN_DIGITS, template_of, wrong_digits};
pub use pins::{PINS_FILE, PinnedFile, Pins, shorten_hash};
pub use protocol_check::{CheckedProtocol, ProtocolFaults};
pub use protocol_source::ProtocolSource;
pub use software::software_name;
pub use toml_text::{format_key, quote_text};
pub use verdict_form::VerdictForm;
pub use watched_files::WatchedFile;
