//! Queues, blinding, packs, journals of annotators, and the rows of a validation.

mod blinding;
pub mod hostile_packs;
mod killed_merges;
mod names;
mod packs;
mod people_beside_judges;
pub mod queue_labels;
mod queues;
mod validation_rows;
