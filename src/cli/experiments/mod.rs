//! `elenchus experiments`: experiments of all kinds, listed, shown and resumed.

mod args;

use super::args::Cli;
use super::common::{
    CommandContext, Exit, Ink, Page, ShortIds, display_width, output, print_table,
};
use anyhow::Result;
pub(crate) use args::ExperimentsCommand;
use args::ExperimentsShowArgs;
use clap::Parser;
use elenchus_records::workspace::{Pace, Standing};
use elenchus_run::experiments::{
    ListedExperiment, find_experiment, find_whole_experiment, list_experiments,
};
use elenchus_text::{cost, plain_text};
use serde_json::{Value, json};

/// Failures that are shown; the rest is counted.
const MAX_SHOWN_FAILURES: usize = 20;
/// How wide the column of names is.
const NAMES: usize = 12;

/// Lists or shows experiments; going on with one is the command of its kind, which is returned by
/// [`resumed`].
///
/// # Errors
/// When the store cannot be listed, or there is no such experiment.
pub fn run(command: &ExperimentsCommand, context: &CommandContext) -> Result<Exit> {
    match command {
        ExperimentsCommand::List(args) => {
            let open =
                |one: &ListedExperiment| !args.open || one.summary.standing != Standing::Completed;
            print_experiments(open, args.limit, args.output.json, context).map(Exit::from)
        }
        ExperimentsCommand::Show(args) => print_experiment(args, context).map(Exit::from),
        ExperimentsCommand::Resume(args) => {
            let experiment = find_experiment(&context.store.layout, &args.experiment)?;
            let words = ["elenchus"].iter().chain(experiment.kind.resume).copied();
            let words = words.chain([experiment.summary.id.as_str()]);
            let words = words.chain(args.options.iter().map(String::as_str));
            // What clap says of options names the command that it is about.
            let cli = Cli::try_parse_from(words).unwrap_or_else(|error| error.exit());
            match cli.command {
                Some(command) => super::run_command(&command, &cli.global, context),
                None => anyhow::bail!("{} cannot be resumed", experiment.summary.id),
            }
        }
    }
}

/// Lists the experiments that are wanted, the newest first.
///
/// # Errors
/// When the store cannot be listed.
pub(super) fn print_experiments(
    is_wanted: impl FnMut(&ListedExperiment) -> bool,
    limit: Option<usize>,
    as_lines: bool,
    context: &CommandContext,
) -> Result<()> {
    let (mut entries, unreadable) = list_experiments(&context.store.layout, &[])?;
    entries.retain(is_wanted);
    entries.truncate(limit.unwrap_or(usize::MAX));
    if as_lines {
        output::print_json_lines(entries.iter().map(experiment_to_json))?;
    } else if entries.is_empty() {
        output::print_notice("no experiments; 'elenchus run --dataset FILE' begins one");
    } else {
        let short = ShortIds::from_ids(entries.iter().map(|one| one.summary.id.as_str()));
        print_table(
            &entries,
            &[
                ("ID", &|one| short.shorten(&one.summary.id)),
                ("KIND", &|one| one.summary.kind.to_owned()),
                ("DONE", &|one| one.summary.items.to_string()),
                ("STATE", &|one| one.activity_word().to_owned()),
                ("ABOUT", &|one| one.summary.about.clone()),
            ],
        )?;
    }
    for journal in &unreadable {
        let error = output::clean_line(&journal.error.to_string());
        output::print_notice(&format!("notice: an experiment cannot be read: {error}"));
    }
    Ok(())
}

fn print_experiment(args: &ExperimentsShowArgs, context: &CommandContext) -> Result<()> {
    let experiment = find_whole_experiment(&context.store.layout, &args.experiment)?;
    if args.output.json {
        return output::print_json_lines([experiment_to_json(&experiment)]);
    }
    let summary = &experiment.summary;
    let mut page = Page::new(output::width(), context.colour);
    page.add_bold_line(&format!("{} {}", summary.kind, summary.id));
    page.add_prose(Ink::Plain, 2, &output::clean_line(&summary.about));
    page.add_gap();
    page.add_field(0, "begun", NAMES, &summary.begun_at);
    let (_, names) = summary.item_names;
    let progress = plain_text(&[experiment.describe_progress()]);
    let progress = progress.trim_end();
    page.add_field(0, names, NAMES.max(display_width(names) + 1), progress);
    let word = experiment.activity_word();
    let why = summary.standing.pause_reason();
    let state = why.map_or_else(|| word.to_owned(), |why| format!("{word}: {why}"));
    page.add_field(0, "state", NAMES, &state);
    let ceiling = match summary.ceilings.cost_usd {
        Some(ceiling) => format!(" of {}", cost::format_usd(ceiling)),
        None => String::new(),
    };
    let used = match summary.committed_usd {
        Some(used) => format!("at most {}{ceiling}", cost::format_usd(used)),
        None => format!("?{ceiling} (not known from its journal)"),
    };
    page.add_field(0, "cost", NAMES, &used);
    for (name, count) in [
        ("calls", summary.ceilings.calls),
        ("tokens", summary.ceilings.tokens),
    ] {
        if let Some(count) = count {
            page.add_field(0, name, NAMES, &format!("{count} at most"));
        }
    }
    if !summary.failures.is_empty() {
        page.add_title("failed");
        for (item, why) in summary.failures.iter().take(MAX_SHOWN_FAILURES) {
            page.add_prose(Ink::Bad, 2, &format!("{item}: {why}"));
        }
        let more = summary.failures.len().saturating_sub(MAX_SHOWN_FAILURES);
        if more > 0 {
            page.line_at(2).write_plain(&format!("… and {more} more"));
        }
    }
    if let Some(repeat) = &summary.repeat {
        page.add_field(0, "key", NAMES, &repeat.name);
    }
    if experiment.can_resume() {
        page.add_gap();
        page.add_line(&format!("go on with: {}", experiment.resume_command()));
    }
    output::print_text(&page.into_text())
}

fn experiment_to_json(experiment: &ListedExperiment) -> Value {
    let summary = &experiment.summary;
    json!({
        "experiment": summary.id,
        "kind": summary.kind,
        "about": summary.about,
        "begun": summary.begun_at,
        "state": summary.standing.as_word(),
        "activity": experiment.activity_word(),
        "last_line": experiment.progress.last_line_at,
        "items_per_second": experiment.progress.pace.map(Pace::items_per_second),
        "why": summary.standing.pause_reason(),
        "items": summary.item_names.1,
        "all": summary.items.all,
        "done": summary.items.done,
        "failed": summary.items.failed,
        "failures": summary.failures,
        "ceilings": summary.ceilings,
        "committed_usd": summary.committed_usd,
        "resume": experiment.resume_command(),
        "key": summary.repeat.as_ref().map(|repeat| &repeat.name),
    })
}
