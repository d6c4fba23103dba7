//! `elenchus memory list`.

use crate::cli::args_memory::MemoryListArgs;
use crate::cli::exit::Exit;
use crate::cli::list::table;
use crate::cli::page;
use crate::cli::workshop::Workshop;
use crate::driver::read_namespace;

/// Lists the entries of a namespace.
///
/// # Errors
/// When a journal cannot be read.
pub fn run(args: &MemoryListArgs, shop: &Workshop) -> anyhow::Result<Exit> {
    let entries = read_namespace(&shop.layout, &args.place.namespace)?
        .fold()
        .entries;
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
