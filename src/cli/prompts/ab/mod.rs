//! `elenchus prompts ab`: two prompts compared on recorded turns or in fresh debates.

mod args;
mod plan;
mod table;

use crate::cli::common::{
    Exit, Workshop, counted, output, print_end, print_estimate, run_experiment,
};
use crate::cli::experiments::list;
use crate::experiments::ListedExperiment;
use crate::experiments::prompt_ab::{Ab, AbState, AbStop, ab_summary, estimate_ab, read_ab};
use anyhow::Result;
pub(crate) use args::AbArgs;
use tokio_util::sync::CancellationToken;

/// Words of the command.
const COMMAND: &str = "prompts ab";

/// Begins a comparison, goes on with one, or shows one.
///
/// # Errors
/// When no turn fits, a text cannot be used, a model cannot be called, or a journal cannot be read.
pub fn run(args: &AbArgs, shop: &Workshop) -> Result<Exit> {
    if args.list {
        let comparisons = ListedExperiment::is_prompt_comparison;
        return list(comparisons, None, args.experiment.json, shop).map(Exit::from);
    }
    if let Some(id) = &args.show {
        let state = read_ab(&shop.layout, id)?;
        show(args, shop, &state)?;
        return Ok(Exit::Fine);
    }
    run_experiment(&args.experiment, COMMAND, |cancel| play(args, shop, cancel))
}

async fn play(all: &AbArgs, shop: &Workshop, cancel: CancellationToken) -> Result<Exit> {
    let args = &all.experiment;
    let ceilings = match &args.resume {
        Some(id) => read_ab(&shop.layout, id)?.manifest.ceilings,
        None => shop.ceilings(&args.budget)?,
    };
    let shop = &shop.counting(&args.budget, ceilings)?;
    let names = ("sample", "samples");
    let (context, progress) = shop.watched(COMMAND, args, (names, (0, 0)), cancel)?;
    let mut ab = match &args.resume {
        Some(id) => Ab::resume(&context, id, args.budget.typed()?).await?,
        None => {
            let plan = plan::plan(all, shop, &context, ceilings).await?;
            let estimate = estimate_ab(&context, &plan)?;
            if print_estimate(args, Some(&estimate), ceilings)? {
                return Ok(Exit::Fine);
            }
            Ab::begin(&context, plan).await?
        }
    };
    output::notices(&ab.log.notices);
    let manifest = &ab.log.state.manifest;
    let id = manifest.id.clone();
    if !args.quiet {
        output::notice(&format!(
            "comparison {id}: {} on {}, {} of each prompt: {}{}",
            manifest.template,
            table::grounds(&ab.log.state),
            counted(manifest.samples as usize, "sample"),
            counted(samples(&ab.log.state), "sample"),
            match manifest.stop {
                AbStop::Fixed => "",
                AbStop::Settled { .. } => " at most, until it is settled",
            }
        ));
    }
    let end = ab.play(&context, |_| {}).await;
    progress.end();
    let end = end?;
    match args.quiet && !args.json {
        true => output::out(&format!("{id}\n"))?,
        false => show(all, shop, &ab.log.state)?,
    }
    Ok(print_end(&end, &ab.log.summary(), COMMAND, args))
}

fn samples(state: &AbState) -> usize {
    2 * state.manifest.contexts.len() * state.manifest.samples as usize
}

fn show(args: &AbArgs, shop: &Workshop, state: &AbState) -> Result<()> {
    let summary = ab_summary(&shop.layout, state)?;
    if args.experiment.json {
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
