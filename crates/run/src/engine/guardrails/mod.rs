//! Guardrails in play: the decision before a turn, and the derivation from a lesson after a debate.

mod derivation;
mod from_session;
pub(crate) mod requests;

pub(crate) use derivation::{
    DerivationEnd, DerivationSource, derive_guardrail, explain_no_guardrails, read_guardrail,
};
pub use from_session::{DerivedFrom, derive_guard};
