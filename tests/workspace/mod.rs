//! Sessions of a store as objects, on real journals of the simulated model, and what is read off them.

mod debate_blocks;
mod followed_sessions;
mod forks;
mod search;
mod seat_view;
mod session_browser;
mod session_diff;
mod session_filter;
mod session_list;
mod written_once;
