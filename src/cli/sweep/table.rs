//! Figures of a sweep as text, JSON or CSV.

use crate::cli::common::args::FigureFormatArgs;
use crate::cli::common::{format_noun_count, output};
use crate::cli::metrics::clean_json_lines;
use anyhow::Result;
use elenchus_metrics as metrics;
use elenchus_records::workspace::ExperimentEvent;
use elenchus_records::workspace::sweep::{SweepEvent, SweepState};
use elenchus_run::experiments::sweep::SweepReport;
use serde_json::json;

/// Prints the figures of a sweep.
///
/// # Errors
/// When standard output cannot be written to.
pub(super) fn print_sweep_report(
    format: FigureFormatArgs,
    state: &SweepState,
    report: &SweepReport,
) -> Result<()> {
    if format.csv {
        let csv = metrics::to_csv(&report.report)?;
        return output::print_text(&output::clean_text(&csv));
    }
    let manifest = &state.manifest;
    if format.json {
        let points = manifest.points.iter().map(
            |point| json!({"arm": manifest.arm_of(point), "seed": point.seed, "run": point.run}),
        );
        let summary = json!({
            "sweep": manifest.sweep,
            "file": manifest.file,
            "begun_at": state.begun_at,
            "standing": SweepEvent::summarize(state).standing.as_word(),
            "seeds": manifest.seeds,
            "arms": report.arms,
            "points": points.collect::<Vec<_>>(),
            "notes": report.notes,
            "report": report.report,
            "comparisons": report.comparisons,
        });
        let text = serde_json::to_string_pretty(&summary)? + "\n";
        return output::print_text(&clean_json_lines(&text));
    }
    let finished_debates: usize = report.arms.iter().map(|arm| arm.debates.finished).sum();
    let planned_debates: usize = report.arms.iter().map(|arm| arm.debates.planned).sum();
    let mut text = format!(
        "sweep {}: {}, {}, {finished_debates} of {planned_debates} debates done\n",
        manifest.sweep,
        format_noun_count(manifest.arms.len(), "arm"),
        format_noun_count(manifest.seeds.len(), "seed"),
    );
    text.push_str(&report.to_text(output::width()));
    output::print_text(&output::clean_lines(&text))
}
