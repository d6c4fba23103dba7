//! `elenchus protocols`.

mod diff;
mod show;
