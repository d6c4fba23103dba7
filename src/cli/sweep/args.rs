//! Arguments of `elenchus sweep`.

use crate::cli::common::args::{BudgetArgs, FigureFormatArgs, UnlistedArgs, at_least_one};
use clap::Args;
use std::path::PathBuf;

const GOING_ON: &str = "Resuming and looking";

const SWEEP_USAGE: &str = "\
elenchus sweep <FILE> [OPTIONS]
       elenchus sweep --resume <SWEEP>
       elenchus sweep --show <SWEEP>
       elenchus sweep --list";

/// `elenchus sweep`
#[derive(Debug, Default, Args)]
#[command(override_usage = SWEEP_USAGE)]
pub struct SweepArgs {
    /// The plan (TOML): a data set, base settings, [axes] whose product is played, [[arms]] that are listed, seeds, [budget]
    #[arg(value_name = "FILE", required_unless_present_any = ["resume", "show", "list"])]
    pub file: Option<PathBuf>,
    /// Say what it would take (arms, calls, tokens, cost, time), and play and write nothing
    #[arg(long, conflicts_with_all = ["resume", "show", "list"])]
    pub estimate: bool,
    /// Print nothing but the sweep's id, or with --json or --csv its figures
    #[arg(long, short)]
    pub quiet: bool,
    /// Debates of a point played side by side [default: 16]
    #[arg(long, value_name = "N", value_parser = at_least_one::<usize>, conflicts_with_all = ["show", "list"])]
    pub concurrency: Option<usize>,
    #[command(flatten)]
    pub budget: BudgetArgs,
    #[command(flatten)]
    pub names: UnlistedArgs,
    /// Go on with a sweep, as it was begun
    #[arg(long, value_name = "SWEEP", conflicts_with_all = ["file", "show", "list"], help_heading = GOING_ON)]
    pub resume: Option<String>,
    /// Print the figures of a sweep, whether it is over or not
    #[arg(long, value_name = "SWEEP", conflicts_with_all = ["file", "list", "BudgetArgs"], help_heading = GOING_ON)]
    pub show: Option<String>,
    /// List sweeps
    #[arg(long, conflicts_with_all = ["file", "BudgetArgs", "csv"], help_heading = GOING_ON)]
    pub list: bool,
    #[command(flatten)]
    pub format: FigureFormatArgs,
}
