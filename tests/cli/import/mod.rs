//! `elenchus import`, of journals and of transcripts that were labelled elsewhere.

mod acts;
mod folders;
mod inspect;
mod label_tools;
mod label_words;
mod lessons;
mod round_trip;
mod times;
mod transcripts;
