//! `elenchus export --record`: the round records of an audit, as JSON Lines.

use super::args::ExportArgs;
use super::{STANDARD_OUTPUT, SelectedBy, wanted_sessions};
use crate::cli::common::{Workshop, counted, output};
use anyhow::{Context, Result, bail};
use elenchus_records::exchange::record::{self, NoRecord};
use elenchus_records::workspace::{read_session, write_new_private};
use std::path::Path;

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
    for (session, asked) in wanted_sessions(args, shop)? {
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
