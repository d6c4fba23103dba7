//! prompt

pub mod fence;
