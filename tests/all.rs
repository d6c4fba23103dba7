//! Every integration test, in one binary: linking is what costs on two cores.

mod support;

mod dataset;
mod judge;
mod metrics;
mod model;
mod store;
