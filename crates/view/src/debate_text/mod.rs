//! Text of a debate, block by block, one for panes, `show` and pages: turns with their verdicts, the record of
//! the debate, attempts of one turn, and what was found at a glance. It draws nothing and knows no keys. Pure.
//!
//! | file | content |
//! |---|---|
//! | `block` | blocks of a debate, in the order of the game |
//! | `speakers` | speakers whose turns are judged, and the others |
//! | `writer`, `verdicts`, `record`, `stopped` | paragraphs of turns, of verdicts, of the record, of replies that ended early |
//! | `attempt` | paragraphs of one attempt among others |
//! | `texts` | small texts about turns and debates |
//! | `findings`, `verdict_board` | findings on turns; on rounds and the debate |
//! | `notes`, `human_labels` | annotations on one session |
//! | `repeated_texts` | first turn of each text |

mod attempt;
mod block;
mod findings;
mod human_labels;
mod notes;
mod record;
mod repeated_texts;
mod speakers;
mod stopped;
pub mod texts;
mod verdict_board;
mod verdicts;
mod writer;

pub use attempt::{
    AttemptOptions, attempt_paragraphs, attempt_title, author_line, coming_reply, hidden_text,
    is_private, model_line, reply_usage_line, stopped_paragraphs, usage_line,
};
pub use block::{Block, BlockOptions, BlockSource, TouchedBlocks, turns_in_order};
pub use findings::{
    Glances, TurnFinding, TurnGlance, collect_glances, find_unsafe_beside, first_unsafe,
    is_disputed, last_judged_together, role_of, verdicts_by_seats, worst_finding,
};
pub use human_labels::{HumanLabels, LabelOnTurn, LabelsByPerson};
pub use notes::Notes;
pub use record::record_text;
pub use repeated_texts::RepeatedTexts;
pub use speakers::{SpeakerChart, speaker_title};
pub use texts::finding_label;
pub use verdict_board::VerdictBoard;
pub(crate) use writer::reply_marks;
pub use writer::{DebateText, Extent, Headings, TurnColumns};
