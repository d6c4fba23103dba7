//! Estimate of a sweep, printed before it begins: its arms, their cost and time, and doubts about them.

use crate::cli::common::{ExperimentCommand, Workshop, counted, estimate, fit, output};
use crate::cli::open::FIRST_GAME;
use crate::cli::run::{print_refused_rows, simulation_notice};
use anyhow::Result;
use elenchus_game::debate::CostEstimate;
use elenchus_records::workspace::EarlierLatencies;
use elenchus_records::workspace::sweep::SweepState;
use elenchus_run::engine::seats::models_of;
use elenchus_run::experiments::run::{ExpectedTime, TopicCount};
use elenchus_run::experiments::sweep::{PlannedSweep, SweepContext, SweepFile};
use serde_json::json;
use std::collections::BTreeSet;

/// Columns of the longest name of an arm that are shown.
const MAX_NAME: usize = 34;

/// Returns what a sweep is planned with.
pub(super) fn context(shop: &Workshop) -> SweepContext<'_> {
    SweepContext {
        layout: &shop.layout,
        library: &shop.library,
        seats: &shop.seats,
        default_protocol: shop
            .config
            .defaults
            .protocol
            .as_deref()
            .unwrap_or(FIRST_GAME),
        default_model: shop.config.default_model(),
        clock: shop.clock,
    }
}

/// Plans a sweep once more whose runs have not all begun, from the text that it keeps.
///
/// # Errors
/// As [`SweepFile::plan`].
pub(super) fn again(shop: &Workshop, known: &SweepState) -> Result<PlannedSweep> {
    let manifest = &known.manifest;
    let mut file = SweepFile::parse(&manifest.file, &manifest.text)?;
    file.ceilings = manifest.ceilings;
    Ok(file.plan(context(shop), Some(manifest))?)
}

fn sum(planned: &PlannedSweep) -> Option<CostEstimate> {
    planned.arms.iter().map(|arm| arm.estimate).sum()
}

fn time(shop: &Workshop, planned: &PlannedSweep, at_once: usize) -> Result<ExpectedTime> {
    let players = planned
        .arms
        .iter()
        .flat_map(|arm| models_of(&arm.seated.party.cast));
    let models = players.map(|player| player.model.clone()).collect();
    let earlier = EarlierLatencies::read(&shop.layout, &models)?;
    Ok(planned.time(&shop.seats, &earlier, at_once))
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
    let (args, shop) = (command.args, &command.shop);
    let at_once = shop.side_by_side(args.concurrency);
    print_refused_rows(args, &planned.loaded);
    if args.estimate && args.json {
        let time = time(shop, planned, at_once)?;
        let mut all = estimate::json(sum(planned).as_ref(), &time, at_once);
        let arms = planned
            .arms
            .iter()
            .map(|arm| json!({"name": arm.name, "debates": arm.debates, "estimate": arm.estimate}));
        all["ceilings"] = json!(planned.manifest.ceilings);
        all["arms"] = json!(arms.collect::<Vec<_>>());
        let topics = TopicCount::of(&planned.topics);
        all["topics"] = json!(topics.topics);
        all["rows"] = json!(topics.rows);
        all["seeds"] = json!(planned.manifest.seeds);
        all["points"] = json!(planned.manifest.points.len());
        return output::json_lines([all]);
    }
    doubts(planned).iter().for_each(|line| output::notice(line));
    let lines = lines(shop, planned, at_once)?;
    match args.estimate {
        true => output::out(&output::harmless(&lines))?,
        false => lines.lines().for_each(output::notice),
    }
    Ok(())
}

fn lines(shop: &Workshop, planned: &PlannedSweep, at_once: usize) -> Result<String> {
    let manifest = &planned.manifest;
    let debates: usize = planned.arms.iter().map(|arm| arm.debates).sum();
    let mut text = format!(
        "{}, {}, {}: {} over {}\n",
        counted(planned.arms.len(), "arm"),
        counted(manifest.seeds.len(), "seed"),
        counted(manifest.points.len(), "run"),
        counted(debates, "debate"),
        TopicCount::of(&planned.topics),
    );
    let names = planned.arms.iter().map(|arm| output::columns(&arm.name));
    let width = names.max().unwrap_or(0).min(MAX_NAME);
    for arm in &planned.arms {
        text.push_str(&format!(
            "  {}  {:>6}  {}\n",
            fit(&arm.name, width),
            arm.debates,
            estimate::line_or_none(arm.estimate.as_ref())
        ));
    }
    let time = time(shop, planned, at_once)?;
    text.push_str(&format!(
        "estimate: {}{}\ntime: {}\n",
        estimate::line_or_none(sum(planned).as_ref()),
        estimate::ceilings(&manifest.ceilings),
        estimate::time_line(&time, at_once)
    ));
    Ok(text)
}

/// Returns notices and warnings about the arms, each once.
fn doubts(planned: &PlannedSweep) -> Vec<String> {
    let mut lines = Vec::new();
    let mut said = BTreeSet::new();
    for arm in &planned.arms {
        let guard = arm.seated.guard.iter();
        let guard = guard.map(|guard| format!("notice: {guard} (set.rubric takes another)"));
        let mismatches = arm.seated.mismatches.iter();
        let mismatches = mismatches.map(|mismatch| format!("warning: {mismatch}"));
        let judging = arm.seated.self_judging.iter();
        let judging = judging.map(|judging| format!("warning: {judging}"));
        let simulated = simulation_notice(&arm.seated.party.cast);
        let unpinned = arm.seated.party.game.unpinned_warnings().into_iter();
        let unpinned = unpinned.map(|unpinned| format!("warning: {unpinned}"));
        let all = guard.chain(mismatches).chain(judging).chain(unpinned);
        for line in all.chain(simulated) {
            if said.insert(line.clone()) {
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
