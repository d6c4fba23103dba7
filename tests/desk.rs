//! What a workbench needs of a store, on real journals of the simulated model.

mod branches;
mod kit;
mod listed;
mod margins;
mod passes;
mod planned;
mod searched;
mod tails;
