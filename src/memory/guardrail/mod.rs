//! Guardrails: what somebody who must be refused is after, with examples of how they may ask.
//!
//! [`Guard`]s are a fold over [`GuardEvent`]s of all journals of a namespace. A debate's lesson
//! proposes one; equal intents become one guardrail with everything that taught it; nothing is used
//! that was not accepted. [`near`] finds those nearest to a topic. Never knows where journals are
//! kept, never calls a model and never decides whether a guardrail matches.

mod event;
mod fold;
mod near;
mod text;

#[cfg(test)]
mod tests;

pub use event::{Acceptance, DerivedBy, GuardEvent, GuardId, GuardReport, Share, TypeShare};
pub use fold::{Guard, GuardFold, GuardJournal, GuardMisfit, GuardVersion, Standing, fold_guards};
pub use near::{NearGuards, near};
pub use text::{
    GuardText, MAX_EXAMPLE_CHARS, MAX_EXAMPLES, MAX_GUARDRAIL_BYTES, MAX_INTENT_CHARS, normal_form,
};
