//! Estimate of a sweep, printed before it begins: its arms, their cost and time, and doubts about them.

use crate::cli::common::estimate::UnestimatedWork;
use crate::cli::common::{
    CommandContext, ExperimentCommand, estimate, fit_to_width, format_noun_count, output,
};
use crate::cli::run::{print_refused_rows, simulation_notice};
use anyhow::Result;
use elenchus_game::debate::CostEstimate;
use elenchus_records::workspace::EarlierLatencies;
use elenchus_records::workspace::sweep::SweepState;
use elenchus_run::engine::seats::models_of;
use elenchus_run::experiments::run::{ExpectedTime, TopicCount};
use elenchus_run::experiments::sweep::{PlannedSweep, SweepFile};
use serde_json::json;
use std::collections::BTreeSet;

/// Columns of the longest name of an arm that are shown.
const MAX_NAME: usize = 34;

/// Plans a sweep once more whose runs have not all begun, from the text that it keeps.
///
/// # Errors
/// As [`SweepFile::plan_sweep`].
pub(super) fn plan_again(context: &CommandContext, known: &SweepState) -> Result<PlannedSweep> {
    let manifest = &known.manifest;
    let mut file = SweepFile::parse(&manifest.file, &manifest.text)?;
    file.ceilings = manifest.ceilings;
    Ok(file.plan_sweep(context, &context.play_defaults(), Some(manifest))?)
}

fn total_estimate(planned: &PlannedSweep) -> Option<CostEstimate> {
    planned.arms.iter().map(|arm| arm.estimate).sum()
}

fn estimate_time(
    context: &CommandContext,
    planned: &PlannedSweep,
    at_once: usize,
) -> Result<ExpectedTime> {
    let players = planned
        .arms
        .iter()
        .flat_map(|arm| models_of(&arm.seated.party.cast));
    let models = players.map(|player| player.model.clone()).collect();
    let earlier = EarlierLatencies::read_newest(&context.store.layout, &models)?;
    Ok(planned.estimate_time(&context.seats, &earlier, at_once))
}

/// Says what will be played and what it takes: as the result where nothing else is asked for, else as
/// notices.
///
/// # Errors
/// When sessions cannot be listed, or standard output cannot be written to.
pub(super) fn print_estimate(
    command: &ExperimentCommand<'_>,
    planned: &PlannedSweep,
) -> Result<()> {
    let (args, context) = (command.args, &command.context);
    let at_once = context.choose_concurrency(args.concurrency);
    print_refused_rows(args, &planned.loaded);
    if args.estimate && args.json {
        let time = estimate_time(context, planned, at_once)?;
        let mut summary = estimate::to_json(total_estimate(planned).as_ref(), &time, at_once);
        let arms = planned
            .arms
            .iter()
            .map(|arm| json!({"name": arm.name, "debates": arm.debates, "estimate": arm.estimate}));
        summary["ceilings"] = json!(planned.manifest.ceilings);
        sum_unestimated(context, planned).add_to(&mut summary);
        summary["arms"] = json!(arms.collect::<Vec<_>>());
        let topics = TopicCount::from_topics(&planned.topics);
        summary["topics"] = json!(topics.topics);
        summary["rows"] = json!(topics.rows);
        summary["seeds"] = json!(planned.manifest.seeds);
        summary["points"] = json!(planned.manifest.points.len());
        return output::print_json_lines([summary]);
    }
    list_warnings(planned)
        .iter()
        .for_each(|line| output::print_notice(line));
    let lines = format_plan(context, planned, at_once)?;
    match args.estimate {
        true => output::print_text(&output::clean_lines(&lines))?,
        false => lines.lines().for_each(output::print_notice),
    }
    Ok(())
}

fn format_plan(context: &CommandContext, planned: &PlannedSweep, at_once: usize) -> Result<String> {
    let manifest = &planned.manifest;
    let debates = planned.count_debates();
    let mut text = format!(
        "{}, {}, {}: {} over {}\n",
        format_noun_count(planned.arms.len(), "arm"),
        format_noun_count(manifest.seeds.len(), "seed"),
        format_noun_count(manifest.points.len(), "run"),
        format_noun_count(debates, "debate"),
        TopicCount::from_topics(&planned.topics),
    );
    let names = planned
        .arms
        .iter()
        .map(|arm| output::display_width(&arm.name));
    let width = names.max().unwrap_or(0).min(MAX_NAME);
    for arm in &planned.arms {
        text.push_str(&format!(
            "  {}  {:>6}  {}\n",
            fit_to_width(&arm.name, width),
            arm.debates,
            estimate::describe_cost(arm.estimate.as_ref())
        ));
    }
    let time = estimate_time(context, planned, at_once)?;
    text.push_str(&format!(
        "estimate: {}{}\ntime: {}\n",
        estimate::describe_cost(total_estimate(planned).as_ref()),
        estimate::describe_ceilings(&manifest.ceilings),
        estimate::describe_time(&time, at_once)
    ));
    text.push_str(&sum_unestimated(context, planned).describe());
    Ok(text)
}

/// Returns what the arms take together that is in no estimate.
fn sum_unestimated(context: &CommandContext, planned: &PlannedSweep) -> UnestimatedWork {
    let arms = planned.arms.iter();
    let arms =
        arms.map(|arm| UnestimatedWork::from_play(context, &arm.kinds, &arm.seated.party.cast));
    arms.fold(UnestimatedWork::default(), UnestimatedWork::and)
}

/// Returns notices and warnings about the arms, each once.
fn list_warnings(planned: &PlannedSweep) -> Vec<String> {
    let mut lines = Vec::new();
    let mut earlier_lines = BTreeSet::new();
    for arm in &planned.arms {
        let guard = arm.seated.guard.iter();
        let guard = guard.map(|guard| format!("notice: {guard} (set.rubric takes another)"));
        let mismatches = arm.seated.mismatches.iter();
        let mismatches = mismatches.map(|mismatch| format!("warning: {mismatch}"));
        let judging = arm.seated.self_judging.iter();
        let judging = judging.map(|judging| format!("warning: {judging}"));
        let simulation_note = simulation_notice(&arm.seated.party.cast);
        let pin_warnings = arm.seated.party.game.unpinned_warnings().into_iter();
        let pin_warnings = pin_warnings.map(|unpinned| format!("warning: {unpinned}"));
        let arm_lines = guard.chain(mismatches).chain(judging).chain(pin_warnings);
        for line in arm_lines.chain(simulation_note) {
            if earlier_lines.insert(line.clone()) {
                lines.push(line);
            }
        }
    }
    let kinds: BTreeSet<bool> = planned
        .arms
        .iter()
        .map(|arm| simulation_notice(&arm.seated.party.cast).is_some())
        .collect();
    if kinds.len() > 1 {
        lines.push(
            "warning: some arms are simulated and some are not: these are never compared"
                .to_owned(),
        );
    }
    lines
}
