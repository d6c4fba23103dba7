//! One debate, played and controlled.

mod live;
mod live_sessions;
mod setup;
