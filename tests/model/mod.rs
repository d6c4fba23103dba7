//! Language models through their public face, against a real server that misbehaves.

mod context;
mod cost;
mod dialects;
mod error_bodies;
pub mod harness;
mod key_travel;
mod keys;
mod limits;
mod names;
mod prices;
mod reasoning_split;
mod replay;
mod simulated;
mod simulated_critics;
mod simulated_fields;
mod simulated_picks;
mod simulated_rates;
mod stream_end;
mod strict_schema;
mod unpriced;
mod unsupported_parameters;
mod wire;
