//! `elenchus verify`.

mod other_journals;
mod sessions;
