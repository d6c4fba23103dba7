//! Records: what a store holds, as objects (`workspace`); what can be played, with its pins (`library`); other
//! people's formats, in and out (`exchange`). It calls no model and shows nothing.

pub mod exchange;
pub mod library;
pub mod workspace;

#[cfg(test)]
mod tests;
