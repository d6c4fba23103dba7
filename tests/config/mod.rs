//! Configuration, and sources it is never taken from.

mod trust;
mod write;
