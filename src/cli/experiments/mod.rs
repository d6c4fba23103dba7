//! `elenchus experiments`: experiments of all kinds, listed, shown and resumed.

mod args;

use super::args::Cli;
use super::common::{Exit, Ink, Page, ShortIds, Workshop, columns, output, print_table};
use anyhow::Result;
pub(crate) use args::ExperimentsCommand;
use args::ExperimentsShowArgs;
use clap::Parser;
use elenchus_records::workspace::Standing;
use elenchus_run::experiments::{ListedExperiment, find_experiment, list_experiments};
use elenchus_text::cost;
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
pub fn run(command: &ExperimentsCommand, shop: &Workshop) -> Result<Exit> {
    match command {
        ExperimentsCommand::List(args) => {
            let open =
                |one: &ListedExperiment| !args.open || one.summary.standing != Standing::Completed;
            list(open, args.limit, args.output.json, shop).map(Exit::from)
        }
        ExperimentsCommand::Show(args) => show(args, shop).map(Exit::from),
        ExperimentsCommand::Resume(args) => {
            let found = find_experiment(&shop.layout, &args.experiment)?;
            let words = ["elenchus"].iter().chain(found.kind.resume).copied();
            let words = words.chain([found.summary.id.as_str()]);
            let words = words.chain(args.options.iter().map(String::as_str));
            // What clap says of options names the command that it is about.
            let again = Cli::try_parse_from(words).unwrap_or_else(|error| error.exit());
            match again.command {
                Some(command) => super::perform(&command, &again.global, shop),
                None => anyhow::bail!("{} cannot be resumed", found.summary.id),
            }
        }
    }
}

/// Lists the experiments that are wanted, the newest first.
///
/// # Errors
/// When the store cannot be listed.
pub(super) fn list(
    is_wanted: impl FnMut(&ListedExperiment) -> bool,
    limit: Option<usize>,
    as_lines: bool,
    shop: &Workshop,
) -> Result<()> {
    let (mut found, unreadable) = list_experiments(&shop.layout, &[])?;
    found.retain(is_wanted);
    found.truncate(limit.unwrap_or(usize::MAX));
    if as_lines {
        output::json_lines(found.iter().map(as_json))?;
    } else if found.is_empty() {
        output::notice("no experiments; 'elenchus run --dataset FILE' begins one");
    } else {
        let short = ShortIds::among(found.iter().map(|one| one.summary.id.as_str()));
        print_table(
            &found,
            &[
                ("ID", &|one| short.of(&one.summary.id)),
                ("KIND", &|one| one.summary.kind.to_owned()),
                ("DONE", &|one| one.summary.items.to_string()),
                ("STATE", &|one| one.summary.standing.word().to_owned()),
                ("ABOUT", &|one| one.summary.about.clone()),
            ],
        )?;
    }
    for journal in &unreadable {
        let error = output::clean(&journal.error.to_string());
        output::notice(&format!("notice: an experiment cannot be read: {error}"));
    }
    Ok(())
}

fn show(args: &ExperimentsShowArgs, shop: &Workshop) -> Result<()> {
    let found = find_experiment(&shop.layout, &args.experiment)?;
    if args.output.json {
        return output::json_lines([as_json(&found)]);
    }
    let one = &found.summary;
    let mut page = Page::new(output::width(), shop.colour);
    page.bold(&format!("{} {}", one.kind, one.id));
    page.prose(Ink::Plain, 2, &output::clean(&one.about));
    page.gap();
    page.field(0, "begun", NAMES, &one.begun_at);
    let (_, names) = one.item_names;
    let all = one
        .items
        .all
        .map_or_else(|| "?".to_owned(), |all| all.to_string());
    let done = format!("{} of {all}, {} failed", one.items.done, one.items.failed);
    page.field(0, names, NAMES.max(columns(names) + 1), &done);
    let word = one.standing.word();
    let why = one.standing.reason();
    let state = why.map_or_else(|| word.to_owned(), |why| format!("{word}: {why}"));
    page.field(0, "state", NAMES, &state);
    let ceiling = match one.ceilings.cost_usd {
        Some(ceiling) => format!(" of {}", cost::usd(ceiling)),
        None => String::new(),
    };
    let used = match one.committed_usd {
        Some(used) => format!("at most {}{ceiling}", cost::usd(used)),
        None => format!("?{ceiling} (not known from its journal)"),
    };
    page.field(0, "cost", NAMES, &used);
    for (name, count) in [
        ("calls", one.ceilings.calls),
        ("tokens", one.ceilings.tokens),
    ] {
        if let Some(count) = count {
            page.field(0, name, NAMES, &format!("{count} at most"));
        }
    }
    if !one.failures.is_empty() {
        page.title("failed");
        for (item, why) in one.failures.iter().take(MAX_SHOWN_FAILURES) {
            page.prose(Ink::Bad, 2, &format!("{item}: {why}"));
        }
        let more = one.failures.len().saturating_sub(MAX_SHOWN_FAILURES);
        if more > 0 {
            page.at(2).line(&format!("… and {more} more"));
        }
    }
    if found.goes_on() {
        page.gap();
        page.line(&format!("go on with: {}", found.resume()));
    }
    output::out(&page.finish())
}

fn as_json(found: &ListedExperiment) -> Value {
    let one = &found.summary;
    json!({
        "experiment": one.id,
        "kind": one.kind,
        "about": one.about,
        "begun": one.begun_at,
        "state": one.standing.word(),
        "why": one.standing.reason(),
        "items": one.item_names.1,
        "all": one.items.all,
        "done": one.items.done,
        "failed": one.items.failed,
        "failures": one.failures,
        "ceilings": one.ceilings,
        "committed_usd": one.committed_usd,
        "resume": found.resume(),
    })
}
