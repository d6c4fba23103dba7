//! `elenchus memory list`.

use crate::cli::args_memory::MemoryListArgs;
use crate::cli::exit::Exit;
use crate::cli::list::{short_ids, table};
use crate::cli::page;
use crate::cli::workshop::Workshop;
use crate::driver::memory_desk::{Entry, EntryStanding, NamespaceGlance, Shelf, namespaces};
use serde_json::json;

/// The day of a time in RFC 3339.
const DAY: usize = 10;

/// Lists the entries of a namespace, or the namespaces.
///
/// # Errors
/// When a journal cannot be read, or there is no such namespace.
pub fn run(args: &MemoryListArgs, shop: &Workshop) -> anyhow::Result<Exit> {
    if args.namespaces {
        return list_namespaces(args, shop);
    }
    let shelf = Shelf::of(&shop.layout, &args.place.namespace)?;
    for notice in &shelf.notices {
        page::notice(&format!("notice: {notice}"));
    }
    let entries = shelf.folded.entries.iter().rev();
    let listed: Vec<&Entry> = entries
        .filter(|entry| args.all || entry.standing() != EntryStanding::Deleted)
        .take(args.limit.unwrap_or(usize::MAX))
        .collect();
    if args.json {
        let mut text = String::new();
        for entry in &listed {
            text.push_str(&page::harmless_json(&serde_json::to_string(entry)?));
            text.push('\n');
        }
        page::out(&text)?;
        return Ok(Exit::Fine);
    }
    let ids: Vec<String> = listed.iter().map(|entry| entry.id.0.clone()).collect();
    let short = short_ids(&ids);
    let rows: Vec<[String; 5]> = listed
        .iter()
        .map(|entry| {
            let id = entry.id.0.as_str();
            [
                short.get(id).cloned().unwrap_or_else(|| id.to_owned()),
                entry.standing().word().to_owned(),
                taught_by(entry),
                entry.at.get(..DAY).unwrap_or(&entry.at).to_owned(),
                entry.text.clone(),
            ]
        })
        .collect();
    let heads = ["ID", "STATE", "TAUGHT BY", "WRITTEN", "TEXT"];
    page::out(&table(&heads, &rows, page::width()))?;
    let counts = shelf.counts();
    page::notice(&format!(
        "memory '{}': {} live, {} disabled, {} deleted",
        shelf.namespace, counts.live, counts.disabled, counts.deleted
    ));
    if let Some(line) = shop.embedding.places().by_words() {
        page::notice(line);
    }
    Ok(Exit::Fine)
}

/// Says how many debates taught an entry.
pub fn taught_by(entry: &Entry) -> String {
    match (entry.origins.len(), entry.revision) {
        (0, _) => "a person".to_owned(),
        (1, 0) => "1 debate".to_owned(),
        (1, _) => "1, edited".to_owned(),
        (many, 0) => format!("{many} debates"),
        (many, _) => format!("{many}, edited"),
    }
}

fn list_namespaces(args: &MemoryListArgs, shop: &Workshop) -> anyhow::Result<Exit> {
    let found = namespaces(&shop.layout)?;
    if args.json {
        let lines: Vec<String> = found
            .iter()
            .map(|glance| page::harmless_json(&glance_json(glance).to_string()) + "\n")
            .collect();
        page::out(&lines.concat())?;
        return Ok(Exit::Fine);
    }
    if found.is_empty() {
        page::notice("there is no memory yet; debates of games that write lessons begin one");
        return Ok(Exit::Fine);
    }
    let rows: Vec<[String; 4]> = found
        .iter()
        .map(|glance| match &glance.counts {
            Ok(counts) => [
                counts.live.to_string(),
                counts.disabled.to_string(),
                counts.deleted.to_string(),
                glance.name.clone(),
            ],
            Err(why) => {
                page::notice(&format!("notice: {why}"));
                ["?", "?", "?", &glance.name].map(str::to_owned)
            }
        })
        .collect();
    page::out(&table(
        &["LIVE", "DISABLED", "DELETED", "NAMESPACE"],
        &rows,
        page::width(),
    ))?;
    Ok(Exit::Fine)
}

fn glance_json(glance: &NamespaceGlance) -> serde_json::Value {
    match &glance.counts {
        Ok(counts) => json!({
            "namespace": glance.name,
            "live": counts.live,
            "disabled": counts.disabled,
            "deleted": counts.deleted,
        }),
        Err(why) => json!({"namespace": glance.name, "unread": why}),
    }
}
