//! `elenchus memory ablate`: a debate repeated with and without one memory entry.

use super::args::MemoryAblateArgs;
use crate::cli::common::{
    CommandContext, Exit, ExperimentCommand, Ink, Page, format_noun_count, output, resolve_session,
};
use crate::cli::run as runs;
use anyhow::{Context, Result};
use elenchus_game::debate::{RunId, SessionId};
use elenchus_records::workspace::{find_run, read_session};
use elenchus_run::engine::seats::models_of;
use elenchus_run::experiments::run::check_run_models;
use elenchus_run::experiments::{
    AblationPlan, AblationReport, PlannedAblation, build_ablation_report, plan_ablation,
};
use serde_json::json;

/// Words of the command.
const COMMAND: &str = "memory ablate";
/// Fewer pairs of replicates could show hardly any difference.
const FEW_REPLICATES: u32 = 10;

/// Plays replicates, goes on with them, or shows them.
///
/// # Errors
/// When the debate was not shown the entry, a model cannot be called, or a journal cannot be read.
pub fn run(args: &MemoryAblateArgs, context: &CommandContext) -> Result<Exit> {
    if let Some(text) = &args.show {
        let run = find_run(&context.store.layout, text)?;
        print_report(args, context, &run)?;
        return Ok(Exit::Fine);
    }
    ExperimentCommand::run(COMMAND, &args.experiment, context, |command| async move {
        match &args.experiment.resume {
            Some(text) => resume_ablation(&command, args, text).await,
            None => begin_ablation(&command, args).await,
        }
    })
}

async fn begin_ablation(command: &ExperimentCommand<'_>, all: &MemoryAblateArgs) -> Result<Exit> {
    let (command, ceilings) = command.with_resolved_ceilings()?;
    let context = &command.context;
    let session = all.session.as_deref().context("name a session")?;
    let entry = all.entry.clone().context("name the entry with --entry")?;
    let session = resolve_session(context, session)?;
    let state = read_session(&context.store.layout.session_path(session.as_str())?)?;
    let plan = AblationPlan {
        entry,
        replicates: all.replicates,
        rounds: all.rounds,
        seed: all.seed.seed,
        ceilings,
    };
    let mut paired_run = plan_ablation(&session, &state, &plan, context.store.clock)?;
    paired_run.run.manifest.repeat = command.args.repeat.clone();
    let manifest = &paired_run.run.manifest;
    check_run_models(manifest, &context.seats, ceilings)?;
    let players = models_of(manifest.casts.iter().flatten());
    command.check_players(players).await?;
    if !command.args.quiet {
        print_plan(&session, &plan, &paired_run);
    }
    if command.print_estimate(paired_run.estimate.as_ref(), ceilings)? {
        return Ok(Exit::Fine);
    }
    context.store.layout.create_missing_folders()?;
    let played_run = runs::begin_and_play(&command, paired_run.run).await?;
    finish_ablation(&command, all, &played_run)
}

/// Says what is repeated, and what to make of it.
fn print_plan(session: &SessionId, plan: &AblationPlan, planned: &PlannedAblation) {
    output::print_notice(&format!(
        "{} of session {session}, each once with and once without the entry: {}",
        format_noun_count(plan.replicates as usize, "replicate"),
        format_noun_count(planned.run.items.len(), "debate"),
    ));
    let guards = planned.run.items.first();
    let guards = guards.and_then(|item| item.given_guards.as_ref());
    if let Some(near) = guards
        .map(|given| given.candidates.len())
        .filter(|near| *near > 0)
    {
        output::print_notice(&format!(
            "{} that stood near its topic stand near it in all of them, with the texts of then; \
             whether one matches is decided anew",
            format_noun_count(near, "guardrail")
        ));
    }
    if plan.replicates < FEW_REPLICATES {
        output::print_notice(&format!(
            "notice: fewer than {FEW_REPLICATES} replicates hardly show any difference"
        ));
    }
}

async fn resume_ablation(
    command: &ExperimentCommand<'_>,
    args: &MemoryAblateArgs,
    text: &str,
) -> Result<Exit> {
    let layout = &command.context.store.layout;
    let run = find_run(layout, text)?;
    // Says so when the run is none of ours, before anything is paid for.
    build_ablation_report(layout, &run, args.seed.seed)?;
    let played_run = runs::resume_run(command, &run).await?;
    finish_ablation(command, args, &played_run)
}

fn finish_ablation(
    command: &ExperimentCommand<'_>,
    args: &MemoryAblateArgs,
    played: &runs::PlayedRun,
) -> Result<Exit> {
    let id = played.id();
    match command.prints_id_alone() {
        true => output::print_text(&format!("{id}\n"))?,
        false => print_report(args, &command.context, id)?,
    }
    let exit = runs::print_run_end(command, played);
    command.print_unless_quiet(&format!("look again: elenchus {COMMAND} --show {id}"));
    Ok(exit)
}

fn print_report(args: &MemoryAblateArgs, context: &CommandContext, run: &RunId) -> Result<()> {
    let report = build_ablation_report(&context.store.layout, run, args.seed.seed)?;
    if args.experiment.json {
        return output::print_json_lines([ablation_to_json(&report)]);
    }
    let mut page = Page::new(output::width(), context.colour);
    let about = &report.about;
    page.add_bold_line(&format!("Leave one out: {}", about.entry));
    page.write_behind_bar(2, |page| page.add_prose(Ink::Plain, 0, &about.text));
    page.line_at(2)
        .write_plain(&format!("topic: {}", report.topic));
    page.add_paragraphs(&report.to_paragraphs());
    output::print_text(&page.into_text())
}

fn ablation_to_json(report: &AblationReport) -> serde_json::Value {
    json!({
        "run": report.run,
        "about": report.about,
        "topic": report.topic,
        "simulated": report.simulated,
        "replicates": report.replicates,
        "seed": report.seed,
        "done_with": report.done.0,
        "done_without": report.done.1,
        "committed_usd": (report.unpriced_debates == 0).then_some(report.committed_usd),
        "scope": "one topic; interval and test are over its replicates",
        "found": report.difference,
    })
}
