//! Duration of a debate: the critical path of its dry run, with the latency of each chair's calls. Sends nothing.

use super::estimate::dry_run_rounds;
use crate::engine::dry_run::{DryRun, timed_walk};
use elenchus_game::debate::event::Created;
use elenchus_game::debate::{Chair, State};
use elenchus_records::library::Game;
use elenchus_records::workspace::rows::critical_path_ms;
use std::collections::BTreeMap;

/// Duration of a debate, every round played and no call made twice.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct DebateDuration {
    /// The longest chain of calls in which each waits for the one before.
    pub critical_path_ms: f64,
    /// The calls of each chair.
    pub calls: BTreeMap<Chair, f64>,
}

/// Returns how long a debate takes where each call of a chair takes as many milliseconds as
/// `latencies` says, and nothing where it says none; `None` where the game is too large for a dry run.
pub(crate) fn debate_duration(
    created: &Created,
    game: &Game,
    latencies: &BTreeMap<Chair, u64>,
) -> Option<DebateDuration> {
    let dry_rounds = dry_run_rounds(created);
    let walk = |rounds: u32| {
        let mut short_debate = created.clone();
        short_debate.protocol.rounds = rounds;
        let (state, walk) = timed_walk(short_debate, game, latencies)?;
        Some(measure_duration(&state, &walk))
    };
    let whole = walk(dry_rounds)?;
    let beyond = f64::from(created.protocol.rounds - dry_rounds);
    if beyond == 0.0 {
        return Some(whole);
    }
    // Each further round takes as long as the last one.
    let before = walk(dry_rounds - 1)?;
    let longer = |whole: f64, before: f64| whole + beyond * (whole - before);
    let calls = whole.calls.iter().map(|(chair, calls)| {
        let earlier = before.calls.get(chair).copied().unwrap_or(0.0);
        (chair.clone(), longer(*calls, earlier))
    });
    Some(DebateDuration {
        critical_path_ms: longer(whole.critical_path_ms, before.critical_path_ms),
        calls: calls.collect(),
    })
}

fn measure_duration(state: &State, walk: &DryRun) -> DebateDuration {
    let tallies = walk.tallies.iter();
    DebateDuration {
        critical_path_ms: critical_path_ms(state) as f64,
        calls: tallies
            .map(|(chair, tally)| (chair.clone(), tally.calls as f64))
            .collect(),
    }
}
