//! Language models through their public face, against a real server that misbehaves.

mod common;
mod context;
mod cost;
mod finish;
mod keys;
mod limits;
mod refusals;
mod refused;
mod replay;
mod sim;
mod sim_critics;
mod sim_fields;
mod sim_picks;
mod sim_rates;
mod strict;
mod think;
mod wire;
