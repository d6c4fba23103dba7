//! `elenchus judge`: finished sessions judged once more, by another evaluator.

mod args;
mod batch;
mod check;
mod critiques;
mod list;

use super::common::{
    CommandContext, Exit, ExperimentCommand, ExperimentMonitor, format_noun_count, output,
    print_missing_journals,
};
use anyhow::{Context, Result, bail};
pub(crate) use args::JudgeArgs;
use args::{CombineName, JudgeCommand, OrdersName};
use batch::ByBatch;
use elenchus_game::debate::SessionId;
use elenchus_game::debate::protocol::Combine;
use elenchus_records::workspace::pass::{PassRules, find_pass};
use elenchus_run::experiments::NoExperimentObserver;
use elenchus_run::experiments::rejudge::{
    PassWork, RejudgingPass, SessionSelection, pair_evaluators, plan_critique_pass,
    plan_exchange_pass, plan_pass,
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
pub fn run(args: &JudgeArgs, context: &CommandContext) -> Result<Exit> {
    if let Some(JudgeCommand::List(format)) = args.command {
        return list::run(format.json, context).map(Exit::from);
    }
    if let Some(file) = &args.check {
        return check::run(file.as_deref(), &args.detector, args.experiment.json);
    }
    ExperimentCommand::run("judge", &args.experiment, context, |command| async move {
        match &args.experiment.resume {
            Some(pass) => resume_pass(&command, args, pass).await,
            None => begin_pass(&command, args).await,
        }
    })
}

/// By what sessions are judged.
enum JudgedBy {
    Rules(PassRules),
    /// Each session's own rule, before replaced critiques; by this model where one is named.
    OwnJudge(Option<String>),
    /// Each session's own rules whose judge reads both sides, in both orders.
    InBothOrders(Option<String>),
}

async fn begin_pass(command: &ExperimentCommand<'_>, all: &JudgeArgs) -> Result<Exit> {
    let by_batch = ByBatch::from_args(all)?;
    if let Some(ByBatch::Takes(file)) = &by_batch {
        bail!(
            "there is no pass yet that {} could answer: name the one that wrote the calls, by --resume PASS, or by \
             its --key ('elenchus judge list' lists passes)",
            file.display()
        );
    }
    let (command, ceilings) = command.with_resolved_ceilings()?;
    let (args, context) = (command.args, &command.context);
    let critiques = critiques::read_critiques(&all.replace_critique, context)?;
    let judged_by = match (critiques.is_empty(), all.orders) {
        (true, OrdersName::One) => JudgedBy::Rules(build_rules(all)?),
        (true, OrdersName::Both) => JudgedBy::InBothOrders(critiques::find_one_model(&all.model)?),
        (false, _) => JudgedBy::OwnJudge(critiques::find_one_model(&all.model)?),
    };
    print_missing_journals(context)?;
    let sessions = select_finished_sessions(all, context)?;
    let count = sessions.len();
    let planning = command.build_context(Arc::new(NoExperimentObserver));
    let plan = match judged_by {
        JudgedBy::Rules(rules) => plan_pass(&planning, sessions, rules, ceilings)?,
        JudgedBy::OwnJudge(model) => {
            plan_critique_pass(&planning, sessions, model, critiques, ceilings)?
        }
        JudgedBy::InBothOrders(model) => plan_exchange_pass(&planning, sessions, model, ceilings)?,
    };
    let plan = plan.with_repeat_key(args.repeat.clone());
    if let Some(guard) = &plan.guard {
        output::print_notice(&format!("notice: {guard} (--rubric takes another)"));
    }
    for mismatch in &plan.mismatches {
        output::print_notice(&format!("warning: {mismatch}"));
    }
    let (work, plan) = tokio::task::spawn_blocking(move || (plan.compute_work(), plan))
        .await
        .context("looking at the sessions ended abnormally")?;
    for (judging, of) in work.self_judging.iter().take(MAX_SELF_JUDGING) {
        let within = match *of == count {
            true => String::new(),
            false => format!("in {of} of {}, ", format_noun_count(count, "session")),
        };
        output::print_notice(&format!(
            "warning: {within}{judging} (--model OTHER asks another)"
        ));
    }
    if let Some(unfit) = plan.describe_unfit(&work) {
        if work.verdicts == 0 {
            bail!("{unfit}");
        }
        output::print_notice(&format!("notice: {unfit}"));
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
            format_noun_count(count, "session")
        );
    }
    match &by_batch {
        Some(_) if work.by_batch == 0 => bail!(
            "no call of this pass could go into a batch file: no model of a server judges (rules and simulated \
             models answer at once); leave --batch-out away, or name a --model of a server"
        ),
        Some(_) => command.context.print_prices_and_settings(plan.judges())?,
        None => command.check_players(plan.judges()).await?,
    }
    let monitor = command.start_progress(VERDICTS, (work.verdicts as u64, 0));
    let pass = RejudgingPass::begin(&monitor.context, plan).await?;
    play_pass(&command, pass, &monitor, by_batch).await
}

async fn resume_pass(command: &ExperimentCommand<'_>, all: &JudgeArgs, pass: &str) -> Result<Exit> {
    let by_batch = ByBatch::from_args(all)?;
    let earlier_pass = find_pass(&command.context.store.layout, pass)?;
    let id = &earlier_pass.manifest.pass;
    let command = command.with_ceilings(earlier_pass.manifest.ceilings)?;
    let judges = earlier_pass.manifest.judges();
    match &by_batch {
        Some(_) => command.context.print_prices_and_settings(judges)?,
        None => command.check_players(judges).await?,
    }
    if by_batch.is_none() && earlier_pass.in_batch > 0 {
        output::print_notice(&format!(
            "notice: {} of it in a batch file: servers are asked for what is missing now, and both count \
             (--batch-in FILE takes the answers of the batch instead)",
            format_noun_count(earlier_pass.in_batch, "call")
        ));
    }
    let monitor = command.start_progress(VERDICTS, (0, 0));
    let overrides = command.args.budget.typed_ceilings()?;
    let pass = RejudgingPass::resume(&monitor.context, id, overrides).await?;
    command.print_unless_quiet(&format!(
        "pass {id}: {}; {} found already",
        earlier_pass.manifest.rules,
        format_noun_count(earlier_pass.verdicts.len(), "verdict")
    ));
    play_pass(&command, pass, &monitor, by_batch).await
}

/// Shows the progress of a pass until it is over.
async fn play_pass(
    command: &ExperimentCommand<'_>,
    mut pass: RejudgingPass,
    monitor: &ExperimentMonitor,
    by_batch: Option<ByBatch>,
) -> Result<Exit> {
    output::print_notices(&pass.log.notices);
    // Verdicts are printed at the end: a list of them is no progress.
    let (tell, _) = unbounded_channel();
    let id = pass.id().to_owned();
    let (end, batch) = match by_batch {
        None => (pass.judge_missing(&monitor.context, tell).await, None),
        Some(by_batch) => match by_batch.perform(&mut pass, &monitor.context, tell).await {
            Ok((end, batch)) => (Ok(end), Some(batch)),
            Err(error) => {
                monitor.progress.finish_bar();
                return Err(error);
            }
        },
    };
    monitor.progress.finish_bar();
    let (end, layout) = (end?, &command.context.store.layout);
    match (command.args.json, command.args.quiet) {
        (true, _) => output::print_json_lines([list::pass_to_json(&find_pass(layout, &id)?)])?,
        (false, true) => output::print_text(&format!("{id}\n"))?,
        (false, false) => output::print_text(&list::describe_pass(&find_pass(layout, &id)?))?,
    }
    let summary = pass.log.summarize();
    Ok(match batch {
        Some(batch) => batch.print_end(command, &end, &summary),
        None => command.print_end(&end, &summary),
    })
}

fn print_work(rules: &PassRules, sessions: usize, work: &PassWork) {
    output::print_notice(&format!(
        "{rules}: {} in {}{}",
        format_noun_count(work.verdicts, "verdict"),
        format_noun_count(sessions, "session"),
        match work.unreadable {
            0 => String::new(),
            count => format!(", {count} of which cannot be judged"),
        },
    ));
    if work.hash_checks > 0 {
        output::print_notice(&format!(
            "notice: {} on copyright behaviours, which need a comparison of hashes: figures report them apart",
            format_noun_count(work.hash_checks, "verdict")
        ));
    }
}

fn build_rules(args: &JudgeArgs) -> Result<PassRules> {
    let combine = match args.combine {
        CombineName::Majority => Combine::Majority,
        CombineName::Mean => Combine::Mean,
    };
    let (rubrics, models) = (&args.rubric, &args.model);
    Ok(pair_evaluators(rubrics, models, &args.detector, combine)?)
}

/// Returns the sessions that were asked for, the oldest first.
fn select_finished_sessions(args: &JudgeArgs, context: &CommandContext) -> Result<Vec<SessionId>> {
    let (sessions, runs) = args.sessions.resolve_ids(context)?;
    let selection = SessionSelection {
        runs,
        sessions,
        protocol: args.protocol.clone(),
    };
    if !args.all && selection == SessionSelection::default() {
        bail!("say what is to be judged: --session, --run, --protocol, or --all");
    }
    let selected_sessions = selection.select_sessions(&context.store.layout)?;
    for (run, unspoken) in selected_sessions.unspoken {
        output::print_notice(&format!(
            "{} of run {run} left out: turns are missing; go on with them by: elenchus run --resume {run}",
            format_noun_count(unspoken, "debate")
        ));
    }
    if selected_sessions.sessions.is_empty() {
        bail!("no session fits; 'elenchus ls' lists what there is");
    }
    Ok(selected_sessions.sessions)
}
