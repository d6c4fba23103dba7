//! `elenchus sweep`: its plan, what is said before it begins, and its table.

mod estimate;
mod looks;
mod plan;
