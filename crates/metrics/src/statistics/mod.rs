//! Statistics: intervals, paired tests, agreement, and correction of evaluator error.

pub(crate) mod agreement;
pub(crate) mod bootstrap;
pub(crate) mod combined_interval;
pub(crate) mod confidence_sequence;
pub(crate) mod difference_interval;
pub(crate) mod evaluator_error;
pub(crate) mod few_apart;
pub(crate) mod interval;
pub(crate) mod p_value;
pub(crate) mod paired_tests;
pub(crate) mod power;
pub(crate) mod quantile;
pub(crate) mod run_level;
pub(crate) mod sums;
pub(crate) mod two_samples;
