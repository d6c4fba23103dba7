//! `elenchus metrics --pass` of a pass that replaced critiques: what each does to the judge's decision.

use super::{MetricsArgs, clean_json_lines, is_asked_for, print_notices};
use crate::cli::common::{CommandContext, output};
use anyhow::{Result, bail};
use elenchus_game::debate::SessionId;
use elenchus_metrics::{ReplacedComparison, ReportSettings, Resampling};
use elenchus_records::library::ModelFamilies;
use elenchus_records::workspace::StoreIndex;
use elenchus_records::workspace::pass::Pass;
use elenchus_records::workspace::rows::{ReplacedRows, RowSelection, SessionRows};
use std::collections::BTreeSet;

/// Prints the figures of a pass that replaced critiques.
///
/// # Errors
/// When an option has no meaning there, or nothing was judged yet.
pub(super) fn print_replaced(
    args: &MetricsArgs,
    pass: &Pass,
    (asked, families): (Option<&BTreeSet<SessionId>>, &ModelFamilies),
    context: &CommandContext,
) -> Result<()> {
    let is_divided = !args.by.is_empty() || args.table.is_some() || args.trend.is_some();
    if is_divided || !args.compare.is_empty() || !args.measure.is_empty() || args.format.csv {
        bail!(
            "pass {} compares critiques with each other, and has one page of figures: leave --by, --table, \
             --trend, --compare, --measure and --csv out (--json has every number)",
            pass.manifest.pass
        );
    }
    let sessions: BTreeSet<SessionId> = pass
        .manifest
        .sessions
        .iter()
        .filter(|session| asked.is_none_or(|asked| asked.contains(session)))
        .cloned()
        .collect();
    let selection = RowSelection {
        sessions: Some(&sessions),
        pass: None,
        holds: &|row| is_asked_for(args, row),
    };
    let index = context.read_index(StoreIndex::read_rows);
    let mut reading = SessionRows::read_rows(&index, families, &selection)?;
    index.write_changes();
    reading.left_out += elenchus_metrics::keep_debates(&mut reading.rows, &args.only)?;
    print_notices(&reading);
    let replaced = ReplacedRows::from_pass(pass, &reading.rows);
    let settings = ReportSettings {
        people: args.with_people,
        resampling: Resampling {
            resamples: args.resamples,
            seed: args.seed.seed,
        },
        ..ReportSettings::default()
    };
    let names = (replaced.base.as_str(), &replaced.others[..]);
    let compared = ReplacedComparison::compare(&replaced.rows, names, &reading.rows, &settings)?;
    output::print_text(&match args.format.json {
        true => clean_json_lines(&(serde_json::to_string_pretty(&compared)? + "\n")),
        false => output::clean_lines(&compared.to_text(output::width())),
    })
}
