//! `elenchus memory search`: entries by meaning, or those that a debate about a topic would be shown.

use super::args::MemorySearchArgs;
use super::shelf::open_existing;
use super::show::print_items;
use crate::cli::common::{Ink, Page, Workshop, counted, output, text_input};
use anyhow::{Result, bail};
use elenchus_records::workspace::memory::{
    NamespaceEntries, Ranking, RankingPolicy, WithNotices, preview_guards, preview_lessons, search,
};
use elenchus_run::engine::{GamePlan, TypedTopic};
use elenchus_text::Content;
use elenchus_view::memory::EntryPage;
use serde_json::json;
use std::sync::Arc;

/// The game that a topic is put to where none is configured.
const FIRST_GAME: &str = "pred";

/// Finds entries, or says what a debate would be shown.
///
/// # Errors
/// When the namespace cannot be read, or the retriever cannot rank now.
pub fn run(args: &MemorySearchArgs, shop: &Workshop) -> Result<()> {
    let query = text_input::text(&args.query)?;
    if query.trim().is_empty() {
        bail!("there is nothing to look for; give a text");
    }
    let shelf = open_existing(shop, &args.place.namespace)?;
    let embedding = Arc::clone(&shop.embedding);
    let ranking = Ranking::new(
        &shop.layout,
        &shelf.namespace,
        embedding,
        RankingPolicy::Freely,
    );
    if args.as_topic {
        return as_topic(args, shop, &shelf, &ranking, query);
    }
    let found = told(search(
        &shelf,
        &ranking,
        &query,
        args.limit,
        args.kind.kinds(),
    )?);
    let scored = found.entries.iter();
    let scored = scored.filter_map(|one| Some((one.score, shelf.folded.find(&one.id)?)));
    if args.output.json {
        output::json_lines(scored.map(
            |(score, entry)| json!({"score": score, "retriever": found.retriever, "entry": entry}),
        ))?;
    } else {
        let mut page = Page::new(output::width(), shop.colour);
        for (score, entry) in scored {
            let (standing, by) = (entry.standing_words(), super::list::taught_by(entry));
            page.bold(&format!(
                "{score:.3}  {}  ({standing}, taught by {by})",
                entry.id
            ));
            page.behind_bar(4, |page| page.prose(Ink::Plain, 0, &entry.text));
        }
        output::out(&page.finish())?;
    }
    output::notice(&format!(
        "{} by {}; scores compare within this answer only",
        counted(found.entries.len(), "entry"),
        found.retriever
    ));
    Ok(())
}

/// Says what there is to say of how it was ranked.
fn told<T>(ordered: WithNotices<T>) -> T {
    output::notices(&ordered.notices);
    ordered.found
}

fn as_topic(
    args: &MemorySearchArgs,
    shop: &Workshop,
    shelf: &NamespaceEntries,
    ranking: &Ranking,
    text: String,
) -> Result<()> {
    let configured = shop.config.defaults.protocol.as_deref();
    let protocol = args
        .protocol
        .as_deref()
        .or(configured)
        .unwrap_or(FIRST_GAME);
    let game = GamePlan::plain(protocol).game(&shop.library)?;
    let topic = TypedTopic {
        text,
        ..TypedTopic::default()
    };
    let topic = topic.topic()?;
    let shown_topic = topic.text.clone();
    let lookup = args.lookup.lookup();
    let shown = told(preview_lessons(
        shelf,
        ranking,
        &game,
        topic.clone(),
        lookup,
    )?);
    let guarded = game.with_guardrails(&shop.library)?;
    let asked = told(preview_guards(shelf, ranking, &guarded, topic, lookup)?);
    let question = asked
        .view
        .as_ref()
        .ok()
        .map(|(chair, messages)| json!({"chair": chair, "messages": messages}));
    let asked_json = json!({
        "near": asked.near,
        "accepted": asked.accepted,
        "question": question,
    });
    if args.output.json {
        let line = match &shown.view {
            Ok((chair, messages)) => json!({
                "retrieved": shown.retrieved,
                "protocol": game.protocol.id,
                "chair": chair,
                "messages": messages,
                "guardrails": asked_json,
            }),
            Err(why) => json!({
                "retrieved": shown.retrieved,
                "no_view": why,
                "guardrails": asked_json,
            }),
        };
        return output::json_lines([line]);
    }
    let page = EntryPage {
        content: Content::Shown,
        namespace: Some(&shelf.namespace),
        uses: None,
        keys: None,
        origin: None,
    };
    print_items(page.topic(&shown_topic, &shown, &asked), shop)
}
