//! Labelling: what a person who labels is shown, and what becomes of their labels.
//!
//! ```text
//! work     items of a queue or of a dispute, or one thing, as they are opened
//! queues   queues as a person sees them, and a new one as it is typed
//! queue_fields  the fields of a new queue
//! pages    question, turns and codebook as paragraphs
//! give     labels given and taken back
//! reveal   what is hidden, recorded before it is shown
//! state    one person labels one thing after the other: what letters do, and what is shown
//! ```

mod give;
mod pages;
mod queue_fields;
mod queues;
mod reveal;
mod state;
mod work;

pub use give::{give_label, recorded_time_ms, take_label_back};
pub use pages::{
    EarlierTurns, ParagraphGroups, codebook_sections, conclusion_page, debate_page, label_keys,
    others_page, question_page, turn_heading, turn_page, view_page,
};
pub use queue_fields::QueueField;
pub use queues::{
    QueueDraft, QueueLine, QueueList, SetLine, list_kinds, list_queues, list_sets, plan_queue,
    read_free_queue_name,
};
pub use reveal::{find_disagreement, reveal_content};
pub use state::{
    BegunFrom, LabelProgress, LabelWriteId, LabellingEffect, LabellingKeys, LabellingRead,
    LabellingState, LabellingText, LabellingUpdate, LabellingWrite, LetterChoice, LetterChoices,
    NextStep, OtherKey, RetractedLabel,
};
pub use work::{LabelItem, LabellingWork, OpenedWork, open_work};
