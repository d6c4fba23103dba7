//! `elenchus run --estimate`: what a debate or a run would take. Plays and writes nothing.

use super::args::RunArgs;
use super::{DebateSubject, one, plan, print_refused_rows};
use crate::cli::common::estimate::UnestimatedWork;
use crate::cli::common::{CommandContext, estimate, format_noun_count, output};
use anyhow::Result;
use elenchus_game::debate::Topic;
use elenchus_game::debate::protocol::Ceilings;
use elenchus_records::workspace::EarlierLatencies;
use elenchus_records::workspace::run::{CeilingsOf, Shard};
use elenchus_run::engine::SeatedGame;
use elenchus_run::engine::seats::models_of;
use elenchus_run::experiments::run::{Pace, TopicCount};
use serde_json::json;

/// Says at which ceilings it would pause: of a shard, whose they are.
fn describe_ceilings_of(ceilings: &Ceilings, shard: Option<Shard>) -> String {
    let text = estimate::describe_ceilings(ceilings);
    match shard {
        Some(shard) if *ceilings != Ceilings::default() => match shard.ceilings_of {
            CeilingsOf::Whole => format!(
                "{text} (the share that part {} of {} has of what was typed)",
                shard.part, shard.of
            ),
            CeilingsOf::Part => format!("{text} (of part {} of {} alone)", shard.part, shard.of),
        },
        Some(_) | None => text,
    }
}

/// Prints calls, tokens, cost and time.
///
/// # Errors
/// As those of what is estimated.
pub(super) fn print_estimate(
    args: &RunArgs,
    context: &CommandContext,
    seated_game: &SeatedGame,
    what: &DebateSubject<'_>,
) -> Result<()> {
    let models = models_of(&seated_game.cast).map(|player| player.model.clone());
    let earlier = EarlierLatencies::read_newest(&context.store.layout, &models.collect())?;
    let mut pace = Pace {
        game: &seated_game.game,
        seats: &context.seats,
        earlier: &earlier,
        at_once: 1,
    };
    let mut first = Vec::new();
    let (debates, topics, cost, time) = match what {
        DebateSubject::Topic(text) => {
            let creation = one::prepare_debate(args, context, seated_game, text)?;
            let topic_count = TopicCount { topics: 1, rows: 1 };
            (
                1,
                topic_count,
                creation.estimate,
                pace.estimate_debate_time(&creation),
            )
        }
        DebateSubject::Datasets => {
            pace.at_once = context.choose_concurrency(args.experiment.concurrency);
            let (loaded, topics) = plan::load_topics(args, context)?;
            print_refused_rows(&args.experiment, &loaded);
            let run_plan = plan::plan_run(args, context, seated_game, &loaded, topics)?;
            let items = &run_plan.items;
            first = first_topics(items.iter().map(|item| &item.topic));
            let topics = TopicCount::from_topics(items.iter().map(|item| &item.topic));
            let time = pace.estimate_run_time(&run_plan.manifest, items);
            (items.len(), topics, run_plan.estimate_cost(), time)
        }
    };
    if let Some(line) =
        plan::simulation_notice(&seated_game.cast).filter(|_| !args.experiment.quiet)
    {
        output::print_notice(&line);
    }
    let kinds = args.learning.memory_kinds();
    let unestimated = UnestimatedWork::from_play(context, &kinds, &seated_game.cast);
    let typed = context.resolve_ceilings(&args.experiment.budget)?;
    let shard = plan::read_shard(args)?;
    let ceilings = shard.map_or(typed, |shard| shard.share_ceilings(typed));
    if args.experiment.json {
        let mut summary = estimate::to_json(cost.as_ref(), &time, pace.at_once);
        summary["ceilings"] = json!(ceilings);
        unestimated.add_to(&mut summary);
        summary["protocol"] = json!(seated_game.game.protocol.id);
        summary["debates"] = json!(debates);
        summary["topics"] = json!(topics.topics);
        summary["rows"] = json!(topics.rows);
        if !first.is_empty() {
            let first = first
                .iter()
                .map(|topic| json!({"id": topic.id, "text": topic.text}));
            summary["first_topics"] = json!(first.collect::<Vec<_>>());
        }
        return output::print_json_lines([summary]);
    }
    output::print_text(&output::clean_lines(&format!(
        "{} of '{}' on {}\nestimate: {}{}\ntime: {}\n",
        format_noun_count(debates, "debate"),
        seated_game.game.protocol.id,
        topics,
        estimate::describe_cost(cost.as_ref()),
        describe_ceilings_of(&ceilings, shard),
        estimate::describe_time(&time, pace.at_once)
    )))?;
    output::print_text(&output::clean_lines(&unestimated.describe()))?;
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
                text: shorten(&topic.text),
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
            .map(|it| format!("category {}", shorten(it)));
        let label = topic
            .expected
            .iter()
            .map(|it| format!("expected label {}", shorten(it)));
        let answer = topic.reference.iter();
        let answer = answer.map(|it| format!("reference {}", shorten(&it.answer)));
        let counts = [
            ("options", topic.options.len()),
            ("turns before it", topic.conversation.len()),
        ];
        let counts = counts.into_iter().filter(|(_, count)| *count > 0);
        let counts = counts.map(|(what, count)| format!("{what}: {count}"));
        let facts: Vec<String> = category.chain(label).chain(answer).chain(counts).collect();
        text += &format!("  {}\n  │ {}\n", shorten(&topic.id), topic.text);
        if !facts.is_empty() {
            text += &format!("  │ ({})\n", facts.join("; "));
        }
    }
    output::print_text(&output::clean_lines(&text))
}

/// Returns a text on one line, without what goes beyond the characters that are shown.
fn shorten(text: &str) -> String {
    let words = text.split_whitespace().collect::<Vec<_>>().join(" ");
    let mut chars = words.chars();
    let short: String = chars.by_ref().take(SHOWN_CHARS).collect();
    match chars.next() {
        Some(_) => short + "…",
        None => short,
    }
}
