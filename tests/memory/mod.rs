//! Long-term memory: what debates learn, guardrails, and the search by meaning.

mod guardrail_trials;
mod guardrail_writer;
mod guardrails;
mod judged_by_lessons;
mod judged_games;
mod learning;
mod lookup;
mod many_entries;
mod no_embedder;
mod semantic;
mod semantic_guardrails;
mod semantic_runs;
mod served;
mod single_answers;
mod trained_elsewhere;
mod training;
mod training_simulated;
