//! The best of several samples in words, the same in the workbench and in a transcript.

use elenchus_game::debate::State;

/// Says which sample is the best; `None` where there is none.
pub fn best_sample(state: &State) -> Option<String> {
    let best = state.best_sample()?;
    let name = state.protocol()?.name_of(&best.chair);
    let label = best.outcome.label().unwrap_or_default();
    let alike = match best.tied_count {
        0 | 1 => String::new(),
        alike => format!(", the first of {alike} alike"),
    };
    Some(format!(
        "best of {}: {name}, found {label}{alike}",
        best.sample_count
    ))
}
