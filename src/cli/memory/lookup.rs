//! `elenchus memory search`: entries by meaning, or those that a debate about a topic would be shown.

use super::args::MemorySearchArgs;
use super::shelf::open_existing;
use super::show::print_page;
use crate::cli::common::{CommandContext, Ink, Page, format_noun_count, output, text_input};
use anyhow::{Result, bail};
use elenchus_records::workspace::memory::{
    NamespaceEntries, Ranking, RankingPolicy, WithNotices, preview_guards, preview_lessons,
    search_entries,
};
use elenchus_run::engine::{GamePlan, TypedTopic};
use elenchus_text::Content;
use elenchus_view::memory::EntryPage;
use serde_json::json;
use std::sync::Arc;

/// Finds entries, or says what a debate would be shown.
///
/// # Errors
/// When the namespace cannot be read, or the retriever cannot rank now.
pub fn run(args: &MemorySearchArgs, context: &CommandContext) -> Result<()> {
    let query = text_input::read_text_or_stdin(&args.query)?;
    if query.trim().is_empty() {
        bail!("there is nothing to look for; give a text");
    }
    let namespace_entries = open_existing(context, &args.place.namespace)?;
    let embedding = Arc::clone(&context.embedding);
    let ranking = Ranking::new(
        &context.store.layout,
        &namespace_entries.namespace,
        embedding,
        RankingPolicy::Freely,
    );
    if args.as_topic {
        return preview_topic(args, context, &namespace_entries, &ranking, query);
    }
    let hits = print_ranking_notices(search_entries(
        &namespace_entries,
        &ranking,
        &query,
        args.limit,
        args.kind.entry_kinds(),
    )?);
    let scored_entries = hits.entries.iter();
    let scored_entries = scored_entries
        .filter_map(|one| Some((one.score, namespace_entries.folded.find_entry(&one.id)?)));
    if args.output.json {
        output::print_json_lines(scored_entries.map(
            |(score, entry)| json!({"score": score, "retriever": hits.retriever, "entry": entry}),
        ))?;
    } else {
        let mut page = Page::new(output::width(), context.colour);
        for (score, entry) in scored_entries {
            let (standing, by) = (
                entry.describe_status(),
                super::list::describe_teachers(entry),
            );
            page.add_bold_line(&format!(
                "{score:.3}  {}  ({standing}, taught by {by})",
                entry.id
            ));
            page.write_behind_bar(4, |page| page.add_prose(Ink::Plain, 0, &entry.text));
        }
        output::print_text(&page.into_text())?;
    }
    output::print_notice(&format!(
        "{} by {}; scores compare within this answer only",
        format_noun_count(hits.entries.len(), "entry"),
        hits.retriever
    ));
    Ok(())
}

/// Says what there is to say of how it was ranked.
fn print_ranking_notices<T>(ordered: WithNotices<T>) -> T {
    output::print_notices(&ordered.notices);
    ordered.found
}

fn preview_topic(
    args: &MemorySearchArgs,
    context: &CommandContext,
    namespace_entries: &NamespaceEntries,
    ranking: &Ranking,
    text: String,
) -> Result<()> {
    let protocol = args.protocol.clone();
    let protocol = protocol.unwrap_or_else(|| context.play_defaults().protocol);
    let game = GamePlan::from_protocol(&protocol).load_game(&context.library)?;
    let topic = TypedTopic {
        text,
        ..TypedTopic::default()
    };
    let topic = topic.into_topic()?;
    let shown_topic = topic.text.clone();
    let lookup = args.lookup.memory_lookup();
    let lesson_preview = print_ranking_notices(preview_lessons(
        namespace_entries,
        ranking,
        &game,
        topic.clone(),
        lookup,
    )?);
    let guarded_game = game.with_guardrails(&context.library)?;
    let guard_preview = print_ranking_notices(preview_guards(
        namespace_entries,
        ranking,
        &guarded_game,
        topic,
        (lookup, context.store.recorded_examples()),
    )?);
    let question = guard_preview
        .view
        .as_ref()
        .ok()
        .map(|(chair, messages)| json!({"chair": chair, "messages": messages}));
    let guard_json = json!({
        "near": guard_preview.near,
        "accepted": guard_preview.accepted,
        "question": question,
    });
    if args.output.json {
        let line = match &lesson_preview.view {
            Ok((chair, messages)) => json!({
                "retrieved": lesson_preview.retrieved,
                "protocol": game.protocol.id,
                "chair": chair,
                "messages": messages,
                "guardrails": guard_json,
            }),
            Err(why) => json!({
                "retrieved": lesson_preview.retrieved,
                "no_view": why,
                "guardrails": guard_json,
            }),
        };
        return output::print_json_lines([line]);
    }
    let page = EntryPage {
        content: Content::Shown,
        namespace: Some(&namespace_entries.namespace),
        uses: None,
        keys: None,
        origin: None,
        shown_examples: context.store.guardrail_examples,
    };
    print_page(
        page.build_topic_page(&shown_topic, &lesson_preview, &guard_preview),
        context,
    )
}
