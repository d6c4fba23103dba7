//! One debate played by the real program, most of them against a loopback server.

mod call_limits;
mod claimed_usage;
mod concurrency;
mod content_filter;
mod empty_replies;
mod failures;
mod graded_answers;
mod guard_models;
mod guard_names;
mod guardrails;
mod helpful;
mod isolation;
mod judged_game;
mod llama_guard;
mod moderated;
mod people_pty;
mod positions;
mod privacy;
mod replay;
mod samples;
mod scripted_seats;
mod seeds;
mod self_judging;
mod spend_limits;
mod stopped;
