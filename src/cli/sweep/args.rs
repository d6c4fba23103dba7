//! Arguments of `elenchus sweep`.

use crate::cli::common::args::{ExperimentArgs, GOING_ON, KeyArgs, make_exclusive};
use clap::Args;
use std::path::PathBuf;

const SWEEP_USAGE: &str = "\
elenchus sweep <FILE> [OPTIONS]
       elenchus sweep --resume <SWEEP>
       elenchus sweep --show <SWEEP>
       elenchus sweep --list";

/// `elenchus sweep`
#[derive(Debug, Default, Args)]
#[command(
    override_usage = SWEEP_USAGE,
    defer(|command| make_exclusive(command, "resume", &["csv"])),
    mut_arg("estimate", |estimate| estimate.conflicts_with_all(["show", "list"])),
    mut_arg("key", |key| key.conflicts_with_all(["show", "list"])),
    mut_arg("concurrency", |concurrency| concurrency.conflicts_with_all(["show", "list"])),
)]
pub struct SweepArgs {
    /// The plan (TOML): a data set, base settings, [axes] whose product is played, [[arms]] that are listed, seeds, [budget]
    #[arg(value_name = "FILE", required_unless_present_any = ["resume", "show", "list"])]
    pub file: Option<PathBuf>,
    #[command(flatten)]
    pub experiment: ExperimentArgs,
    #[command(flatten)]
    pub repeat: KeyArgs,
    /// Print the figures of a sweep, whether it is over or not
    #[arg(long, value_name = "SWEEP", conflicts_with_all = ["file", "list", "BudgetArgs"], help_heading = GOING_ON)]
    pub show: Option<String>,
    /// List sweeps
    #[arg(long, conflicts_with_all = ["file", "BudgetArgs", "csv"], help_heading = GOING_ON)]
    pub list: bool,
    /// Its figures as CSV
    #[arg(long, conflicts_with = "json", help_heading = GOING_ON)]
    pub csv: bool,
}
