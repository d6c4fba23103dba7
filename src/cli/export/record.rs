//! `elenchus export --record`: the round records of an audit, as JSON Lines.

use super::args::ExportArgs;
use super::{STANDARD_OUTPUT, SelectedBy, select_sessions, stream_text};
use crate::cli::common::{CommandContext, format_noun_count, output};
use anyhow::{Context, Result, bail};
use elenchus_records::exchange::record::{self, NoRecord};
use elenchus_records::workspace::read_session;
use std::path::Path;

/// Prints the schema of records.
pub fn print_schema() -> Result<()> {
    output::print_text(record::SCHEMA)
}

/// Writes the records of sessions; nothing is written unless all that were named have some.
///
/// # Errors
/// When a named session has no records, or the file is there already.
pub fn write_records(args: &ExportArgs, context: &CommandContext, output: &Path) -> Result<()> {
    let mut lines = String::new();
    let (mut debates, mut rounds, mut left_out) = (0, 0, 0);
    for (session, asked) in select_sessions(args, context)? {
        let state = read_session(&context.store.layout.session_path(session.as_str())?)?;
        let session_records = match (record::build_record(&session, &state), asked) {
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
        rounds += session_records.rounds.len();
        for round in &session_records.rounds {
            lines.push_str(&to_json_line(round)?);
        }
        if args.flags {
            lines.push_str(&to_json_line(&session_records.flags)?);
        }
    }
    if debates == 0 {
        bail!(
            "no session has round records; play a game with a [record] table, for instance with \
             'elenchus run --protocol moderated'"
        );
    }
    let left_out_note = match left_out {
        0 => String::new(),
        _ => format!(
            "; {} left out: no [record] in the game, or not over",
            format_noun_count(left_out, "session")
        ),
    };
    let summary = format!(
        "exported {} of {}{left_out_note}",
        format_noun_count(rounds, "round record"),
        format_noun_count(debates, "debate")
    );
    if output == Path::new(STANDARD_OUTPUT) {
        output::print_text(&lines)?;
    } else {
        stream_text(output, args.existing.existing_file(), |to| {
            to.write_all(lines.as_bytes())
        })?;
    }
    output::print_notice(&summary);
    Ok(())
}

pub(super) fn to_json_line(line: &impl serde::Serialize) -> Result<String> {
    let line = serde_json::to_string(line).context("a record could not be written as JSON")?;
    Ok(output::clean_json(&line) + "\n")
}
