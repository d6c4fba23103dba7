//! `elenchus import`.

mod folders;
mod label_words;
mod transcripts;
