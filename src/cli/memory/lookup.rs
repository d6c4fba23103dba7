//! `elenchus memory search`: entries by meaning, or those that a debate about a topic would be shown.

use super::args::MemorySearchArgs;
use super::shelf::open_existing;
use crate::cli::common::{Ink, Page, Workshop, counted, output, text_input};
use crate::debate::event::Retrieved;
use crate::debate::view::{PartSource, ViewMessage};
use crate::engine::{GamePlan, TypedTopic};
use crate::workspace::memory::{
    GuardPreview, LessonPreview, NamespaceEntries, Ranking, RankingPolicy, WithNotices,
    preview_guards, preview_lessons, search,
};
use crate::workspace::transcript::write_excluded;
use anyhow::{Result, bail};
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
            page.prose(Ink::Plain, 4, &entry.text);
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
    let shown = told(preview_lessons(shelf, ranking, &game, topic.clone())?);
    let guarded = game.with_guardrails(&shop.library)?;
    let asked = told(preview_guards(shelf, ranking, &guarded, topic)?);
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
    let mut page = Page::new(output::width(), shop.colour);
    retrieved(&mut page, &shown.retrieved);
    view(&mut page, &shown, &game.protocol.id);
    would_be_asked(&mut page, &asked);
    output::out(&page.finish())
}

fn retrieved(page: &mut Page, retrieved: &Retrieved) {
    let count = match retrieved.entries.len() {
        0 => "nothing".to_owned(),
        many => counted(many, "entry"),
    };
    page.bold(&format!(
        "A debate about this would be shown {count} ({})",
        retrieved.retriever
    ));
    for entry in &retrieved.entries {
        let from = entry.origin.iter().chain(&entry.also_from);
        let from: Vec<String> = from.map(ToString::to_string).collect();
        let from = match from.as_slice() {
            [] => "written by a person".to_owned(),
            sessions => format!("taught by session {}", sessions.join(", ")),
        };
        page.at(2)
            .line(&format!("{} (score {:.3}, {from})", entry.id, entry.score));
        page.prose(Ink::Plain, 4, &entry.text);
    }
    write_excluded(page, &retrieved.excluded);
}

fn view(page: &mut Page, shown: &LessonPreview, protocol: &str) {
    page.gap();
    let (chair, messages) = match &shown.view {
        Ok(view) => view,
        Err(why) => return page.at(0).dim(why),
    };
    page.bold(&format!("What {chair} of '{protocol}' would be sent first"));
    write(page, messages);
}

/// Writes which guardrails a debate would ask, and in which words.
fn would_be_asked(page: &mut Page, asked: &GuardPreview) {
    page.gap();
    if asked.accepted == 0 {
        return page.at(0).dim("Guardrails: none is accepted here");
    }
    let near = &asked.near;
    page.bold(&format!(
        "With guardrails, {} of {} accepted would be asked about ({})",
        near.candidates.len(),
        asked.accepted,
        near.retriever
    ));
    for candidate in &near.candidates {
        page.at(2)
            .line(&format!("{} (score {:.3})", candidate.id, candidate.score));
        page.prose(Ink::Plain, 4, &candidate.text());
    }
    for (id, why) in &near.excluded {
        page.at(4).dim(&format!("left out by rule: {id}, {why}"));
    }
    match &asked.view {
        Ok((chair, messages)) => {
            page.bold(&format!(
                "What {chair}'s model would be asked before it speaks"
            ));
            write(page, messages);
        }
        Err(why) => page.at(0).dim(why),
    }
}

fn write(page: &mut Page, messages: &[ViewMessage]) {
    for message in messages {
        let role = message.role.word();
        page.at(2).dim(&format!("[{role}]"));
        for (ink, text) in pieces(message) {
            page.prose(ink, 4, &text);
        }
    }
}

/// Lines of a message; those with an entry from memory are highlighted where there is colour.
fn pieces(message: &ViewMessage) -> Vec<(Ink, String)> {
    let mut pieces: Vec<(Ink, String)> = vec![(Ink::Plain, String::new())];
    for part in &message.parts {
        let text = part.text.as_deref().unwrap_or_default();
        let from_memory = matches!(part.from, PartSource::Memory(_) | PartSource::Guardrail(_));
        for (at, line) in text.split('\n').enumerate() {
            if at > 0 {
                pieces.push((Ink::Plain, String::new()));
            }
            if let Some((ink, now)) = pieces.last_mut() {
                now.push_str(line);
                if from_memory {
                    *ink = Ink::Bold;
                }
            }
        }
    }
    // An empty line is a line, too.
    for (_, text) in &mut pieces {
        text.push('\n');
    }
    pieces
}
