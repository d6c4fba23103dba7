//! Rows of an experiment's debates so far, for whoever looks at single debates rather than at figures.

use super::engine::read_plan;
use super::figures::FigureSource;
use super::golden::GoldenPlan;
use elenchus_game::debate::RunId;
use elenchus_metrics::DebateRow;
use elenchus_records::workspace::pass::{Pass, find_pass};
use elenchus_records::workspace::rows::{NotOfPass, PassFindings, run_rows};
use elenchus_records::workspace::run::read_begun_run;
use elenchus_records::workspace::sweep::read_sweep;
use elenchus_records::workspace::{Result, read_session};
use std::collections::BTreeSet;

/// Reads the rows of an experiment's debates. Blocks.
pub(super) type ReadRows = fn(FigureSource<'_>) -> Result<Vec<DebateRow>>;

/// Rows of a run's finished debates.
pub(super) fn read_run_rows(source: FigureSource<'_>) -> Result<Vec<DebateRow>> {
    run_rows(source.index, &RunId::new(source.id), source.families)
}

/// Rows of both runs of a golden set.
pub(super) fn read_golden_rows(source: FigureSource<'_>) -> Result<Vec<DebateRow>> {
    let plan = read_plan::<GoldenPlan>(source.index.layout(), source.id)?;
    let mut rows = run_rows(source.index, &plan.debates, source.families)?;
    rows.extend(run_rows(source.index, &plan.singles, source.families)?);
    Ok(rows)
}

/// Rows of the finished debates of all points of a sweep, under the names that it gives its arms. A point whose run
/// has not begun has none; one whose run cannot be read is an error, which names it.
pub(super) fn read_rows_of_points(source: FigureSource<'_>) -> Result<Vec<DebateRow>> {
    let state = read_sweep(source.index.layout(), source.id)?;
    let mut rows = Vec::new();
    let layout = source.index.layout();
    for point in &state.manifest.points {
        let arm = state.manifest.arms.get(point.arm as usize);
        let path = layout.run_path(point.run.as_str())?;
        if !state.planned && read_begun_run(&path)?.is_none() {
            continue;
        }
        let of_point = run_rows(source.index, &point.run, source.families)?;
        rows.extend(of_point.into_iter().map(|mut row| {
            // Its own name holds the seed's namespace of memory.
            row.arm = arm.map_or_else(String::new, |arm| arm.name.clone());
            row
        }));
    }
    Ok(rows)
}

/// Rows of the debates that a pass judged, with what it found.
pub(super) fn read_pass_rows(source: FigureSource<'_>) -> Result<Vec<DebateRow>> {
    let pass = find_pass(source.index.layout(), source.id)?;
    let findings = PassFindings::from_pass(&pass, source.families.clone());
    let (rows, _) = read_rows_by_pass(source, &pass, &findings)?;
    Ok(rows)
}

/// Returns what a pass found on its sessions, and what it did not. What it judged is read from journals: rows of the
/// index hold no texts.
pub(super) fn read_rows_by_pass(
    source: FigureSource<'_>,
    pass: &Pass,
    findings: &PassFindings<'_>,
) -> Result<(Vec<DebateRow>, BTreeSet<NotOfPass>)> {
    let (mut rows, mut left_out) = (Vec::new(), BTreeSet::new());
    for session in &pass.manifest.sessions {
        let path = source.index.layout().session_path(session.as_str())?;
        if let Some(of_pass) = findings.build_row(session, &read_session(&path)?) {
            left_out.extend(of_pass.left_out);
            rows.push(of_pass.row);
        }
    }
    Ok((rows, left_out))
}
