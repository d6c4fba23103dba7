//! Every integration test, in one binary: linking is what costs on two cores.

mod support;

mod cli_read;
mod dataset;
mod metrics;
mod model;
mod store;
