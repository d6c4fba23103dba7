//! How much of a long test is drawn: topics of a sweep, data sets of a simulation, with the slack that chance then needs, and
//! points at which a process is killed.

use std::ops::RangeInclusive;

/// Set where everything is drawn, as `.ci/run --full` does: that takes minutes.
const ALL: &str = "ELENCHUS_TEST_SIMULATIONS";
/// Of how many data sets one is drawn otherwise; chance then moves a share nearly three times as far.
const ONE_OF: u64 = 8;

/// Says whether everything is drawn.
pub fn draws_all() -> bool {
    std::env::var_os(ALL).is_some()
}

/// Returns how many of these data sets, or topics, are drawn.
pub fn datasets(all: u64) -> u64 {
    if draws_all() { all } else { all / ONE_OF }
}

/// The same where a data set takes long: of those that are drawn otherwise only every second one.
pub fn sparse_datasets(all: u64) -> u64 {
    if draws_all() { all } else { all / ONE_OF / 2 }
}

/// Returns how far a share, or a mean, of all data sets may be off, for those that are drawn.
pub fn slack(all: f64) -> f64 {
    if draws_all() {
        all
    } else {
        all * (ONE_OF as f64).sqrt()
    }
}

/// Returns the numbers below `all` of the kills that are tried: each, or every third.
pub fn kills(all: usize) -> impl Iterator<Item = usize> {
    (0..all).step_by(if draws_all() { 1 } else { 3 })
}

/// Returns where the coverage of intervals of 95 % lies, found with so many data sets: within .02 of
/// it, or, with fewer than all, within three standard errors.
pub fn honest(drawn: u64) -> RangeInclusive<f64> {
    let by_chance = 3.0 * (0.95 * 0.05 / drawn as f64).sqrt();
    let slack = if draws_all() { 0.02 } else { by_chance };
    0.95 - slack..=0.95 + slack
}
