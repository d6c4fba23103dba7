//! A session under somebody's hands, through the driver's public face: real journals, a real server
//! or the simulated model, and nobody who waits for time to pass.

mod changes;
mod failures;
mod kit;
mod paces;
mod people;
mod previews;
mod streams;
