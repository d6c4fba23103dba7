//! `elenchus export --turns` and `--debates`: tables, as CSV, for a statistics program.

use super::args::ExportArgs;
use super::{STANDARD_OUTPUT, SelectedBy, wanted_sessions};
use crate::cli::common::{Workshop, counted, output};
use anyhow::{Context, Result, bail};
use elenchus_game::debate::{SessionId, State};
use elenchus_metrics::{DebateRow, defuse_cell};
use elenchus_records::workspace::annotations::read_annotations;
use elenchus_records::workspace::pass::{Pass, passes};
use elenchus_records::workspace::rows::{DebateTable, RowReader, TurnTable, tell_apart};
use elenchus_records::workspace::{
    self, StoreIndex, copies, read_ahead, read_session_without_views, stream_new_private,
};
use std::io::{self, Write};
use std::path::Path;

/// Writes the turns of debates that are over. Sessions are read twice, since every row has the columns that
/// any of them needs; only a few are held at a time.
///
/// # Errors
/// When no session has turns to write, or the file is there already.
pub fn write_turns(args: &ExportArgs, shop: &Workshop, file: &Path) -> Result<()> {
    let (annotations, unread) = read_annotations(&shop.layout)?;
    for one in unread {
        output::notice(&format!("notice: labels of {}: {}", one.annotator, one.why));
    }
    let mut table = TurnTable::new(&annotations, &read_passes(shop)?);
    let debates = read_debates(args, shop, |session, _, state| {
        table.add_columns(session, state);
    })?;
    let mut debates_written = 0;
    let turns = write_table(args, file, &table.heading(), |line| {
        let read = |(session, _): &(SessionId, DebateRow)| read(shop, session);
        read_ahead(
            &debates,
            || read,
            |(session, row), state| {
                let rows = table.rows(row, session, &state.map_err(io::Error::other)?);
                debates_written += usize::from(!rows.is_empty());
                rows.into_iter().try_for_each(&mut *line)
            },
        )
    })?;
    output::notice(&format!(
        "exported {} of {}",
        counted(turns, "turn"),
        counted(debates_written, "debate")
    ));
    Ok(())
}

/// Writes the debates that are over, a row for each.
///
/// # Errors
/// As [`write_turns`].
pub fn write_debates(args: &ExportArgs, shop: &Workshop, file: &Path) -> Result<()> {
    let mut table = DebateTable::new(&read_passes(shop)?);
    let debates = read_debates(args, shop, |session, row, state| {
        table.add_columns(row, session, state);
    })?;
    let written = write_table(args, file, &table.heading(), |line| {
        let read = |(session, _): &(SessionId, DebateRow)| read(shop, session);
        read_ahead(
            &debates,
            || read,
            |(session, row), state| {
                let row = table.row(row, session, &state.map_err(io::Error::other)?);
                row.into_iter().try_for_each(&mut *line)
            },
        )
    })?;
    output::notice(&format!("exported {}", counted(written, "debate")));
    Ok(())
}

/// Writes the lines of a table, with its heading; returns how many.
fn write_table(
    args: &ExportArgs,
    file: &Path,
    heading: &[String],
    lines: impl FnOnce(&mut dyn FnMut(Vec<String>) -> io::Result<()>) -> io::Result<()>,
) -> Result<usize> {
    let mut written = 0;
    let write = |to: &mut dyn Write| -> io::Result<()> {
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
        line(heading.to_vec())?;
        lines(&mut |cells| {
            line(cells)?;
            written += 1;
            Ok(())
        })
    };
    if file == Path::new(STANDARD_OUTPUT) {
        write(&mut io::stdout().lock()).context("standard output cannot be written to")?;
    } else {
        stream_new_private(file, write)?;
    }
    Ok(written)
}

/// Reads the passes of the store; one that cannot be read has no columns, which is said.
fn read_passes(shop: &Workshop) -> Result<Vec<Pass>> {
    let mut read = Vec::new();
    for pass in passes(&shop.layout)? {
        match pass {
            Ok(pass) => read.push(pass),
            Err(why) => output::notice(&format!("notice: a pass is left out: {why}")),
        }
    }
    // The oldest first, so that columns stay where they were when another is added.
    read.reverse();
    Ok(read)
}

fn read(shop: &Workshop, session: &SessionId) -> workspace::Result<State> {
    read_session_without_views(&shop.layout.session(session.as_str())?)
}

/// Reads the debates that are to be written, and shows each to a table that finds out which columns it needs.
fn read_debates(
    args: &ExportArgs,
    shop: &Workshop,
    mut add_columns: impl FnMut(&SessionId, &DebateRow, &State),
) -> Result<Vec<(SessionId, DebateRow)>> {
    let families = shop.library.families()?;
    let index = StoreIndex::without(&shop.layout);
    let mut reader = RowReader::new(&index, &families);
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
            add_columns(session, &row, &state);
            rows.push(row);
            sessions.push(session.clone());
            Ok(())
        },
    )?;
    if unfinished > 0 {
        let left = counted(unfinished, "session");
        output::notice(&format!("notice: {left} left out: not played to the end"));
    }
    if rows.is_empty() {
        bail!("no debate is finished; 'elenchus ls' lists what there is");
    }
    tell_apart(&mut rows);
    Ok(sessions.into_iter().zip(rows).collect())
}
