//! `elenchus prompts ab`: two prompts compared on recorded turns or in fresh debates.

mod args;
mod plan;
mod table;

use crate::cli::common::{Exit, ExperimentCommand, Watched, Workshop, counted, output};
use crate::cli::experiments::list;
use anyhow::Result;
pub(crate) use args::AbArgs;
use elenchus_run::experiments::prompt_ab::{Ab, AbState, AbStop, ab_summary, estimate_ab, read_ab};
use elenchus_run::experiments::{ListedExperiment, find_experiment};

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
        let state = known(shop, id)?;
        show(args, shop, &state)?;
        return Ok(Exit::Fine);
    }
    ExperimentCommand::run(COMMAND, &args.experiment, shop, |command| {
        play(command, args)
    })
}

async fn play(command: ExperimentCommand<'_>, all: &AbArgs) -> Result<Exit> {
    let args = command.args;
    let resumed = args.resume.as_ref();
    let resumed = resumed.map(|id| known(&command.shop, id)).transpose()?;
    let resumed = resumed.map(|state| state.manifest);
    let ceilings = match &resumed {
        Some(manifest) => manifest.plan.ceilings,
        None => command.shop.ceilings(&args.budget)?,
    };
    let command = command.under(ceilings)?;
    let shop = &command.shop;
    let Watched { context, progress } = command.watched(("sample", "samples"), (0, 0))?;
    let mut ab = match resumed {
        Some(manifest) => Ab::resume(&context, &manifest.id, args.budget.typed()?).await?,
        None => {
            let plan = plan::plan(all, shop, &context, ceilings).await?;
            let estimate = estimate_ab(&context, &plan)?;
            if command.print_estimate(Some(&estimate), ceilings)? {
                return Ok(Exit::Fine);
            }
            Ab::begin(&context, plan).await?
        }
    };
    output::notices(&ab.log.notices);
    let manifest = &ab.log.state.manifest;
    let id = manifest.id.clone();
    command.say(&format!(
        "comparison {id}: {} on {}, {} of each prompt: {}{}",
        manifest.plan.template,
        table::grounds(&ab.log.state),
        counted(manifest.plan.samples as usize, "sample"),
        counted(ab.log.state.places().count(), "sample"),
        match manifest.plan.stop {
            AbStop::Fixed => "",
            AbStop::Settled { .. } => " at most, until it is settled",
        }
    ));
    let end = ab.play(&context, |_| {}).await;
    progress.end();
    let end = end?;
    match command.prints_id_alone() {
        true => output::out(&format!("{id}\n"))?,
        false => show(all, shop, &ab.log.state)?,
    }
    Ok(command.print_end(&end, &ab.log.summary()))
}

/// Reads a comparison that is named by its id, or by the beginning or end of that.
fn known(shop: &Workshop, id: &str) -> Result<AbState> {
    let found = find_experiment(&shop.layout, id)?;
    Ok(read_ab(&shop.layout, &found.summary.id)?)
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
