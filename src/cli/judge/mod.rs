//! `elenchus judge`: finished sessions judged once more, by another evaluator.

mod args;
mod list;

use super::common::Exit;
use super::common::Workshop;
use super::common::estimate;
use super::common::model_names;
use super::common::print_missing_journals;
use super::common::{ExperimentProgress, counted, output, print_end};
use super::run::one;
use crate::cli::common::resolve_session;
use crate::cli::common::run_interruptible;
use crate::debate::SessionId;
use crate::debate::protocol::{Ceilings, Combine};
use crate::experiments::ExperimentContext;
use crate::experiments::rejudge::{PassWork, RejudgingPass, plan_pass};
use crate::workspace::pass::{Evaluator, PassRules, find_pass};
use crate::workspace::run::read_run;
use crate::workspace::{find_run, read_session};
use anyhow::{Context, bail};
use args::CombineName;
pub(crate) use args::JudgeArgs;
use args::JudgeCommand;
use std::collections::BTreeSet;
use std::sync::Arc;
use tokio::sync::mpsc::unbounded_channel;
use tokio_util::sync::CancellationToken;

/// The most evaluators of whom it is said that they judge their like.
const MAX_SELF_JUDGING: usize = 6;

/// Judges what the command line asks for.
///
/// # Errors
/// When a session, rubric, model or pass does not exist, or the pass cannot be carried out.
pub fn run(args: &JudgeArgs, shop: &Workshop) -> anyhow::Result<Exit> {
    if let Some(JudgeCommand::List(format)) = args.command {
        return list::run(format.json, shop);
    }
    run_interruptible(|cancel| async move {
        match &args.resume {
            Some(pass) => resume(args, shop, pass, cancel).await,
            None => begin(args, shop, cancel).await,
        }
    })
}

async fn begin(
    args: &JudgeArgs,
    shop: &Workshop,
    cancel: CancellationToken,
) -> anyhow::Result<Exit> {
    let rules = rules(args)?;
    print_missing_journals(shop)?;
    let sessions = selected(args, shop)?;
    let count = sessions.len();
    let budget_usd = args.cost.budget_usd.or(shop.config.defaults.budget_usd);
    let (planning, _) = context(args, shop, (0, 0), cancel.clone())?;
    let plan = plan_pass(&planning, sessions, rules, budget_usd)?;
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
    if args.estimate {
        return Ok(Exit::Fine);
    }
    if work.verdicts == 0 && work.unreadable == 0 {
        bail!(
            "there is nothing to judge in {}: no turn that counts, or no rule of their own that asks a judge; name a --rubric and a --model",
            counted(count, "session")
        );
    }
    model_names::check(shop, plan.judges(), args.names).await?;
    let (context, progress) = context(args, shop, (work.verdicts as u64, 0), cancel)?;
    let pass = RejudgingPass::begin(&context, plan).await?;
    play(args, shop, pass, context, &progress).await
}

async fn resume(
    args: &JudgeArgs,
    shop: &Workshop,
    pass: &str,
    cancel: CancellationToken,
) -> anyhow::Result<Exit> {
    let known = find_pass(&shop.layout, pass)?;
    let id = &known.manifest.pass;
    one::print_changed_settings(shop, known.manifest.judges());
    model_names::check(shop, known.manifest.judges(), args.names).await?;
    let (context, progress) = context(args, shop, (0, 0), cancel)?;
    let ceilings = Ceilings {
        cost_usd: args.cost.budget_usd,
        ..Ceilings::default()
    };
    let pass = RejudgingPass::resume(&context, id, ceilings).await?;
    if !args.quiet {
        output::notice(&format!(
            "pass {id}: {}; {} found already",
            known.manifest.rules,
            counted(known.verdicts.len(), "verdict")
        ));
    }
    play(args, shop, pass, context, &progress).await
}

/// Shows the progress of a pass until it is over.
async fn play(
    args: &JudgeArgs,
    shop: &Workshop,
    mut pass: RejudgingPass,
    context: ExperimentContext,
    progress: &ExperimentProgress,
) -> anyhow::Result<Exit> {
    for notice in pass.notices() {
        output::notice(&format!("notice: {notice}"));
    }
    // Verdicts are told at the end: a list of them is no progress.
    let (tell, _) = unbounded_channel();
    let end = pass.play(&context, tell).await;
    progress.end();
    let end = end?;
    let id = pass.id().to_owned();
    if args.quiet {
        output::out(&format!("{id}\n"))?;
    } else {
        output::out(&list::summary(&find_pass(&shop.layout, &id)?))?;
    }
    print_end(
        &end,
        &pass.summary(),
        &format!("elenchus judge --resume {id}"),
        "",
    );
    Ok(Exit::from(&end))
}

fn context(
    args: &JudgeArgs,
    shop: &Workshop,
    verdicts: (u64, u64),
    cancel: CancellationToken,
) -> anyhow::Result<(ExperimentContext, Arc<ExperimentProgress>)> {
    let names = ("verdict", "verdicts");
    let progress = Arc::new(ExperimentProgress::begin(names, verdicts, args.quiet));
    let context = shop.experiment("judge", progress.clone(), args.concurrency, cancel)?;
    Ok((context, progress))
}

fn print_work(rules: &PassRules, sessions: usize, work: &PassWork) {
    let cost = if work.estimate.at_most.calls == 0 {
        "$0; no model is asked".to_owned()
    } else {
        estimate::line(&work.estimate)
    };
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
    output::notice(&format!("estimate: {cost}"));
}

/// Pairs rubrics with models; several evaluators are an ensemble.
fn rules(args: &JudgeArgs) -> anyhow::Result<PassRules> {
    let pairs: Vec<(&String, &String)> = match (args.rubric.as_slice(), args.model.as_slice()) {
        ([], models) if args.detector.is_empty() => {
            if models.len() > 1 {
                bail!("several models need a --rubric to judge by");
            }
            return Ok(PassRules::Own {
                model: models.first().cloned(),
            });
        }
        ([], []) => Vec::new(),
        ([], _) => bail!("--model has no use with --detector alone; name a --rubric for it"),
        ([rubric], models) => models.iter().map(|model| (rubric, model)).collect(),
        (rubrics, [model]) => rubrics.iter().map(|rubric| (rubric, model)).collect(),
        (rubrics, models) if rubrics.len() == models.len() => rubrics.iter().zip(models).collect(),
        (rubrics, models) => bail!(
            "{} and {} were given; give one model for all rubrics, or one for each",
            counted(rubrics.len(), "rubric"),
            counted(models.len(), "model")
        ),
    };
    let by_models = pairs.into_iter().map(|(rubric, model)| Evaluator::Rubric {
        rubric: rubric.clone(),
        model: model.clone(),
    });
    let by_rules = args.detector.iter().map(|detector| Evaluator::Detector {
        detector: *detector,
    });
    let mut members: Vec<Evaluator> = by_models.chain(by_rules).collect();
    Ok(match (members.len(), members.pop()) {
        (1, Some(Evaluator::Rubric { rubric, model })) => PassRules::Rubric { rubric, model },
        (1, Some(Evaluator::Detector { detector })) => PassRules::Detector { detector },
        (_, last) => PassRules::Ensemble {
            members: members.into_iter().chain(last).collect(),
            combine: match args.combine {
                CombineName::Majority => Combine::Majority,
                CombineName::Mean => Combine::Mean,
            },
        },
    })
}

/// Says whether a session of a run only lacks verdicts, its calls to evaluators having failed. What
/// was planned and never begun has no journal.
fn is_spoken(shop: &Workshop, session: &SessionId) -> anyhow::Result<bool> {
    let path = shop.layout.session(session.as_str())?;
    Ok(path.exists() && read_session(&path).is_ok_and(|state| state.is_spoken()))
}

/// Returns the sessions that were asked for, the oldest first.
fn selected(args: &JudgeArgs, shop: &Workshop) -> anyhow::Result<Vec<SessionId>> {
    let mut named: BTreeSet<SessionId> = BTreeSet::new();
    for text in &args.sessions.run {
        let id = find_run(&shop.layout, text)?;
        let run = read_run(&shop.layout.run(id.as_str())?)?;
        let mut unspoken = 0;
        for item in &run.items {
            if run.finished.contains_key(&item.item) || is_spoken(shop, &item.session)? {
                named.insert(item.session.clone());
            } else {
                unspoken += 1;
            }
        }
        if unspoken > 0 {
            output::notice(&format!(
                "{} of run {id} left out: turns are missing; go on with them by: elenchus run --resume {id}",
                counted(unspoken, "debate")
            ));
        }
    }
    for text in &args.sessions.session {
        named.insert(resolve_session(shop, text)?);
    }
    let is_named = !args.sessions.run.is_empty() || !args.sessions.session.is_empty();
    if !args.all && !is_named && args.protocol.is_none() {
        bail!("say what is to be judged: --session, --run, --protocol, or --all");
    }
    let mut sessions: Vec<SessionId> = if is_named {
        named.into_iter().collect()
    } else {
        let all = shop.layout.sessions()?.into_iter();
        all.map(SessionId::new).collect()
    };
    if let Some(protocol) = &args.protocol {
        let mut kept = Vec::new();
        for id in sessions {
            // What cannot be read has no protocol that anybody could ask for.
            let state = read_session(&shop.layout.session(id.as_str())?).ok();
            let played = state.as_ref().and_then(|state| state.protocol());
            if played.is_some_and(|played| &played.id == protocol) {
                kept.push(id);
            }
        }
        sessions = kept;
    }
    if sessions.is_empty() {
        bail!("no session fits; 'elenchus ls' lists what there is");
    }
    Ok(sessions)
}
