//! `elenchus prompts ab`: two prompts compared on recorded turns or in fresh debates.

mod args;
mod plan;
mod table;
mod text;

use crate::cli::common::Exit;
use crate::cli::common::Workshop;
use crate::cli::common::estimate;
use crate::cli::common::run_interruptible;
use crate::cli::common::{counted, output};
use crate::engine::check_budget;
use crate::engine::cost::Budget;
use crate::experiments::ExperimentEnd;
use crate::experiments::prompt_ab::{Ab, AbState, AbStop, ab_summary, estimate_ab, read_ab};
use crate::experiments::prompt_trial::TryFloor;
pub(crate) use args::AbArgs;
use std::sync::Arc;
use tokio_util::sync::CancellationToken;

/// Number of progress lines over the whole.
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
    run_interruptible(|cancel| async move { play(args, shop, cancel).await })
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
        desk: shop.desk("prompts ab", None)?,
        library: shop.library.clone(),
        seats: Arc::clone(&shop.seats),
        budget: Arc::new(Budget::new(budget_usd, spent_usd)),
        concurrency: args.ends.concurrency,
    };
    let mut ab = match &args.resume {
        Some(id) => Ab::resume(&floor, id, args.ends.budget_usd).await?,
        None => {
            let plan = plan::plan(args, shop, &floor, budget_usd).await?;
            let estimate = estimate_ab(&floor, &plan)?;
            if args.estimate {
                output::out(&format!("{}\n", estimate::line(&estimate)))?;
                return Ok(Exit::Fine);
            }
            output::notice(&format!("estimate: {}", estimate::line(&estimate)));
            Ab::begin(&floor, plan).await?
        }
    };
    let id = ab.state().manifest.id.clone();
    let all = all(ab.state());
    output::notice(&format!(
        "comparison {id}: {} on {}, {} of each prompt: {}{}",
        ab.state().manifest.template,
        table::grounds(ab.state()),
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
            output::notice(&format!("{done} of {all}"));
        }
    };
    let end = ab.play(&floor, tell, &cancel).await?;
    show(args, shop, ab.state())?;
    let again = format!("elenchus prompts ab --resume {id}");
    match &end {
        ExperimentEnd::Completed => {}
        ExperimentEnd::WithFailures(missing) => {
            let missing = counted(*missing, "sample");
            output::notice(&format!("{missing} failed; try them again: {again}"));
        }
        ExperimentEnd::Paused(why) => output::notice(&format!("{why}; go on with: {again}")),
    }
    Ok(Exit::from(&end))
}

fn all(state: &AbState) -> usize {
    2 * state.manifest.contexts.len() * state.manifest.samples as usize
}

fn show(args: &AbArgs, shop: &Workshop, state: &AbState) -> anyhow::Result<()> {
    let summary = ab_summary(&shop.layout, state)?;
    if args.json {
        let json = table::as_json(state, &summary);
        return output::out(&(output::harmless_json(&json.to_string()) + "\n"));
    }
    match &summary.comparison {
        Ok(compared) => output::out(&table::drawn(state, &summary, compared, shop)),
        Err(error) => {
            output::notice(&format!("nothing to compare: {error}"));
            Ok(())
        }
    }
}

fn list(shop: &Workshop) -> anyhow::Result<Exit> {
    for id in shop.layout.tries().names("ab")?.into_iter().rev() {
        match read_ab(&shop.layout, &id) {
            Ok(state) => {
                let [a, b] = &state.manifest.arms;
                let end = match (&state.paused, state.completed) {
                    (Some(why), _) => format!("paused: {why}"),
                    (None, true) => "complete".to_owned(),
                    (None, false) => "not played to its end".to_owned(),
                };
                output::out(&output::harmless_text(&format!(
                    "{id}  {}: {} against {}, {} of {}, {end}\n",
                    state.manifest.template,
                    a.name,
                    b.name,
                    state.played.len(),
                    counted(all(&state), "sample"),
                )))?;
            }
            Err(error) => output::notice(&format!("notice: {error}")),
        }
    }
    Ok(Exit::Fine)
}
