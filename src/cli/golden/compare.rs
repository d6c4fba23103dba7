//! Comparison of the two runs of a golden set; plays nothing.

use super::args::GoldenShowArgs;
use crate::cli::common::{CommandContext, Exit, output};
use crate::cli::metrics::clean_json_lines;
use anyhow::Result;
use elenchus_game::debate::RunId;
use elenchus_metrics::{GoldenArm, GoldenComparison};
use elenchus_records::workspace::find_run;
use elenchus_records::workspace::rows::run_rows;
use elenchus_records::workspace::run::read_run;

/// Compares two runs once more.
pub(super) fn show_comparison(args: &GoldenShowArgs, context: &CommandContext) -> Result<Exit> {
    let debates = find_run(&context.store.layout, &args.debates)?;
    let singles = find_run(&context.store.layout, &args.singles)?;
    print_comparison(context, &debates, &singles, args.output.json)?;
    Ok(Exit::Fine)
}

/// Prints the comparison of two runs, and what the debates say of their own quality.
pub(super) fn print_comparison(
    context: &CommandContext,
    debates: &RunId,
    singles: &RunId,
    json: bool,
) -> Result<()> {
    let comparison =
        GoldenComparison::compare(&read_arm(context, debates)?, &read_arm(context, singles)?)?;
    output::print_text(&if json {
        clean_json_lines(&serde_json::to_string_pretty(&comparison)?)
    } else {
        output::clean_lines(&comparison.to_text(output::width()))
    })
}

fn read_arm(context: &CommandContext, run: &RunId) -> Result<GoldenArm> {
    let state = read_run(&context.store.layout.run_path(run.as_str())?)?;
    let manifest = state.manifest;
    let families = context.library.read_families()?;
    Ok(GoldenArm {
        done: state.finished.len(),
        rows: context.with_rows(|index| run_rows(index, run, &families))?,
        run: manifest.run,
        protocol: manifest.protocol,
        dataset: manifest.dataset.path,
        sha256: manifest.dataset.sha256,
        seed: manifest.seed,
        rollouts: manifest.rollouts,
        items: manifest.items,
    })
}
