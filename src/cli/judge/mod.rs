//! `elenchus judge`: finished sessions judged once more, by another evaluator.

mod args;
mod list;

use super::common::{
    Exit, ExperimentCommand, Watched, Workshop, counted, output, print_missing_journals,
};
use anyhow::{Context, Result, bail};
pub(crate) use args::JudgeArgs;
use args::{CombineName, JudgeCommand};
use elenchus_game::debate::SessionId;
use elenchus_game::debate::protocol::Combine;
use elenchus_records::workspace::pass::{PassRules, find_pass};
use elenchus_run::experiments::NoExperimentObserver;
use elenchus_run::experiments::rejudge::{
    PassWork, RejudgingPass, SessionSelection, pair_evaluators, plan_pass,
};
use std::sync::Arc;
use tokio::sync::mpsc::unbounded_channel;

const VERDICTS: (&str, &str) = ("verdict", "verdicts");
/// The most evaluators of whom it is said that they judge their like.
const MAX_SELF_JUDGING: usize = 6;

/// Judges what the command line asks for.
///
/// # Errors
/// When a session, rubric, model or pass does not exist, or the pass cannot be carried out.
pub fn run(args: &JudgeArgs, shop: &Workshop) -> Result<Exit> {
    if let Some(JudgeCommand::List(format)) = args.command {
        return list::run(format.json, shop).map(Exit::from);
    }
    ExperimentCommand::run("judge", &args.experiment, shop, |command| async move {
        match &args.experiment.resume {
            Some(pass) => resume(&command, pass).await,
            None => begin(&command, args).await,
        }
    })
}

async fn begin(command: &ExperimentCommand<'_>, all: &JudgeArgs) -> Result<Exit> {
    let (command, ceilings) = command.begins()?;
    let (args, shop) = (command.args, &command.shop);
    let rules = rules(all)?;
    print_missing_journals(shop)?;
    let sessions = selected(all, shop)?;
    let count = sessions.len();
    let planning = command.context(Arc::new(NoExperimentObserver))?;
    let plan = plan_pass(&planning, sessions, rules, ceilings)?;
    if let Some(guard) = &plan.guard {
        output::notice(&format!("notice: {guard} (--rubric takes another)"));
    }
    for mismatch in &plan.mismatches {
        output::notice(&format!("warning: {mismatch}"));
    }
    let (work, plan) = tokio::task::spawn_blocking(move || (plan.work(), plan))
        .await
        .context("looking at the sessions ended abnormally")?;
    for (judging, of) in work.self_judging.iter().take(MAX_SELF_JUDGING) {
        let within = match *of == count {
            true => String::new(),
            false => format!("in {of} of {}, ", counted(count, "session")),
        };
        output::notice(&format!(
            "warning: {within}{judging} (--model OTHER asks another)"
        ));
    }
    if !args.quiet || args.estimate {
        print_work(plan.rules(), count, &work);
    }
    if command.print_estimate(Some(&work.estimate), ceilings)? {
        return Ok(Exit::Fine);
    }
    if work.verdicts == 0 && work.unreadable == 0 {
        bail!(
            "there is nothing to judge in {}: no turn that counts, or no rule of their own that asks a judge; name a --rubric and a --model",
            counted(count, "session")
        );
    }
    command.check_players(plan.judges()).await?;
    let watched = command.watched(VERDICTS, (work.verdicts as u64, 0))?;
    let pass = RejudgingPass::begin(&watched.context, plan).await?;
    play(&command, pass, &watched).await
}

async fn resume(command: &ExperimentCommand<'_>, pass: &str) -> Result<Exit> {
    let known = find_pass(&command.shop.layout, pass)?;
    let id = &known.manifest.pass;
    let command = command.under(known.manifest.ceilings)?;
    command.check_players(known.manifest.judges()).await?;
    let watched = command.watched(VERDICTS, (0, 0))?;
    let typed = command.args.budget.typed()?;
    let pass = RejudgingPass::resume(&watched.context, id, typed).await?;
    command.say(&format!(
        "pass {id}: {}; {} found already",
        known.manifest.rules,
        counted(known.verdicts.len(), "verdict")
    ));
    play(&command, pass, &watched).await
}

/// Shows the progress of a pass until it is over.
async fn play(
    command: &ExperimentCommand<'_>,
    mut pass: RejudgingPass,
    watched: &Watched,
) -> Result<Exit> {
    output::notices(&pass.log.notices);
    // Verdicts are printed at the end: a list of them is no progress.
    let (tell, _) = unbounded_channel();
    let end = pass.play(&watched.context, tell).await;
    watched.progress.end();
    let (end, layout) = (end?, &command.shop.layout);
    let id = pass.id().to_owned();
    match (command.args.json, command.args.quiet) {
        (true, _) => output::json_lines([list::as_json(&find_pass(layout, &id)?)])?,
        (false, true) => output::out(&format!("{id}\n"))?,
        (false, false) => output::out(&list::summary(&find_pass(layout, &id)?))?,
    }
    Ok(command.print_end(&end, &pass.log.summary()))
}

fn print_work(rules: &PassRules, sessions: usize, work: &PassWork) {
    output::notice(&format!(
        "{rules}: {} in {}{}",
        counted(work.verdicts, "verdict"),
        counted(sessions, "session"),
        match work.unreadable {
            0 => String::new(),
            count => format!(", {count} of which cannot be judged"),
        },
    ));
    if work.hash_checks > 0 {
        output::notice(&format!(
            "notice: {} on copyright behaviours, which need a comparison of hashes: figures report them apart",
            counted(work.hash_checks, "verdict")
        ));
    }
}

fn rules(args: &JudgeArgs) -> Result<PassRules> {
    let combine = match args.combine {
        CombineName::Majority => Combine::Majority,
        CombineName::Mean => Combine::Mean,
    };
    let (rubrics, models) = (&args.rubric, &args.model);
    Ok(pair_evaluators(rubrics, models, &args.detector, combine)?)
}

/// Returns the sessions that were asked for, the oldest first.
fn selected(args: &JudgeArgs, shop: &Workshop) -> Result<Vec<SessionId>> {
    let (sessions, runs) = args.sessions.ids(shop)?;
    let wanted = SessionSelection {
        runs,
        sessions,
        protocol: args.protocol.clone(),
    };
    if !args.all && wanted == SessionSelection::default() {
        bail!("say what is to be judged: --session, --run, --protocol, or --all");
    }
    let selected = wanted.select(&shop.layout)?;
    for (run, unspoken) in selected.unspoken {
        output::notice(&format!(
            "{} of run {run} left out: turns are missing; go on with them by: elenchus run --resume {run}",
            counted(unspoken, "debate")
        ));
    }
    if selected.sessions.is_empty() {
        bail!("no session fits; 'elenchus ls' lists what there is");
    }
    Ok(selected.sessions)
}
