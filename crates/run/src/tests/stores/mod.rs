//! Sessions of a store as objects, on journals of debates that the simulated model played.

mod annotations;
mod followed_sessions;
mod forks;
mod lesson_prompts;
mod memory_browser;
mod search;
mod session_filter;
mod session_list;
