//! Two prompts compared on many recorded turns.

mod early_stop;
mod fresh_debates;
pub mod http;
mod power;
mod preference;
mod refused;
mod verdicts;
