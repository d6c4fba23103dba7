//! Language models through their public face, against a real server that misbehaves.

mod dialects;
mod key_travel;
mod names;
mod prices;
mod unpriced;
