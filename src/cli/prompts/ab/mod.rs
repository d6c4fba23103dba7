//! `elenchus prompts ab`: two prompts compared on recorded turns or in fresh debates.

mod args;
mod plan;
mod table;

use crate::cli::common::{
    CommandContext, Exit, ExperimentCommand, ExperimentMonitor, format_noun_count, output,
};
use crate::cli::experiments::print_experiments;
use anyhow::Result;
pub(crate) use args::AbArgs;
use elenchus_run::experiments::prompt_ab::{
    Ab, AbState, AbStop, estimate_ab, has_one_text, read_ab, read_ab_summary,
};
use elenchus_run::experiments::{ListedExperiment, find_experiment};

/// Words of the command.
const COMMAND: &str = "prompts ab";

/// Begins a comparison, goes on with one, or shows one.
///
/// # Errors
/// When no turn fits, a text cannot be used, a model cannot be called, or a journal cannot be read.
pub fn run(args: &AbArgs, context: &CommandContext) -> Result<Exit> {
    if args.list {
        let comparisons = ListedExperiment::is_prompt_comparison;
        return print_experiments(comparisons, None, args.experiment.json, context).map(Exit::from);
    }
    if let Some(id) = &args.show {
        let state = read_comparison(context, id)?;
        print_ab_summary(args, context, &state)?;
        return Ok(Exit::Fine);
    }
    ExperimentCommand::run(COMMAND, &args.experiment, context, |command| {
        play_comparison(command, args)
    })
}

async fn play_comparison(command: ExperimentCommand<'_>, all: &AbArgs) -> Result<Exit> {
    let args = command.args;
    let earlier_plan = args.resume.as_ref();
    let earlier_plan = earlier_plan
        .map(|id| read_comparison(&command.context, id))
        .transpose()?;
    let earlier_plan = earlier_plan.map(|state| state.manifest);
    let ceilings = match &earlier_plan {
        Some(manifest) => manifest.plan.ceilings,
        None => command.context.resolve_ceilings(&args.budget)?,
    };
    let command = command.with_ceilings(ceilings)?;
    let command_context = &command.context;
    let ExperimentMonitor { context, progress } =
        command.start_progress(("sample", "samples"), (0, 0));
    let mut ab = match earlier_plan {
        Some(manifest) => Ab::resume(&context, &manifest.id, args.budget.typed_ceilings()?).await?,
        None => {
            let plan = plan::plan_comparison(all, command_context, &context, ceilings).await?;
            if has_one_text(&command_context.store.layout, &plan)? {
                output::print_notice(
                    "warning: A and B are one text: what would differ between them is chance",
                );
            }
            let estimate = estimate_ab(&context, &plan)?;
            if let Some(power) = plan.describe_power() {
                command.print_unless_quiet(&power);
            }
            if command.print_estimate(Some(&estimate), ceilings)? {
                return Ok(Exit::Fine);
            }
            Ab::begin(&context, plan).await?
        }
    };
    output::print_notices(&ab.log.notices);
    let manifest = &ab.log.state.manifest;
    let id = manifest.id.clone();
    command.print_unless_quiet(&format!(
        "comparison {id}: {} on {}, {} of each prompt: {}{}",
        manifest.plan.template,
        table::describe_contexts(&ab.log.state),
        format_noun_count(manifest.plan.samples as usize, "sample"),
        format_noun_count(ab.log.state.planned_cells().count(), "sample"),
        match manifest.plan.stop {
            AbStop::Fixed => "",
            AbStop::Settled { .. } => " at most, until it is settled",
        }
    ));
    let end = ab.play_comparison(&context, |_| {}).await;
    progress.finish_bar();
    let end = end?;
    match command.prints_id_alone() {
        true => output::print_text(&format!("{id}\n"))?,
        false => print_ab_summary(all, command_context, &ab.log.state)?,
    }
    Ok(command.print_end(&end, &ab.log.summarize()))
}

/// Reads a comparison that is named by its id, or by the beginning or end of that.
fn read_comparison(context: &CommandContext, id: &str) -> Result<AbState> {
    let experiment = find_experiment(&context.store.layout, id)?;
    Ok(read_ab(&context.store.layout, &experiment.summary.id)?)
}

fn print_ab_summary(args: &AbArgs, context: &CommandContext, state: &AbState) -> Result<()> {
    let summary = read_ab_summary(&context.store.layout, state)?;
    if args.experiment.json {
        return output::print_json_lines([table::comparison_to_json(state, &summary)]);
    }
    match &summary.comparison {
        Ok(_) => output::print_text(&table::format_comparison(state, &summary, context)),
        Err(error) => {
            output::print_notice(&format!("nothing to compare: {error}"));
            Ok(())
        }
    }
}
