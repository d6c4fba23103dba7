//! Annotation: turns drawn to be labelled by people. Queues, blinded transcripts, packs for other machines,
//! imported labels, and the validation of evaluators against labels.

mod blinded;
mod hidden_verdicts;
pub mod import;
mod journal_kinds;
pub mod labelling;
pub mod pack;
pub mod queue;
mod session_listing;
pub mod validation;

pub use blinded::{
    BlindedConclusion, BlindedPart, BlindedTranscript, BlindedTurn, ConclusionShown,
    TranscriptParts, read_blinded_transcript,
};
pub use hidden_verdicts::{hidden_sessions, hide_verdicts, refuse_hidden_verdicts};
pub use journal_kinds::JOURNAL_KINDS;
pub use session_listing::{ListingPart, ListingSource};

#[cfg(test)]
mod tests;
