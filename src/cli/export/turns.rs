//! `elenchus export --turns`: a row for each turn, as CSV, for a statistics program.

use super::args::ExportArgs;
use super::{STANDARD_OUTPUT, SelectedBy, wanted_sessions};
use crate::cli::common::{Workshop, counted, output};
use anyhow::{Context, Result, bail};
use elenchus_game::debate::{SessionId, State};
use elenchus_metrics::{DebateRow, defuse_cell};
use elenchus_records::workspace::annotations::read_annotations;
use elenchus_records::workspace::rows::{RowReader, TurnTable, tell_apart};
use elenchus_records::workspace::{
    self, copies, read_ahead, read_session_without_views, stream_new_private,
};
use std::io::{self, Write};
use std::path::Path;

/// Writes the turns of finished debates. Sessions are read twice, since every row has the columns that any of
/// them needs; only a few are held at a time.
///
/// # Errors
/// When no session has turns to write, or the file is there already.
pub fn run(args: &ExportArgs, shop: &Workshop, file: &Path) -> Result<()> {
    let (annotations, unread) = read_annotations(&shop.layout)?;
    for one in unread {
        output::notice(&format!("notice: labels of {}: {}", one.annotator, one.why));
    }
    let mut table = TurnTable::new(&annotations);
    let rows = rows(args, shop, &mut table)?;
    if rows.is_empty() {
        bail!("no debate is finished; 'elenchus ls' lists what there is");
    }
    let mut written = 0;
    let mut write = |to: &mut dyn Write| -> io::Result<()> {
        let mut line = |cells: Vec<String>| {
            let mut csv = csv::Writer::from_writer(Vec::new());
            let cells = cells.into_iter();
            csv.write_record(cells.map(|cell| match args.raw {
                true => cell,
                false => defuse_cell(cell),
            }))?;
            let bytes = csv.into_inner().map_err(|error| error.into_error())?;
            to.write_all(output::harmless_text(&String::from_utf8_lossy(&bytes)).as_bytes())
        };
        line(table.heading())?;
        let read = |(session, _): &(SessionId, DebateRow)| read(shop, session);
        read_ahead(
            &rows,
            || read,
            |(session, row), state| {
                for cells in table.rows(row, session, &state.map_err(io::Error::other)?) {
                    line(cells)?;
                    written += 1;
                }
                Ok(())
            },
        )
    };
    if file == Path::new(STANDARD_OUTPUT) {
        write(&mut io::stdout().lock()).context("standard output cannot be written to")?;
    } else {
        stream_new_private(file, write)?;
    }
    output::notice(&format!(
        "exported {} of {}",
        counted(written, "turn"),
        counted(rows.len(), "debate")
    ));
    Ok(())
}

fn read(shop: &Workshop, session: &SessionId) -> workspace::Result<State> {
    read_session_without_views(&shop.layout.session(session.as_str())?)
}

/// Reads the debates that are to be written, without their turns, and finds the columns they need.
fn rows(
    args: &ExportArgs,
    shop: &Workshop,
    table: &mut TurnTable,
) -> Result<Vec<(SessionId, DebateRow)>> {
    let families = shop.library.families()?;
    let mut reader = RowReader::new(&shop.layout, &families);
    let copies = copies(&shop.layout)?;
    let (mut sessions, mut rows) = (Vec::new(), Vec::new());
    let mut unfinished = 0;
    let mut wanted = Vec::new();
    for (session, selected) in wanted_sessions(args, shop)? {
        match copies.get(&session) {
            Some(why) => output::notice(&format!("notice: a session is left out: {why}")),
            None => wanted.push((session, selected)),
        }
    }
    let read = |(session, _): &(SessionId, SelectedBy)| read(shop, session);
    read_ahead(
        &wanted,
        || read,
        |(session, selected), state| -> Result<()> {
            let state = match state {
                Ok(state) => state,
                Err(why) if selected.is_by_name() => return Err(why.into()),
                Err(why) => {
                    output::notice(&format!("notice: a session is left out: {why}"));
                    return Ok(());
                }
            };
            let Some(row) = reader.row(session, &state)? else {
                unfinished += 1;
                return Ok(());
            };
            table.add_columns(session, &state);
            rows.push(DebateRow {
                turns: Vec::new(),
                findings: Vec::new(),
                ..row
            });
            sessions.push(session.clone());
            Ok(())
        },
    )?;
    if unfinished > 0 {
        let left = counted(unfinished, "session");
        output::notice(&format!("notice: {left} left out: not played to the end"));
    }
    tell_apart(&mut rows);
    Ok(sessions.into_iter().zip(rows).collect())
}
