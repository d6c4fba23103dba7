//! Records

pub mod exchange;
pub mod library;
pub mod workspace;
