//! `elenchus export --record`: the round records of an audit, as JSON Lines.

use super::args::ExportArgs;
use crate::cli::common::{Workshop, counted, output, resolve_session};
use crate::debate::SessionId;
use crate::exchange::record::{self, NoRecord};
use crate::workspace::run::read_run;
use crate::workspace::{find_run, read_session, write_new_private};
use anyhow::{Context, Result, bail};
use std::path::Path;

/// Standard output instead of a file.
const STANDARD_OUTPUT: &str = "-";

/// Whether a session was asked for by its name.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum SelectedBy {
    ByName,
    /// It is one of a run or of the whole store.
    WithOthers,
}

/// Prints the schema of records.
pub fn schema() -> Result<()> {
    output::out(record::SCHEMA)
}

/// Writes the records of sessions; nothing is written unless all that were named have some.
///
/// # Errors
/// When a named session has no records, or the file is there already.
pub fn run(args: &ExportArgs, shop: &Workshop, output: &Path) -> Result<()> {
    let mut lines = String::new();
    let (mut debates, mut rounds, mut left_out) = (0, 0, 0);
    for (session, asked) in wanted(args, shop)? {
        let state = read_session(&shop.layout.session(session.as_str())?)?;
        let recorded = match (record::records(&session, &state), asked) {
            (Ok(recorded), _) => recorded,
            (Err(why), SelectedBy::ByName) => {
                bail!("session {session} has no round records: {why}")
            }
            (Err(NoRecord::NoRoles(_) | NoRecord::NotOver), SelectedBy::WithOthers) => {
                left_out += 1;
                continue;
            }
        };
        debates += 1;
        rounds += recorded.rounds.len();
        for round in &recorded.rounds {
            lines.push_str(&json(round)?);
        }
        if args.flags {
            lines.push_str(&json(&recorded.flags)?);
        }
    }
    if debates == 0 {
        bail!(
            "no session has round records; play a game with a [record] table, for instance with \
             'elenchus run --protocol moderated'"
        );
    }
    let others = match left_out {
        0 => String::new(),
        _ => format!(
            "; {} left out: no [record] in the game, or not over",
            counted(left_out, "session")
        ),
    };
    let told = format!(
        "exported {} of {}{others}",
        counted(rounds, "round record"),
        counted(debates, "debate")
    );
    if output == Path::new(STANDARD_OUTPUT) {
        output::out(&lines)?;
    } else {
        write_new_private(output, lines.as_bytes())?;
    }
    output::notice(&told);
    Ok(())
}

fn json(line: &impl serde::Serialize) -> Result<String> {
    let line = serde_json::to_string(line).context("a record could not be written as JSON")?;
    Ok(output::harmless_json(&line) + "\n")
}

fn wanted(args: &ExportArgs, shop: &Workshop) -> Result<Vec<(SessionId, SelectedBy)>> {
    let mut wanted = Vec::new();
    for text in &args.session {
        wanted.push((resolve_session(shop, text)?, SelectedBy::ByName));
    }
    let there = shop.layout.sessions()?;
    for text in &args.run {
        let id = find_run(&shop.layout, text)?;
        let run = read_run(&shop.layout.run(id.as_str())?)?;
        let begun = run
            .sessions()
            .into_iter()
            .filter(|session| there.iter().any(|known| known == session.as_str()));
        wanted.extend(begun.map(|session| (session, SelectedBy::WithOthers)));
    }
    if args.session.is_empty() && args.run.is_empty() {
        let all = there.into_iter().map(SessionId::new);
        wanted.extend(all.map(|session| (session, SelectedBy::WithOthers)));
    }
    let mut seen = std::collections::BTreeSet::new();
    wanted.retain(|(session, _)| seen.insert(session.clone()));
    Ok(wanted)
}
