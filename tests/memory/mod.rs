//! Long-term memory: what debates learn, guardrails, and the search by meaning.

mod browser;
mod guardrail_trials;
mod guardrails;
mod indexed;
mod learning;
mod many_entries;
mod many_vectors;
mod no_embedder;
mod semantic;
mod semantic_guardrails;
mod semantic_runs;
mod vectors_killed;
