//! Sessions of a store as objects, on real journals of the simulated model.

mod followed_sessions;
mod forks;
mod search;
mod session_list;
mod written_once;
