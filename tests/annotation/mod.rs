//! Queues, blinding, packs, journals of annotators, and the rows of a validation.

mod blinding;
pub mod hostile_packs;
mod journals;
mod killed_merges;
mod labelling;
mod packs;
mod queues;
mod validation_rows;
