//! `elenchus prompts ab`: two prompts compared on recorded turns or in fresh debates.

mod args;
mod plan;
mod table;
mod text;

use crate::cli::common::{
    Exit, ExperimentProgress, Workshop, counted, estimate, output, print_end, run_interruptible,
};
use crate::debate::protocol::Ceilings;
use crate::engine::check_budget;
use crate::experiments::prompt_ab::{Ab, AbState, AbStop, ab_summary, estimate_ab, read_ab};
use anyhow::Result;
pub(crate) use args::AbArgs;
use tokio_util::sync::CancellationToken;

/// Begins a comparison, goes on with one, or shows one.
///
/// # Errors
/// When no turn fits, a text cannot be used, a model cannot be called, or a journal cannot be read.
pub fn run(args: &AbArgs, shop: &Workshop) -> Result<Exit> {
    if args.list {
        return list(shop);
    }
    if let Some(id) = &args.show {
        let state = read_ab(&shop.layout, id)?;
        show(args, shop, &state)?;
        return Ok(Exit::Fine);
    }
    run_interruptible(|cancel| play(args, shop, cancel))
}

async fn play(args: &AbArgs, shop: &Workshop, cancel: CancellationToken) -> Result<Exit> {
    let budget_usd = args.ends.budget_usd.or(shop.config.defaults.budget_usd);
    check_budget(budget_usd)?;
    let progress = ExperimentProgress::begin(("sample", "samples"), (0, 0), false);
    let concurrency = Some(args.ends.concurrency);
    let (context, progress) =
        shop.watched_experiment("prompts ab", progress, concurrency, cancel)?;
    let mut ab = match &args.resume {
        Some(id) => {
            let ceilings = Ceilings::of_usd(args.ends.budget_usd);
            Ab::resume(&context, id, ceilings).await?
        }
        None => {
            let plan = plan::plan(args, shop, &context, budget_usd).await?;
            let estimate = estimate_ab(&context, &plan)?;
            if args.estimate {
                output::out(&format!("{}\n", estimate::line(&estimate)))?;
                return Ok(Exit::Fine);
            }
            output::notice(&format!("estimate: {}", estimate::line(&estimate)));
            Ab::begin(&context, plan).await?
        }
    };
    output::notices(ab.notices());
    let id = ab.state().manifest.id.clone();
    output::notice(&format!(
        "comparison {id}: {} on {}, {} of each prompt: {}{}",
        ab.state().manifest.template,
        table::grounds(ab.state()),
        counted(ab.state().manifest.samples as usize, "sample"),
        counted(all(ab.state()), "sample"),
        match ab.state().manifest.stop {
            AbStop::Fixed => "",
            AbStop::Settled { .. } => " at most, until it is settled",
        }
    ));
    let end = ab.play(&context, |_| {}).await;
    progress.end();
    let end = end?;
    show(args, shop, ab.state())?;
    let again = format!("elenchus prompts ab --resume {id}");
    print_end(&end, &ab.summary(), &again, "");
    Ok(Exit::from(&end))
}

fn all(state: &AbState) -> usize {
    2 * state.manifest.contexts.len() * state.manifest.samples as usize
}

fn show(args: &AbArgs, shop: &Workshop, state: &AbState) -> Result<()> {
    let summary = ab_summary(&shop.layout, state)?;
    if args.json {
        return output::json_lines([table::as_json(state, &summary)]);
    }
    match &summary.comparison {
        Ok(compared) => output::out(&table::drawn(state, &summary, compared, shop)),
        Err(error) => {
            output::notice(&format!("nothing to compare: {error}"));
            Ok(())
        }
    }
}

fn list(shop: &Workshop) -> Result<Exit> {
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
