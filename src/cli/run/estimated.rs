//! `elenchus run --estimate`: what a debate or a run would take. Plays and writes nothing.

use super::args::RunArgs;
use super::{What, one, plan, print_refused_rows};
use crate::cli::common::{Workshop, counted, estimate, output};
use anyhow::Result;
use elenchus_game::debate::Topic;
use elenchus_records::workspace::EarlierLatencies;
use elenchus_run::engine::SeatedGame;
use elenchus_run::engine::seats::models_of;
use elenchus_run::experiments::run::{Pace, TopicCount};
use serde_json::json;

/// Prints calls, tokens, cost and time.
///
/// # Errors
/// As those of what is estimated.
pub(super) fn print(
    args: &RunArgs,
    shop: &Workshop,
    party: &SeatedGame,
    what: &What<'_>,
) -> Result<()> {
    let models = models_of(&party.cast).map(|player| player.model.clone());
    let earlier = EarlierLatencies::read(&shop.layout, &models.collect())?;
    let mut pace = Pace {
        game: &party.game,
        seats: &shop.seats,
        earlier: &earlier,
        at_once: 1,
    };
    let mut first = Vec::new();
    let (debates, topics, cost, time) = match what {
        What::Topic(text) => {
            let created = one::created(args, shop, party, text)?;
            let one = TopicCount { topics: 1, rows: 1 };
            (1, one, created.estimate, pace.time_of_debate(&created))
        }
        What::Datasets => {
            pace.at_once = shop.side_by_side(args.experiment.concurrency);
            let (loaded, topics) = plan::load(args, shop)?;
            print_refused_rows(&args.experiment, &loaded);
            let planned = plan::plan(args, shop, party, &loaded, topics)?;
            let items = &planned.items;
            first = first_topics(items.iter().map(|item| &item.topic));
            let topics = TopicCount::of(items.iter().map(|item| &item.topic));
            let time = pace.time_of_run(&planned.manifest, items);
            (items.len(), topics, planned.estimate(), time)
        }
    };
    if let Some(line) = plan::simulation_notice(&party.cast).filter(|_| !args.experiment.quiet) {
        output::notice(&line);
    }
    let ceilings = shop.ceilings(&args.experiment.budget)?;
    if args.experiment.json {
        let mut all = estimate::json(cost.as_ref(), &time, pace.at_once);
        all["ceilings"] = json!(ceilings);
        all["protocol"] = json!(party.game.protocol.id);
        all["debates"] = json!(debates);
        all["topics"] = json!(topics.topics);
        all["rows"] = json!(topics.rows);
        if !first.is_empty() {
            let first = first
                .iter()
                .map(|topic| json!({"id": topic.id, "text": topic.text}));
            all["first_topics"] = json!(first.collect::<Vec<_>>());
        }
        return output::json_lines([all]);
    }
    output::out(&output::harmless(&format!(
        "{} of '{}' on {}\nestimate: {}{}\ntime: {}\n",
        counted(debates, "debate"),
        party.game.protocol.id,
        topics,
        estimate::line_or_none(cost.as_ref()),
        estimate::ceilings(&ceilings),
        estimate::time_line(&time, pace.at_once)
    )))?;
    print_topics(&first, topics.rows)
}

/// Topics of a data set that are shown, so that a wrong reading is seen.
const SHOWN_TOPICS: usize = 3;
/// Characters of a topic's text, and of what else it says.
const SHOWN_CHARS: usize = 100;

/// Returns the first topics, each once, shortened.
fn first_topics<'a>(topics: impl Iterator<Item = &'a Topic>) -> Vec<Topic> {
    let mut first: Vec<Topic> = Vec::new();
    for topic in topics {
        if first.len() == SHOWN_TOPICS {
            break;
        }
        if first.iter().all(|other| other.id != topic.id) {
            first.push(Topic {
                text: shortened(&topic.text),
                ..topic.clone()
            });
        }
    }
    first
}

fn print_topics(first: &[Topic], topics: usize) -> Result<()> {
    if first.is_empty() {
        return Ok(());
    }
    let mut text = match topics > first.len() {
        true => format!("the first {} topics:\n", first.len()),
        false => "topics:\n".to_owned(),
    };
    for topic in first {
        let category = topic
            .category
            .iter()
            .map(|it| format!("category {}", shortened(it)));
        let label = topic
            .expected
            .iter()
            .map(|it| format!("expected label {}", shortened(it)));
        let answer = topic.reference.iter();
        let answer = answer.map(|it| format!("reference {}", shortened(&it.answer)));
        let more = [
            ("options", topic.options.len()),
            ("turns before it", topic.conversation.len()),
        ];
        let more = more.into_iter().filter(|(_, count)| *count > 0);
        let more = more.map(|(what, count)| format!("{what}: {count}"));
        let facts: Vec<String> = category.chain(label).chain(answer).chain(more).collect();
        text += &format!("  {}\n  │ {}\n", shortened(&topic.id), topic.text);
        if !facts.is_empty() {
            text += &format!("  │ ({})\n", facts.join("; "));
        }
    }
    output::out(&output::harmless(&text))
}

/// Returns a text on one line, without what goes beyond the characters that are shown.
fn shortened(text: &str) -> String {
    let words = text.split_whitespace().collect::<Vec<_>>().join(" ");
    let mut chars = words.chars();
    let short: String = chars.by_ref().take(SHOWN_CHARS).collect();
    match chars.next() {
        Some(_) => short + "…",
        None => short,
    }
}
