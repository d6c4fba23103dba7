//! Run

pub mod drafts;
pub mod engine;
pub mod experiments;

#[cfg(test)]
mod tests;
