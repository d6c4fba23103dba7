//! Reads a store and prints its sessions, a line each: `cargo run --example read_store -- FOLDER`.

use anyhow::Result;
use elenchus_records::workspace::{StoreIndex, all_overviews};
use elenchus_store::Layout;
use std::fmt::Write as _;
use std::path::Path;

/// Returns a line a session: its id, protocol, state and topic.
pub fn read_store(store: &Path) -> Result<String> {
    // Journals alone: the index in front of them is a cache.
    let index = StoreIndex::bypass(&Layout::new(store.to_owned()));
    let (sessions, unreadable) = all_overviews(&index)?;
    let mut text = String::new();
    for session in sessions {
        let summary = session.summary;
        writeln!(
            text,
            "{} {} {} {} {}",
            summary.session,
            summary.protocol,
            summary.state.as_word(),
            summary.verdicts,
            summary.topic
        )?;
    }
    for one in unreadable {
        writeln!(text, "{}: {}", one.path.display(), one.error)?;
    }
    Ok(text)
}

fn main() -> Result<()> {
    let folder = std::env::args_os().nth(1);
    let folder = folder.unwrap_or_else(|| "debates".into());
    print!("{}", read_store(folder.as_ref())?);
    Ok(())
}
