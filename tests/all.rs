//! Every integration test, in one binary: linking is what costs on two cores.

mod support;

mod beside;
mod cli_read;
mod dataset;
mod debate;
mod judge;
mod kept;
mod layers;
mod metrics;
mod model;
mod readme;
mod served;
mod store;
mod views;
