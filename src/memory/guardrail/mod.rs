//! Guardrails: intents that must be refused, with examples of requests.
//!
//! [`Guard`]s are a fold over [`GuardEvent`]s of all journals of a namespace. A debate's lesson
//! proposes one; equal intents become one guardrail with all its origins; only accepted ones are
//! used. [`near`] finds those nearest to a topic. Never knows where journals are stored, never
//! calls a model and never decides whether a guardrail matches.

mod event;
mod fold;
mod nearest;
mod text;

#[cfg(test)]
mod tests;

pub use event::{
    DerivedBy, GuardAcceptance, GuardEvent, GuardId, GuardReport, MatchShare, TypeShare,
};
pub use fold::{Guard, GuardFold, GuardJournal, GuardStatus, fold_guards};
pub use nearest::nearest_guards;
pub use text::{GuardText, MAX_EXAMPLE_CHARS, MAX_EXAMPLES, MAX_GUARDRAIL_BYTES};
