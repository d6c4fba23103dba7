//! `elenchus export`, and its way back by `elenchus import`.

mod inspect;
mod journals;
mod spreadsheets;
mod training;
mod turns;
