//! `elenchus memory list`.

use crate::cli::args_memory::MemoryListArgs;
use crate::cli::exit::Exit;
use crate::cli::list::table;
use crate::cli::page;
use crate::cli::workshop::Workshop;
use crate::memory::{MemoryEvent, fold};
use crate::store::{Read, read_journal};

/// Lists the entries of a namespace.
///
/// # Errors
/// When a journal cannot be read.
pub fn run(args: &MemoryListArgs, shop: &Workshop) -> anyhow::Result<Exit> {
    let mut entries = Vec::new();
    for path in shop.layout.memory_journals(&args.place.namespace)? {
        let journal = read_journal::<MemoryEvent>(&path)?;
        let events = journal.lines.iter().filter_map(|line| match line {
            Read::Known(line) => Some(&line.event),
            Read::Unknown { .. } => None,
        });
        entries.extend(fold(events).entries);
    }
    if args.json {
        for entry in &entries {
            page::out(&format!(
                "{}\n",
                page::harmless_json(&serde_json::to_string(entry)?)
            ))?;
        }
        return Ok(Exit::Fine);
    }
    let rows: Vec<[String; 2]> = entries
        .iter()
        .map(|entry| [entry.id.0.clone(), entry.text.clone()])
        .collect();
    page::out(&table(&["ID", "TEXT"], &rows, page::width()))?;
    Ok(Exit::Fine)
}
