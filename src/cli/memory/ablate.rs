//! `elenchus memory ablate`: a debate repeated with and without one memory entry.

use super::args::MemoryAblateArgs;
use crate::cli::common::{
    Exit, ExperimentCommand, Ink, Page, Workshop, counted, output, resolve_session,
};
use crate::cli::run as runs;
use anyhow::{Context, Result};
use elenchus_game::debate::{RunId, SessionId};
use elenchus_records::workspace::{find_run, read_session};
use elenchus_run::engine::seats::models_of;
use elenchus_run::experiments::run::check_run_models;
use elenchus_run::experiments::{
    AblationPlan, AblationReport, PlannedAblation, ablation, plan_ablation,
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
pub fn run(args: &MemoryAblateArgs, shop: &Workshop) -> Result<Exit> {
    if let Some(text) = &args.show {
        let run = find_run(&shop.layout, text)?;
        print(args, shop, &run)?;
        return Ok(Exit::Fine);
    }
    ExperimentCommand::run(COMMAND, &args.experiment, shop, |command| async move {
        match &args.experiment.resume {
            Some(text) => resume(&command, args, text).await,
            None => begin(&command, args).await,
        }
    })
}

async fn begin(command: &ExperimentCommand<'_>, all: &MemoryAblateArgs) -> Result<Exit> {
    let (command, ceilings) = command.begins()?;
    let shop = &command.shop;
    let session = all.session.as_deref().context("name a session")?;
    let entry = all.entry.clone().context("name the entry with --entry")?;
    let session = resolve_session(shop, session)?;
    let state = read_session(&shop.layout.session(session.as_str())?)?;
    let plan = AblationPlan {
        entry,
        replicates: all.replicates,
        rounds: all.rounds,
        seed: all.seed.seed,
        ceilings,
    };
    let planned = plan_ablation(&session, &state, &plan, shop.clock)?;
    let manifest = &planned.run.manifest;
    check_run_models(manifest, &shop.seats, ceilings)?;
    let players = models_of(manifest.casts.iter().flatten());
    command.check_players(players).await?;
    if !command.args.quiet {
        announce(&session, &plan, &planned);
    }
    if command.print_estimate(planned.estimate.as_ref(), ceilings)? {
        return Ok(Exit::Fine);
    }
    shop.layout.create()?;
    let played = runs::play_planned(&command, planned.run).await?;
    finish(&command, all, &played)
}

/// Says what is repeated, and what to make of it.
fn announce(session: &SessionId, plan: &AblationPlan, planned: &PlannedAblation) {
    output::notice(&format!(
        "{} of session {session}, each once with and once without the entry: {}",
        counted(plan.replicates as usize, "replicate"),
        counted(planned.run.items.len(), "debate"),
    ));
    let given = planned.run.items.first();
    let given = given.and_then(|item| item.given_guards.as_ref());
    if let Some(near) = given
        .map(|given| given.candidates.len())
        .filter(|near| *near > 0)
    {
        output::notice(&format!(
            "{} that stood near its topic stand near it in all of them, with the texts of then; \
             whether one matches is decided anew",
            counted(near, "guardrail")
        ));
    }
    if plan.replicates < FEW_REPLICATES {
        output::notice(&format!(
            "notice: fewer than {FEW_REPLICATES} replicates hardly show any difference"
        ));
    }
}

async fn resume(
    command: &ExperimentCommand<'_>,
    args: &MemoryAblateArgs,
    text: &str,
) -> Result<Exit> {
    let layout = &command.shop.layout;
    let run = find_run(layout, text)?;
    // Says so when the run is none of ours, before anything is paid for.
    ablation(layout, &run, args.seed.seed)?;
    let played = runs::go_on(command, &run).await?;
    finish(command, args, &played)
}

fn finish(
    command: &ExperimentCommand<'_>,
    args: &MemoryAblateArgs,
    played: &runs::PlayedRun,
) -> Result<Exit> {
    let id = played.id();
    match command.prints_id_alone() {
        true => output::out(&format!("{id}\n"))?,
        false => print(args, &command.shop, id)?,
    }
    let exit = runs::print_run_end(command, played);
    command.say(&format!("look again: elenchus {COMMAND} --show {id}"));
    Ok(exit)
}

fn print(args: &MemoryAblateArgs, shop: &Workshop, run: &RunId) -> Result<()> {
    let report = ablation(&shop.layout, run, args.seed.seed)?;
    if args.experiment.json {
        return output::json_lines([as_json(&report)]);
    }
    let mut page = Page::new(output::width(), shop.colour);
    let about = &report.about;
    page.bold(&format!("Leave one out: {}", about.entry));
    page.behind_bar(2, |page| page.prose(Ink::Plain, 0, &about.text));
    page.at(2).line(&format!("topic: {}", report.topic));
    page.paragraphs(&report.paragraphs());
    output::out(&page.finish())
}

fn as_json(report: &AblationReport) -> serde_json::Value {
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
        "found": report.found,
    })
}
