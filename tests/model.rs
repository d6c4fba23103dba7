//! Language models through their public face, against a real server that misbehaves.

mod common;
mod cost;
mod keys;
mod limits;
mod replay;
mod sim;
mod sim_critics;
mod sim_fields;
mod sim_picks;
mod sim_rates;
mod strict;
mod think;
mod wire;
