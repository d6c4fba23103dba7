//! One figure as a picture: on standard output, or as SVG in a file.

use super::MetricsArgs;
use super::args::Plot;
use super::compare::compare_named_groups;
use super::one_population::keep_common_topics;
use super::reports::Reports;
use crate::cli::common::{CommandContext, show_picture};
use anyhow::{Result, anyhow, bail};
use elenchus_metrics::{Dimension, Measure, Report, ReportSettings};
use elenchus_plot::{Picture, add_single_runs, forest_from_comparison, picture_from_report};
use std::collections::BTreeSet;

/// Draws what was asked for; what goes into a file leaves a line that says so.
///
/// # Errors
/// When there is nothing to draw, several measures are asked for, or the file cannot be written.
pub(super) fn draw_figure(
    args: &MetricsArgs,
    reports: &Reports<'_>,
    groups: ReportSettings,
    context: &CommandContext,
) -> Result<String> {
    let measure = choose_measure(args, Measure::ErrorRate)?;
    let picture = match args.compare.is_empty() {
        true => picture_figures(args, reports, groups, measure)?,
        false => picture_differences(args, reports, groups, measure)?,
    };
    show_picture(&picture, args.svg.as_deref(), context)
}

/// Draws figures of selected rollouts; a curve is over what selects.
///
/// # Errors
/// As [`draw_figure`].
pub(super) fn draw_selection(
    args: &MetricsArgs,
    report: &Report,
    context: &CommandContext,
) -> Result<String> {
    let measure = choose_measure(args, Measure::ProposerAccuracy)?;
    let Some(kind) = args.plot.unwrap_or(Plot::Curve).of_report() else {
        bail!("selected rollouts are drawn as a curve, bars or a heat map: --plot curve");
    };
    let picture = picture_from_report(report, measure, kind).map_err(|why| anyhow!("{why}"))?;
    show_picture(&picture, args.svg.as_deref(), context)
}

/// Returns the one measure that is drawn.
fn choose_measure(args: &MetricsArgs, default: Measure) -> Result<Measure> {
    match args.measure.as_slice() {
        [] => Ok(default),
        [measure] => Ok(*measure),
        [..] => {
            bail!("a picture is of one figure: --measure takes one name beside --plot and --svg")
        }
    }
}

/// Draws the differences between groups.
fn picture_differences(
    args: &MetricsArgs,
    reports: &Reports<'_>,
    groups: ReportSettings,
    measure: Measure,
) -> Result<Picture> {
    if args.plot.is_some_and(|plot| plot != Plot::Forest) {
        bail!("differences are drawn as a forest: --plot forest");
    }
    let report = compare_named_groups(args, reports, groups, vec![measure])?;
    forest_from_comparison(&report, measure).map_err(|why| anyhow!("{why}"))
}

/// Draws the values of groups.
fn picture_figures(
    args: &MetricsArgs,
    reports: &Reports<'_>,
    mut groups: ReportSettings,
    measure: Measure,
) -> Result<Picture> {
    let plot = args.plot.unwrap_or(Plot::Bars);
    let Some(kind) = plot.of_report() else {
        bail!("a forest is of differences: name groups with --compare FIRST OTHER");
    };
    groups.measures = vec![measure];
    if groups.by.is_empty() && !args.pool {
        let arms: BTreeSet<&str> = reports.rows.iter().map(|row| row.arm.as_str()).collect();
        if arms.len() > 1 && plot == Plot::Bars {
            groups.by.push(Dimension::Arm);
        }
    }
    let common = match plot {
        Plot::Curve => keep_common_topics(reports.rows, &groups)?,
        Plot::Bars | Plot::Heat | Plot::Forest | Plot::Corrected => None,
    };
    let rows = common
        .as_ref()
        .map_or(reports.rows, |population| &population.rows);
    let reports = &reports.with_rows(rows);
    let report = reports.compute_figures(&groups)?;
    let mut picture =
        picture_from_report(&report, measure, kind).map_err(|why| anyhow!("{why}"))?;
    let left_out = common.as_ref().map_or(0, |population| population.left_out);
    if left_out > 0 {
        picture.notes.push(format!(
            "a curve has one population: {left_out} topics that not every point has are left out"
        ));
    }
    match plot {
        Plot::Curve => add_runs(picture, reports, groups, measure),
        Plot::Bars | Plot::Heat | Plot::Forest | Plot::Corrected => Ok(picture),
    }
}

/// Adds the learning runs of each curve, where debates learn and runs are not apart already.
fn add_runs(
    picture: Picture,
    reports: &Reports<'_>,
    mut groups: ReportSettings,
    measure: Measure,
) -> Result<Picture> {
    let are_apart = [Dimension::Run, Dimension::Seed]
        .iter()
        .any(|by| groups.by.contains(by));
    // Replays of one set are the points of a curve, each a run of its own.
    let are_points = reports
        .rows
        .iter()
        .all(|row| row.origin.first_lessons.is_some());
    let learns = reports.rows.iter().any(|row| row.origin.phase.is_some());
    if are_apart || are_points || !learns {
        return Ok(picture);
    }
    groups.by.push(Dimension::Run);
    let by_run = reports.compute_figures(&groups)?;
    Ok(add_single_runs(picture, &by_run, measure))
}
