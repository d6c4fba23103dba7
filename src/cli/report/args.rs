//! Arguments of `elenchus report`.

use clap::Args;
use std::path::PathBuf;

/// `elenchus report`
#[derive(Debug, Args)]
pub struct ReportArgs {
    /// Runs, sweeps, golden sets, passes and sessions by their ids, or beginnings or ends of them; 'last' is the newest
    /// session. A pass stands alone
    #[arg(required = true, value_name = "EXPERIMENT|SESSION")]
    pub subject: Vec<String>,
    /// The file to write, '-' for standard output; one that is there is replaced
    #[arg(long, short, value_name = "FILE")]
    pub output: PathBuf,
    /// A page for people who label: without verdicts, models, arms, protocols and prompts
    #[arg(long, conflicts_with_all = ["private", "labels", "memory", "prompts"])]
    pub blind: bool,
    /// Show what each seat was shown
    #[arg(long)]
    pub views: bool,
    /// Show private reasoning and thinking too
    #[arg(long)]
    pub private: bool,
    /// Show labels and notes of people, and evaluators measured against them
    #[arg(long)]
    pub labels: bool,
    /// Show the entries of long-term memory that debates were shown
    #[arg(long)]
    pub memory: bool,
    /// Show the texts of the prompts, by version
    #[arg(long)]
    pub prompts: bool,
    /// At most so many megabytes: debates are cut from the end, and the page says so
    #[arg(long, value_name = "MB", default_value = "8", value_parser = parse_megabytes)]
    pub max_size: usize,
    /// The date that stands on the page [default: today, UTC]
    #[arg(long, value_name = "YYYY-MM-DD", value_parser = parse_date)]
    pub date: Option<String>,
}

/// Bytes of a megabyte.
const MEGABYTE: f64 = 1_000_000.0;
/// Megabytes of the largest page: programs that show pages come to their ends before.
const MAX_MEGABYTES: f64 = 1_000.0;

fn parse_megabytes(text: &str) -> Result<usize, String> {
    let megabytes: f64 = text
        .parse()
        .map_err(|_| "give megabytes, as 8 or 0.5".to_owned())?;
    if !(megabytes > 0.0 && megabytes <= MAX_MEGABYTES) {
        return Err(format!(
            "give more than 0 and at most {MAX_MEGABYTES} megabytes"
        ));
    }
    // It was checked to be small and positive.
    Ok((megabytes * MEGABYTE).round() as usize)
}

fn parse_date(text: &str) -> Result<String, String> {
    let date: jiff::civil::Date = text
        .parse()
        .map_err(|_| "give a day, as 2026-11-27".to_owned())?;
    Ok(date.to_string())
}
