//! `elenchus golden`.

mod http;
mod simulated;
