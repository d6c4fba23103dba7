//! `--best-of`, `--boltzmann`: figures under rollouts that are selected by rewards.

use super::args::Plot;
use super::{MetricsArgs, format_report, output};
use anyhow::{Context, Result, bail};
use elenchus_metrics as metrics;
use elenchus_metrics::{
    CurveTopics, DebateRow, Report, ReportSettings, Selection, SelectionSettings,
};
use elenchus_records::library::ModelFamilies;
use elenchus_records::workspace::rows::run_rows;
use elenchus_records::workspace::{StoreIndex, find_run};
use std::collections::BTreeSet;

/// Returns whether rollouts are selected.
pub(super) fn is_asked_for(args: &MetricsArgs) -> bool {
    !args.best_of.is_empty() || !args.boltzmann.is_empty()
}

/// Returns the game's figures under selected rollouts.
///
/// # Errors
/// When nothing can be selected, or a run that measures does not fit.
pub(super) fn compute_selection(
    args: &MetricsArgs,
    rows: &mut Vec<DebateRow>,
    mut groups: ReportSettings,
    index: &StoreIndex,
    families: &ModelFamilies,
) -> Result<Report> {
    groups.measures.clone_from(&args.measure);
    let repetitions = read_repetitions(args, index, families)?;
    if let Some(repetitions) = &repetitions {
        // What repeats is no rollout beside what it repeats.
        let repeated_sessions: BTreeSet<&str> =
            repetitions.iter().map(|row| row.session.as_str()).collect();
        rows.retain(|row| !repeated_sessions.contains(row.session.as_str()));
    }
    let seats = choose_seats(args, rows, repetitions.as_deref())?;
    check_axis(args, &seats)?;
    let selections = list_selections(args);
    let selection_settings = SelectionSettings {
        seats: &seats,
        selections: &selections,
        topics: match args.all_topics {
            true => CurveTopics::OfEachPoint,
            false => CurveTopics::Shared,
        },
        judged_by: repetitions.as_deref(),
    };
    let report = metrics::selection_report(rows, &groups, &selection_settings);
    match args.judged_by.is_empty() {
        true => Ok(report?),
        false => report.context("--judged-by"),
    }
}

/// Returns a report of selected rollouts, ready to be written.
///
/// # Errors
/// When it cannot be written as CSV or JSON.
pub(super) fn format_selection(args: &MetricsArgs, report: &Report) -> Result<String> {
    format_report(args, report, |report| {
        metrics::to_table(report, output::width())
    })
}

/// Returns what is selected by, each once and in its own order, however it was typed: a curve goes through it.
fn list_selections(args: &MetricsArgs) -> Vec<Selection> {
    let best_of: BTreeSet<u32> = args.best_of.iter().copied().collect();
    let mut boltzmann = args.boltzmann.clone();
    boltzmann.sort_by(f64::total_cmp);
    boltzmann.dedup();
    let best_of = best_of.into_iter().map(Selection::BestOf);
    best_of
        .chain(boltzmann.into_iter().map(Selection::Boltzmann))
        .collect()
}

/// Refuses a curve over what is no one order: numbers of rollouts beside temperatures, or rewards of several seats.
fn check_axis(args: &MetricsArgs, seats: &[String]) -> Result<()> {
    let is_picture = args.plot.is_some() || args.svg.is_some();
    // Without a word for it, a picture of selected rollouts is a curve.
    if !is_picture || args.plot.unwrap_or(Plot::Curve) != Plot::Curve {
        return Ok(());
    }
    if !args.best_of.is_empty() && !args.boltzmann.is_empty() {
        bail!("a curve is drawn over --best-of or over --boltzmann: draw one for each");
    }
    match seats {
        [] | [_] => Ok(()),
        [..] => bail!(
            "a curve is of the reward of one seat: name it with --reward-of; there are {}",
            output::clean_line(&seats.join(", "))
        ),
    }
}

/// Returns the debates of the runs that measure; `None` where none is named.
fn read_repetitions(
    args: &MetricsArgs,
    index: &StoreIndex,
    families: &ModelFamilies,
) -> Result<Option<Vec<DebateRow>>> {
    let mut rows = Vec::new();
    for text in &args.judged_by {
        let run = find_run(index.layout(), text).context("--judged-by")?;
        rows.extend(run_rows(index, &run, families)?);
    }
    Ok((!args.judged_by.is_empty()).then_some(rows))
}

/// Returns the seats whose rewards select.
fn choose_seats(
    args: &MetricsArgs,
    rows: &[DebateRow],
    repetitions: Option<&[DebateRow]>,
) -> Result<Vec<String>> {
    let rewards = rows.iter().flat_map(|row| &row.rewards);
    let rewarded_seats: BTreeSet<String> = rewards.map(|(seat, _)| seat.clone()).collect();
    if rewarded_seats.is_empty() {
        bail!(
            "no debate has rewards: --best-of and --boltzmann weight rollouts of games that pay their seats"
        );
    }
    let seat_list = || rewarded_seats.iter().cloned().collect::<Vec<_>>();
    if let Some(other) = args
        .reward_of
        .iter()
        .find(|seat| !rewarded_seats.contains(*seat))
    {
        bail!(
            "--reward-of {}: no such seat has rewards; there are {}",
            output::clean_line(other),
            output::clean_line(&seat_list().join(", "))
        );
    }
    if !args.reward_of.is_empty() {
        return Ok(args.reward_of.clone());
    }
    let measured_seats = repetitions.map(|rows| &rewarded_seats & &metrics::repeated_seats(rows));
    Ok(match measured_seats {
        Some(seats) if !seats.is_empty() => seats.into_iter().collect(),
        // What is missing is said of each seat.
        Some(_) | None => seat_list(),
    })
}
