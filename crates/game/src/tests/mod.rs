//! The game through its public face: laws that hold for every protocol, refusals, and replies read as verdicts.

mod debate;
mod judge;
