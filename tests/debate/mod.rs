//! The game, through its public face: laws that hold for every protocol, and refusals.

mod calls;
mod governed;
mod guards;
mod kitchen;
mod laws;
mod prompted;
mod refusals;
mod table;
