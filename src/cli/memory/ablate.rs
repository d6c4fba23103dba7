//! `elenchus memory ablate`: a debate repeated with and without one memory entry.

use super::args::MemoryAblateArgs;
use crate::cli::common::args::BudgetArgs;
use crate::cli::common::{
    Exit, Ink, Page, Workshop, counted, estimate, output, resolve_session, run_interruptible,
};
use crate::cli::run as runs;
use crate::cli::run::RunArgs;
use crate::debate::RunId;
use crate::debate::protocol::Ceilings;
use crate::engine::check_budget;
use crate::exchange::cost;
use crate::experiments::run::check_run_models;
use crate::experiments::{AblationPlan, AblationReport, ablation, plan_ablation};
use crate::metrics::{Interval, LeftOutReason, Measure, PValue};
use crate::workspace::{find_run, read_session};
use anyhow::{Context, Result};
use serde_json::json;
use tokio_util::sync::CancellationToken;

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
    run_interruptible(|cancel| async move {
        match &args.resume {
            Some(text) => resume(args, shop, text, cancel).await,
            None => begin(args, shop, cancel).await,
        }
    })
}

async fn begin(
    args: &MemoryAblateArgs,
    shop: &Workshop,
    cancel: CancellationToken,
) -> Result<Exit> {
    let session = args.session.as_deref().context("name a session")?;
    let entry = args.entry.clone().context("name the entry with --entry")?;
    let session = resolve_session(shop, session)?;
    let state = read_session(&shop.layout.session(session.as_str())?)?;
    let budget_usd = args.cost.budget_usd.or(shop.config.defaults.budget_usd);
    check_budget(budget_usd)?;
    let plan = AblationPlan {
        entry,
        replicates: args.replicates,
        rounds: args.rounds,
        seed: args.play.seed,
        budget_usd,
    };
    let planned = plan_ablation(&session, &state, &plan, shop.clock)?;
    let manifest = &planned.run.manifest;
    check_run_models(manifest, &shop.seats, Ceilings::of_usd(budget_usd))?;
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
    output::notice(&match &planned.estimate {
        Some(all) => format!("estimate: {}", estimate::line(all)),
        None => "estimate: none, as the game is too large to be walked".to_owned(),
    });
    if plan.replicates < FEW_REPLICATES {
        output::notice(&format!(
            "notice: fewer than {FEW_REPLICATES} replicates hardly show any difference"
        ));
    }
    if args.estimate {
        return Ok(Exit::Fine);
    }
    shop.layout.create()?;
    let played = runs::play_planned(&run_args(args), shop, planned.run, cancel).await?;
    print(args, shop, played.id())?;
    print_end(&played);
    Ok(played.exit())
}

async fn resume(
    args: &MemoryAblateArgs,
    shop: &Workshop,
    text: &str,
    cancel: CancellationToken,
) -> Result<Exit> {
    let run = find_run(&shop.layout, text)?;
    // Says so when the run is none of ours, before anything is paid for.
    ablation(&shop.layout, &run, args.play.seed)?;
    let played = runs::go_on(&run_args(args), shop, &run, cancel).await?;
    print(args, shop, &run)?;
    print_end(&played);
    Ok(played.exit())
}

fn print_end(played: &runs::PlayedRun) {
    runs::print_run_end(played);
    let id = played.id();
    if played.exit() != Exit::Fine {
        output::notice(&format!(
            "or, with the comparison: elenchus memory ablate --resume {id}"
        ));
    }
    output::notice(&format!("look again: elenchus memory ablate --show {id}"));
}

fn run_args(args: &MemoryAblateArgs) -> RunArgs {
    RunArgs {
        play: args.play.clone(),
        budget: BudgetArgs {
            cost: args.cost.clone(),
            ..BudgetArgs::default()
        },
        ..RunArgs::default()
    }
}

fn print(args: &MemoryAblateArgs, shop: &Workshop, run: &RunId) -> Result<()> {
    let report = ablation(&shop.layout, run, args.play.seed)?;
    if args.output.json {
        return output::json_lines([as_json(&report)]);
    }
    let mut page = Page::new(output::width(), shop.colour);
    let about = &report.about;
    page.bold(&format!("Leave one out: {}", about.entry));
    page.prose(Ink::Plain, 2, &about.text);
    page.at(2).line(&format!("topic: {}", report.topic));
    page.at(2).line(&format!(
        "session {}, in which it was {} of {} entries shown",
        about.session, about.rank, about.shown
    ));
    let (with, without) = report.done;
    page.at(2).line(&format!(
            "over: {with} debates with it and {without} without, of {} each, seed {}; at most {} so far",
            report.replicates,
            report.seed,
            cost::sum(report.committed_usd, report.unpriced_debates)
        ));
    page.gap();
    found(&mut page, &report);
    page.gap();
    page.line(
        "All replicates are of one topic: this says what the entry does to this debate, and \
         nothing about other topics. Interval and test are over replicates.",
    );
    if report.simulated {
        page.line("Simulated models played: a check of the instrument, no evidence about models.");
    }
    output::out(&page.finish())
}

fn found(page: &mut Page, report: &AblationReport) {
    let Some((figure, compared)) = report
        .found
        .as_ref()
        .and_then(|it| Some((it, it.compared?)))
    else {
        page.line("No pair of replicates has a value in both arms yet.");
        return;
    };
    let (what, above) = match figure.measure {
        Measure::ErrorRate => ("error rate", "errors more"),
        _ => ("right", "right more often"),
    };
    let (with, without) = (format!("{what} with it"), format!("{what} without it"));
    page.line(&format!("{with:<22} {:.3}", compared.from));
    page.line(&format!("{without:<22} {:.3}", compared.of));
    let found = figure.value.unwrap_or_default();
    difference(page, found, figure.interval.as_ref(), above);
    if let Some(test) = compared.test {
        let unpaired = figure.left_out.get(&LeftOutReason::Unpaired);
        let p = test.shown_p();
        tested(page, p, figure.topics, unpaired.copied().unwrap_or(0));
    }
    if let Some(debates) = figure.left_out.get(&LeftOutReason::NoOutcome) {
        let debates = counted(*debates, "debate");
        page.line(&format!("without an outcome: {debates}"));
    }
}

fn difference(page: &mut Page, difference: f64, interval: Option<&Interval>, what: &str) {
    let interval = match interval {
        Some(interval) => format!(
            "[{:+.3}, {:+.3}] at 95 %, over replicates",
            interval.low, interval.high
        ),
        None => "no interval: too few replicates, or all are equal".to_owned(),
    };
    let line = format!("without − with         {difference:+.3}  {interval}");
    page.bold(&line);
    if difference > 0.0 {
        page.line(&format!("above 0: {what} where it is left out"));
    }
}

/// Writes the test of a difference, and how many replicates it leaves out.
fn tested(page: &mut Page, p: PValue, replicates: usize, unpaired: usize) {
    page.line(&format!("p {p}, over {replicates} replicates"));
    if unpaired > 0 {
        page.line(&format!(
            "{} left out: only one debate of the pair has a value",
            counted(unpaired, "replicate")
        ));
    }
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
