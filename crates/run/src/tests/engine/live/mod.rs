//! Live control of a session through the library: real journals, a real server or the simulated
//! model, no waiting for time to pass.

mod changes;
mod failures;
mod harness;
mod people;
mod previews;
mod stepping;
mod stopped;
mod streams;
