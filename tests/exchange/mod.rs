//! Other people's formats, out of the real program.

mod colang;
mod round_records;
