//! What is kept and what can be done again, through the real program and the simulated model.

mod golden;
mod home;

mod alone;
mod auction;
mod cache;
mod cut;
mod errors;
mod examples;
mod guardrails;
mod imported;
mod killed;
mod learning;
mod measured;
mod own_game;
mod people;
mod pins;
mod same;
mod secrets;
mod shards;
mod side_by_side;
mod truth;
