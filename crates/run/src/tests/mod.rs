//! Debates and experiments played on real journals, without the program; and what stores hold of them.

mod engine;
mod experiments;
mod simulated;
mod stores;
