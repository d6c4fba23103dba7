//! `elenchus golden`.

pub mod http;
mod simulated;
