//! Figures of a sweep as text, JSON or CSV.

use crate::cli::common::args::FigureFormatArgs;
use crate::cli::common::{counted, output};
use crate::cli::metrics::harmless_lines;
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
pub(super) fn print(
    format: FigureFormatArgs,
    state: &SweepState,
    found: &SweepReport,
) -> Result<()> {
    if format.csv {
        let csv = metrics::to_csv(&found.report)?;
        return output::out(&output::harmless_text(&csv));
    }
    let manifest = &state.manifest;
    if format.json {
        let points = manifest.points.iter().map(
            |point| json!({"arm": manifest.arm_of(point), "seed": point.seed, "run": point.run}),
        );
        let all = json!({
            "sweep": manifest.sweep,
            "file": manifest.file,
            "begun_at": state.begun_at,
            "standing": SweepEvent::summary(state).standing.word(),
            "seeds": manifest.seeds,
            "arms": found.arms,
            "points": points.collect::<Vec<_>>(),
            "notes": found.notes,
            "report": found.report,
            "comparisons": found.comparisons,
        });
        let text = serde_json::to_string_pretty(&all)? + "\n";
        return output::out(&harmless_lines(&text));
    }
    let done: usize = found.arms.iter().map(|arm| arm.debates.finished).sum();
    let planned: usize = found.arms.iter().map(|arm| arm.debates.planned).sum();
    let mut text = format!(
        "sweep {}: {}, {}, {done} of {planned} debates done\n",
        manifest.sweep,
        counted(manifest.arms.len(), "arm"),
        counted(manifest.seeds.len(), "seed"),
    );
    text.push_str(&found.to_text(output::width()));
    output::out(&output::harmless(&text))
}
