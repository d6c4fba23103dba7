//! The game: a protocol and the events so far go in, the set of open steps comes out.
//!
//! Pure: no I/O, clock, randomness, async or logging; time and authors arrive inside events.

pub mod topic;

pub use topic::{Document, Reference, Topic, Utterance, UtteranceRole};
