//! Sessions of a store as objects, on real journals of the simulated model, and what is read off them.

mod written_once;
