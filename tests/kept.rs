//! What is kept and what can be done again, through the real program and the simulated model.

mod home;

mod cache;
mod cut;
mod killed;
mod learning;
mod people;
mod same;
mod shards;
mod side_by_side;
