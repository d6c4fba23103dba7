//! `elenchus ls`: sessions and runs at a glance, those first in which something happened last.

use super::common::args::JsonLinesArgs;
use super::common::{
    Column, CommandContext, ShortIds, format_noun_count, format_table, output, print_incomplete,
};
use anyhow::Result;
use clap::Args;
use elenchus_game::debate::RunId;
use elenchus_records::workspace::annotations::{Annotations, session_marks};
use elenchus_records::workspace::run::{RunState, fold_shards};
use elenchus_records::workspace::{
    FilteredSession, SessionFilter, SessionOverview, Summary, Unreadable, all_overviews,
    arrival_ms, find_whole_runs, incomplete_sources, parse_milliseconds, read_runs,
};
use elenchus_text::{cost, format_age};
use serde_json::json;
use std::cmp::Reverse;
use std::collections::BTreeMap;

/// What the column of verdicts holds.
const STRIP: &str =
    "verdicts: s safe/good, m middle, u unsafe/bad, ? unparsed, e empty, f filtered";

/// `elenchus ls`
#[derive(Debug, Args)]
pub struct LsArgs {
    /// List runs instead of sessions
    #[arg(long)]
    pub runs: bool,
    /// Only sessions of this run
    #[arg(long, value_name = "RUN", conflicts_with = "runs")]
    pub run: Option<String>,
    /// Only sessions of this protocol
    #[arg(long, value_name = "ID", conflicts_with = "runs")]
    pub protocol: Option<String>,
    /// Only sessions of which this holds, as state=failed, model~llama, cost>0.5 or -is:fork; several
    /// must hold together
    #[arg(
        long = "where",
        value_name = "FIELD=VALUE",
        conflicts_with = "runs",
        allow_hyphen_values = true,
        long_help = "Only sessions of which this holds, or with - before it does not hold; several must \
            hold together. They are the fields of the filter at the workbench.\n\n\
            FIELD is protocol, model, arm, topic, category, name, tag, state, verdict, is, simulated \
            (yes or no), run, parent or id, compared with = or ~ (contains), or : (begins so, or holds \
            it); begun or last, a time or its beginning, with =, <, <=, > or >=; cost in dollars, age \
            (as 2d), rounds, calls, or the number of verdicts, or of safe, middle, unsafe, unparsed or \
            empty ones, with =, <, <=, > or >=."
    )]
    pub filters: Vec<SessionFilter>,
    /// At most N, the newest [default: all]
    #[arg(long, value_name = "N")]
    pub limit: Option<usize>,
    #[command(flatten)]
    pub output: JsonLinesArgs,
}

/// Lists sessions or runs.
///
/// # Errors
/// When the store cannot be listed, or `--run` names no run.
pub fn run(args: &LsArgs, context: &CommandContext) -> Result<()> {
    let run = args
        .run
        .as_ref()
        .map(|text| find_whole_runs(&context.store.layout, std::slice::from_ref(text)));
    let run = run.transpose()?;
    let index = context.index();
    let (overviews, unreadable) = all_overviews(&index)?;
    let total = overviews.len();
    let marks = match args.filters.iter().any(SessionFilter::asks_for_marks) {
        true => session_marks(&index)?,
        false => Annotations::default(),
    };
    let now = context.store.clock.now().parse().ok();
    let passes = |one: &SessionOverview| {
        let summary = &one.summary;
        run.as_ref()
            .is_none_or(|runs| summary.run.as_ref().is_some_and(|run| runs.contains(run)))
            && args
                .protocol
                .as_ref()
                .is_none_or(|id| &summary.protocol == id)
            && {
                let tags = marks.session_tags(&summary.session);
                let session = FilteredSession {
                    id: &summary.session,
                    overview: Some(one),
                    name: marks.session_name(&summary.session),
                    tags: &tags,
                    is_example: false,
                    now,
                };
                args.filters.iter().all(|by| by.matches_session(session))
            }
    };
    let is_for_people = !args.runs && !args.output.json;
    let overviews = overviews.into_iter().filter(passes);
    let mut overviews: Vec<SessionOverview> = overviews.collect();
    // As in the workbench: a fork begins with its parent's past, and is as old as what happened last in it.
    overviews.sort_by(|a, b| {
        let key =
            |one: &SessionOverview| (one.ordered_at().to_owned(), one.summary.session.clone());
        key(b).cmp(&key(a))
    });
    let summaries = overviews.into_iter();
    let summaries: Vec<Summary> = summaries
        .map(|one| match is_for_people {
            true => one.with_known_cost().summary,
            false => one.summary,
        })
        .collect();
    let short = incomplete_sources(&index)?;
    // Before anything is printed: who reads it may stop early.
    index.write_changes();
    if args.runs {
        list_runs(args, context, &summaries)?;
    } else {
        print_unreadable("session", &unreadable);
        let ids = index.session_ids()?;
        let ids: Vec<String> = ids.iter().map(ToString::to_string).collect();
        list_sessions(args, context, summaries, total, &ids)?;
    }
    print_incomplete(&short);
    Ok(())
}

fn list_sessions(
    args: &LsArgs,
    context: &CommandContext,
    mut sessions: Vec<Summary>,
    all: usize,
    ids: &[String],
) -> Result<()> {
    sessions.truncate(args.limit.unwrap_or(usize::MAX));
    if args.output.json {
        return output::print_json_lines(&sessions);
    }
    if sessions.is_empty() {
        if all > 0 {
            output::print_notice(&format!(
                "none of {} is of that kind",
                format_noun_count(all, "session")
            ));
        } else if ids.is_empty() {
            output::print_notice(&format!(
                "there is no session in {} yet; this plays one without any server:\n  \
                 elenchus run --protocol pred --topic 'Is it safe to …?' --model sim",
                context.store.layout.root().display()
            ));
            print_other_store(context);
        }
        return Ok(());
    }
    let short = ShortIds::from_ids(ids.iter().map(String::as_str));
    let now = context.store.clock.now();
    let columns: [Column<'_, &Summary>; 8] = [
        ("ID", &|one| short.shorten(one.session.as_str())),
        ("PROTOCOL", &|one| one.protocol.clone()),
        ("STATE", &|one| one.state.as_word().to_owned()),
        ("ROUNDS", &|one| {
            format!("{}/{}", one.rounds.0, one.rounds.1)
        }),
        ("VERDICTS", &|one| one.verdicts.clone()),
        ("COST", &|one| {
            format_cost(cost::format_cost(one.cost_usd), one.simulated)
        }),
        ("AGE", &|one| format_age(&one.last_at, &now)),
        ("TOPIC", &|one| one.topic.clone()),
    ];
    let mut text = format_table(&sessions, &columns, output::width());
    if sessions.iter().any(|summary| !summary.verdicts.is_empty()) {
        text.push_str(STRIP);
        text.push('\n');
    }
    if sessions.iter().any(|summary| summary.simulated) {
        text.push_str("sim: simulated models play there; no evidence about models or protocols\n");
    }
    output::print_text(&text)
}

fn print_other_store(context: &CommandContext) {
    if let Some(other) = context.describe_other_store() {
        output::print_notice(&other);
    }
}

/// Marks a cost where simulated models, which cost nothing, were among those called.
fn format_cost(cost: String, simulated: bool) -> String {
    match simulated {
        true if cost == cost::format_usd(0.0) => "sim".to_owned(),
        true => format!("sim {cost}"),
        false => cost,
    }
}

fn list_runs(args: &LsArgs, context: &CommandContext, sessions: &[Summary]) -> Result<()> {
    let (run_states, unreadable) = read_runs(&context.store.layout)?;
    print_unreadable("run", &unreadable);
    let mut run_states = fold_shards(run_states);
    run_states.sort_by_cached_key(|run| {
        let path = context.store.layout.run_path(run.manifest.run.as_str());
        let begun_ms = parse_milliseconds(&run.begun_at);
        let arrival = path
            .map(|path| arrival_ms(&path, begun_ms))
            .ok()
            .or(begun_ms);
        Reverse((arrival, run.manifest.run.clone()))
    });
    run_states.truncate(args.limit.unwrap_or(usize::MAX));
    let unpriced_counts = count_unpriced_by_run(sessions);
    if args.output.json {
        return output::print_json_lines(
            run_states
                .iter()
                .map(|run| run_to_json(run, &unpriced_counts)),
        );
    }
    if run_states.is_empty() {
        if unreadable.is_empty() {
            output::print_notice(
                "there is no run yet; this plays a debate for each topic of a file:\n  \
                 elenchus run --protocol pred --dataset FILE",
            );
            print_other_store(context);
        }
        return Ok(());
    }
    let ids = context.store.layout.list_runs()?;
    let short = ShortIds::from_ids(ids.iter().map(String::as_str));
    let now = context.store.clock.now();
    let spend_text = |run: &RunState| {
        let sum =
            cost::format_cost_sum(run.committed_usd(), unpriced_debates(&unpriced_counts, run));
        format_cost(sum, is_simulated_run(run))
    };
    let columns: [Column<'_, &RunState>; 7] = [
        ("ID", &|run| short.shorten(run.manifest.run.as_str())),
        ("PROTOCOL", &|run| run.manifest.protocol.id.clone()),
        ("STATE", &|run| run_state(run).to_owned()),
        ("DONE/FAILED/ALL", &|run| {
            let (done, failed, total) = count_items(run);
            format!("{done}/{failed}/{total}")
        }),
        ("COST ≤", &|run| spend_text(run)),
        ("AGE", &|run| format_age(&run.begun_at, &now)),
        ("DATASET", &|run| dataset_label(run)),
    ];
    let mut text = format_table(&run_states, &columns, output::width());
    if run_states.iter().any(is_simulated_run) {
        text.push_str("sim: simulated models play there; no evidence about models or protocols\n");
    }
    output::print_text(&text)
}

fn count_items(run: &RunState) -> (usize, usize, u64) {
    (run.finished.len(), run.failed.len(), run.count_planned())
}

fn run_state(run: &RunState) -> &'static str {
    match (run.completed, run.paused.is_some(), run.failed.is_empty()) {
        (true, _, _) => "complete",
        (false, true, _) => "paused",
        (false, false, true) => "open",
        (false, false, false) => "failures",
    }
}

/// Counts each run's debates that called a model without prices: their cost is unknown.
fn count_unpriced_by_run(sessions: &[Summary]) -> BTreeMap<RunId, u64> {
    let mut counts = BTreeMap::new();
    let unpriced_sessions = sessions.iter().filter(|one| one.cost_usd.is_none());
    for run in unpriced_sessions.filter_map(|summary| summary.run.clone()) {
        *counts.entry(run).or_default() += 1;
    }
    counts
}

fn unpriced_debates(unpriced: &BTreeMap<RunId, u64>, run: &RunState) -> u64 {
    unpriced.get(&run.manifest.run).copied().unwrap_or(0)
}

fn is_simulated_run(run: &RunState) -> bool {
    let mut cast = run.manifest.casts.iter().flatten();
    cast.any(|participant| participant.player.is_simulated())
}

fn dataset_label(run: &RunState) -> String {
    let path = &run.manifest.dataset.path;
    let name = path.rsplit('/').next().unwrap_or(path);
    match run.describe_parts() {
        Some(parts) => format!("({parts}) {name}"),
        None => name.to_owned(),
    }
}

fn run_to_json(run: &RunState, unpriced: &BTreeMap<RunId, u64>) -> serde_json::Value {
    let (done, failed, items) = count_items(run);
    json!({
        "run": run.manifest.run,
        "protocol": run.manifest.protocol.id,
        "settings": run.manifest.settings,
        "dataset": run.manifest.dataset,
        "shard": run.manifest.shard,
        "parts": run.whole.as_ref().map(|whole| json!({
            "of": whole.of,
            "runs": whole.parts,
            "missing": whole.missing_parts(),
            "played_twice": whole.twice.iter().map(|one| &one.topic).collect::<Vec<_>>(),
        })),
        "seed": run.manifest.seed,
        "items": items,
        "done": done,
        "failed": failed,
        "state": run_state(run),
        "paused": run.paused,
        "committed_usd": (unpriced_debates(unpriced, run) == 0).then(|| run.committed_usd()),
        "budget_usd": run.manifest.ceilings.cost_usd,
        "budget_calls": run.manifest.ceilings.calls,
        "budget_tokens": run.manifest.ceilings.tokens,
        "simulated": is_simulated_run(run),
        "begun_at": run.begun_at,
    })
}

/// Names on standard error what could not be read.
fn print_unreadable(what: &str, unreadable: &[Unreadable]) {
    for journal in unreadable {
        output::print_notice(&format!("notice: a {what} is not shown: {}", journal.error));
    }
}
