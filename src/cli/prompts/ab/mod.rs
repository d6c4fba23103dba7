//! `elenchus prompts ab`: two prompts on the same recorded turns.

use super::{ab_plan, ab_table};
use crate::cli::args_ab::AbArgs;
use crate::cli::estimate;
use crate::cli::exit::Exit;
use crate::cli::page::{self, counted};
use crate::cli::run::on_a_runtime;
use crate::cli::workshop::Workshop;
use crate::driver::tries::{
    Ab, AbEnd, AbState, AbStop, TryFloor, ab_summary, estimate_ab, read_ab,
};
use crate::driver::{Budget, check_budget};
use std::sync::Arc;
use tokio_util::sync::CancellationToken;

/// Progress is told after every so many parts of the whole.
const TOLD_PARTS: usize = 10;

/// Begins a comparison, goes on with one, or shows one.
///
/// # Errors
/// When no turn fits, a text cannot be used, a model cannot be called, or a journal cannot be read.
pub fn run(args: &AbArgs, shop: &Workshop) -> anyhow::Result<Exit> {
    if args.list {
        return list(shop);
    }
    if let Some(id) = &args.show {
        let state = read_ab(&shop.layout, id)?;
        show(args, shop, &state)?;
        return Ok(Exit::Fine);
    }
    on_a_runtime(|cancel| async move { play(args, shop, cancel).await })
}

async fn play(args: &AbArgs, shop: &Workshop, cancel: CancellationToken) -> anyhow::Result<Exit> {
    let asked_usd = args.ends.budget_usd.or(shop.config.defaults.budget_usd);
    check_budget(asked_usd)?;
    let (budget_usd, spent_usd) = match &args.resume {
        Some(id) => {
            let state = read_ab(&shop.layout, id)?;
            let kept = state.manifest.budget_usd;
            (args.ends.budget_usd.or(kept), state.committed_usd)
        }
        None => (asked_usd, 0.0),
    };
    let floor = TryFloor {
        desk: super::desk(shop, "prompts ab")?,
        library: shop.library.clone(),
        seats: Arc::clone(&shop.seats),
        budget: Arc::new(Budget::new(budget_usd, spent_usd)),
        concurrency: args.ends.concurrency,
    };
    let mut ab = match &args.resume {
        Some(id) => Ab::resume(&floor, id, args.ends.budget_usd).await?,
        None => {
            let plan = ab_plan::plan(args, shop, &floor, budget_usd).await?;
            let estimate = estimate_ab(&floor, &plan)?;
            if args.estimate {
                page::out(&format!("{}\n", estimate::line(&estimate)))?;
                return Ok(Exit::Fine);
            }
            page::notice(&format!("estimate: {}", estimate::line(&estimate)));
            Ab::begin(&floor, plan).await?
        }
    };
    let id = ab.state().manifest.id.clone();
    let all = all(ab.state());
    page::notice(&format!(
        "comparison {id}: {} on {}, {} of each prompt: {}{}",
        ab.state().manifest.template,
        ab_table::grounds(ab.state()),
        counted(ab.state().manifest.samples as usize, "sample"),
        counted(all, "sample"),
        match ab.state().manifest.stop {
            AbStop::Fixed => "",
            AbStop::Settled { .. } => " at most, until it is settled",
        }
    ));
    let step = all.div_ceil(TOLD_PARTS).max(1);
    let tell = |state: &AbState| {
        let done = state.played.len();
        if done > 0 && done.is_multiple_of(step) {
            page::notice(&format!("{done} of {all}"));
        }
    };
    let end = ab.play(&floor, tell, &cancel).await?;
    show(args, shop, ab.state())?;
    Ok(match end {
        AbEnd::Completed => Exit::Fine,
        AbEnd::WithFailures(missing) => {
            page::notice(&format!(
                "{} failed; try them again: elenchus prompts ab --resume {id}",
                counted(missing, "sample")
            ));
            Exit::SomeFailed
        }
        AbEnd::Paused(why) => {
            page::notice(&format!(
                "{why}; go on with: elenchus prompts ab --resume {id}"
            ));
            Exit::Unfinished
        }
    })
}

fn all(state: &AbState) -> usize {
    2 * state.manifest.contexts.len() * state.manifest.samples as usize
}

fn show(args: &AbArgs, shop: &Workshop, state: &AbState) -> anyhow::Result<()> {
    let summary = ab_summary(&shop.layout, state)?;
    if args.json {
        let json = ab_table::as_json(state, &summary);
        return page::out(&(page::harmless_json(&json.to_string()) + "\n"));
    }
    match &summary.comparison {
        Ok(compared) => page::out(&ab_table::drawn(state, &summary, compared, shop)),
        Err(error) => {
            page::notice(&format!("nothing to compare: {error}"));
            Ok(())
        }
    }
}

fn list(shop: &Workshop) -> anyhow::Result<Exit> {
    for id in shop.layout.tries().comparisons()?.into_iter().rev() {
        match read_ab(&shop.layout, &id) {
            Ok(state) => {
                let [a, b] = &state.manifest.arms;
                let end = match (&state.paused, state.completed) {
                    (Some(why), _) => format!("paused: {why}"),
                    (None, true) => "complete".to_owned(),
                    (None, false) => "not played to its end".to_owned(),
                };
                page::out(&page::harmless_text(&format!(
                    "{id}  {}: {} against {}, {} of {}, {end}\n",
                    state.manifest.template,
                    a.name,
                    b.name,
                    state.played.len(),
                    counted(all(&state), "sample"),
                )))?;
            }
            Err(error) => page::notice(&format!("notice: {error}")),
        }
    }
    Ok(Exit::Fine)
}
