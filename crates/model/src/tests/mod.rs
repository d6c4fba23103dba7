//! Models through their public face, most of them against a server on loopback that misbehaves.

mod context;
mod cost;
mod damaged_streams;
mod error_bodies;
mod harness;
mod keys;
mod limits;
mod reasoning_split;
mod replay;
mod simulated;
mod simulated_critics;
mod simulated_fields;
mod simulated_picks;
mod simulated_rates;
mod simulated_words;
mod stream_end;
mod strict_schema;
mod unsupported_parameters;
mod wire;
