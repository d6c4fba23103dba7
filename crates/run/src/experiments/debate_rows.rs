//! Rows of an experiment's debates so far, for whoever looks at single debates rather than at figures.

use super::engine::{read_plan, read_state};
use super::figures::FigureSource;
use super::golden::GoldenPlan;
use super::runs_of_plan::PlanOfRuns;
use elenchus_game::debate::{RunId, SessionId};
use elenchus_metrics::{ChairNames, DebateRow};
use elenchus_records::workspace::pass::{Pass, PassEvent, find_pass};
use elenchus_records::workspace::rows::{NotOfPass, PassFindings, run_rows};
use elenchus_records::workspace::run::read_begun_run;
use elenchus_records::workspace::sweep::read_sweep;
use elenchus_records::workspace::{JournalKind, Result, read_session};
use elenchus_store::Layout;
use std::collections::BTreeSet;

/// Reads the rows of an experiment's debates. Blocks.
pub(super) type ReadRows = fn(FigureSource<'_>) -> Result<Vec<DebateRow>>;

/// Reads the sessions of an experiment that failed for one of some reasons, as its summary words them. Blocks.
pub(super) type ReadFailed = fn(&Layout, &str, &BTreeSet<String>) -> Result<Vec<SessionId>>;

/// Sessions of a run's debates that failed.
pub(super) fn list_failed_of_run(
    layout: &Layout,
    id: &str,
    reasons: &BTreeSet<String>,
) -> Result<Vec<SessionId>> {
    list_failed(layout, &RunId::new(id), |why| reasons.contains(why))
}

/// Sessions of a golden set's debates that failed: its own reasons are of whole runs.
pub(super) fn list_failed_of_golden_set(
    layout: &Layout,
    id: &str,
    reasons: &BTreeSet<String>,
) -> Result<Vec<SessionId>> {
    let state = read_state::<GoldenPlan>(layout, id)?;
    let failed = state
        .failed
        .iter()
        .filter(|(_, why)| reasons.contains(*why));
    let mut sessions = Vec::new();
    for (item, _) in failed {
        sessions.extend(list_failed(layout, state.plan.run_id(*item), |_| true)?);
    }
    Ok(sessions)
}

/// Sessions in which a verdict of a pass failed.
pub(super) fn list_failed_of_pass(
    layout: &Layout,
    id: &str,
    reasons: &BTreeSet<String>,
) -> Result<Vec<SessionId>> {
    let state = PassEvent::read_state(&layout.pass_path(id)?)?;
    let failed = state
        .failed
        .iter()
        .filter(|(_, why)| reasons.contains(*why));
    let sessions: BTreeSet<SessionId> = failed.map(|(asked, _)| asked.session.clone()).collect();
    Ok(sessions.into_iter().collect())
}

/// Returns the sessions of a run that failed for a reason that holds, in the order of its items.
fn list_failed(
    layout: &Layout,
    run: &RunId,
    holds: impl Fn(&str) -> bool,
) -> Result<Vec<SessionId>> {
    let Some(state) = read_begun_run(&layout.run_path(run.as_str())?)? else {
        return Ok(Vec::new());
    };
    let is_asked = |item: &u64| state.failed.get(item).is_some_and(|why| holds(why));
    let failed = state.items.iter().filter(|item| is_asked(&item.item));
    Ok(failed.map(|item| item.session.clone()).collect())
}

/// Rows of a run's debates that came to an end or failed.
pub(super) fn read_run_rows(source: FigureSource<'_>) -> Result<Vec<DebateRow>> {
    run_rows(source.index, &RunId::new(source.id), source.families)
}

/// Rows of both runs of a golden set.
pub(super) fn read_golden_rows(source: FigureSource<'_>) -> Result<Vec<DebateRow>> {
    let plan = read_plan::<GoldenPlan>(source.index.layout(), source.id)?;
    let mut rows = Vec::new();
    for run in [&plan.debates, &plan.singles] {
        // One may not have begun, where the set was stopped before it.
        if read_begun_run(&source.index.layout().run_path(run.as_str())?)?.is_some() {
            rows.extend(run_rows(source.index, run, source.families)?);
        }
    }
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
    Ok(read_rows_by_pass(source, &pass, &findings)?.rows)
}

/// Debates as a pass judged them.
#[derive(Default)]
pub(super) struct PassRows {
    pub rows: Vec<DebateRow>,
    /// What the debates have and the pass did not find.
    pub left_out: BTreeSet<NotOfPass>,
    pub chairs: ChairNames,
}

/// Returns what a pass found on its sessions, and what it did not. What it judged is read from journals: rows of the
/// index hold no texts.
pub(super) fn read_rows_by_pass(
    source: FigureSource<'_>,
    pass: &Pass,
    findings: &PassFindings<'_>,
) -> Result<PassRows> {
    let mut read = PassRows::default();
    for session in &pass.manifest.sessions {
        let path = source.index.layout().session_path(session.as_str())?;
        let state = read_session(&path)?;
        if let Some(of_pass) = findings.build_row(session, &state) {
            let protocol = state.first_event().map(|created| &created.protocol);
            protocol
                .into_iter()
                .for_each(|one| read.chairs.add_protocol(one));
            read.left_out.extend(of_pass.left_out);
            read.rows.push(of_pass.row);
        }
    }
    Ok(read)
}
