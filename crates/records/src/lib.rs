//! Records

pub mod exchange;
pub mod library;
pub mod workspace;

// Builders of games are shared with tests of other crates, which name this one.
#[cfg(test)]
extern crate self as elenchus_records;
#[cfg(test)]
mod tests;
