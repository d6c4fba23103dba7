//! `elenchus export --turns` and `--debates`: tables, as CSV, for a statistics program.

use super::args::ExportArgs;
use super::{SelectedBy, select_sessions, stream_text};
use crate::cli::common::{CommandContext, format_noun_count, output};
use anyhow::{Result, bail};
use elenchus_game::debate::{SessionId, State};
use elenchus_metrics::{DebateRow, defuse_cell};
use elenchus_records::workspace::annotations::read_annotations;
use elenchus_records::workspace::pass::{Pass, read_all_passes};
use elenchus_records::workspace::rows::{DebateTable, RowReader, TurnTable, tell_apart};
use elenchus_records::workspace::{
    self, StoreIndex, find_session_copies, read_ahead, read_session_without_views,
};
use std::io::{self, Write};
use std::path::Path;

/// Writes the turns of debates that are over. Sessions are read twice, since every row has the columns that
/// any of them needs; only a few are held at a time.
///
/// # Errors
/// When no session has turns to write, or the file is there already.
pub fn write_turns(args: &ExportArgs, context: &CommandContext, file: &Path) -> Result<()> {
    let (annotations, unread) = read_annotations(&context.store.layout)?;
    for one in unread {
        output::print_notice(&format!("notice: labels of {}: {}", one.annotator, one.why));
    }
    let mut table = TurnTable::new(&annotations, &read_passes(context)?);
    let debates = read_debates(args, context, |session, _, state| {
        table.add_columns(session, state);
    })?;
    let mut debates_written = 0;
    let turns = write_table(args, file, &table.column_names(), |line| {
        let read_item = |(session, _): &(SessionId, DebateRow)| read_state(context, session);
        read_ahead(
            &debates,
            || read_item,
            |(session, row), state| {
                let rows = table.list_rows(row, session, &state.map_err(io::Error::other)?);
                debates_written += usize::from(!rows.is_empty());
                rows.into_iter().try_for_each(&mut *line)
            },
        )
    })?;
    output::print_notice(&format!(
        "exported {} of {}",
        format_noun_count(turns, "turn"),
        format_noun_count(debates_written, "debate")
    ));
    Ok(())
}

/// Writes the debates that are over, a row for each.
///
/// # Errors
/// As [`write_turns`].
pub fn write_debates(args: &ExportArgs, context: &CommandContext, file: &Path) -> Result<()> {
    let mut table = DebateTable::new(&read_passes(context)?);
    let debates = read_debates(args, context, |session, row, state| {
        table.add_columns(row, session, state);
    })?;
    let debate_count = write_table(args, file, &table.column_names(), |line| {
        let read_item = |(session, _): &(SessionId, DebateRow)| read_state(context, session);
        read_ahead(
            &debates,
            || read_item,
            |(session, row), state| {
                let row = table.row_cells(row, session, &state.map_err(io::Error::other)?);
                row.into_iter().try_for_each(&mut *line)
            },
        )
    })?;
    output::print_notice(&format!(
        "exported {}",
        format_noun_count(debate_count, "debate")
    ));
    Ok(())
}

/// Writes the lines of a table, with its heading; returns how many.
fn write_table(
    args: &ExportArgs,
    file: &Path,
    heading: &[String],
    lines: impl FnOnce(&mut dyn FnMut(Vec<String>) -> io::Result<()>) -> io::Result<()>,
) -> Result<usize> {
    let mut row_count = 0;
    let write = |to: &mut dyn Write| -> io::Result<()> {
        let mut line = |cells: Vec<String>| {
            let mut csv = csv::Writer::from_writer(Vec::new());
            let cells = cells.into_iter();
            csv.write_record(cells.map(|cell| match args.raw {
                true => cell,
                false => defuse_cell(cell),
            }))?;
            let bytes = csv.into_inner().map_err(|error| error.into_error())?;
            to.write_all(output::clean_text(&String::from_utf8_lossy(&bytes)).as_bytes())
        };
        line(heading.to_vec())?;
        lines(&mut |cells| {
            line(cells)?;
            row_count += 1;
            Ok(())
        })
    };
    stream_text(file, args.existing.existing_file(), write)?;
    Ok(row_count)
}

/// Reads the passes of the store; one that cannot be read has no columns, which is said.
pub(super) fn read_passes(context: &CommandContext) -> Result<Vec<Pass>> {
    let mut readable_passes = Vec::new();
    for pass in read_all_passes(&context.store.layout)? {
        match pass {
            Ok(pass) => readable_passes.push(pass),
            Err(why) => output::print_notice(&format!("notice: a pass is left out: {why}")),
        }
    }
    // The oldest first, so that columns stay where they were when another is added.
    readable_passes.reverse();
    Ok(readable_passes)
}

pub(super) fn read_state(
    context: &CommandContext,
    session: &SessionId,
) -> workspace::Result<State> {
    read_session_without_views(&context.store.layout.session_path(session.as_str())?)
}

/// Reads the debates that are to be written, and shows each to a table that finds out which columns it needs.
pub(super) fn read_debates(
    args: &ExportArgs,
    context: &CommandContext,
    mut add_columns: impl FnMut(&SessionId, &DebateRow, &State),
) -> Result<Vec<(SessionId, DebateRow)>> {
    let families = context.library.read_families()?;
    let index = StoreIndex::bypass(&context.store.layout);
    let mut reader = RowReader::new(&index, &families);
    let copies = find_session_copies(&context.store.layout)?;
    let (mut sessions, mut rows) = (Vec::new(), Vec::new());
    let mut unfinished_count = 0;
    let mut selection = Vec::new();
    for (session, selected) in select_sessions(args, context)? {
        match copies.get(&session) {
            Some(why) => output::print_notice(&format!("notice: a session is left out: {why}")),
            None => selection.push((session, selected)),
        }
    }
    let read_item = |(session, _): &(SessionId, SelectedBy)| read_state(context, session);
    read_ahead(
        &selection,
        || read_item,
        |(session, selected), state| -> Result<()> {
            let state = match state {
                Ok(state) => state,
                Err(why) if selected.is_by_name() => return Err(why.into()),
                Err(why) => {
                    output::print_notice(&format!("notice: a session is left out: {why}"));
                    return Ok(());
                }
            };
            let Some(row) = reader.read_row(session, &state)? else {
                unfinished_count += 1;
                return Ok(());
            };
            add_columns(session, &row, &state);
            rows.push(row);
            sessions.push(session.clone());
            Ok(())
        },
    )?;
    if unfinished_count > 0 {
        let left_out = format_noun_count(unfinished_count, "session");
        output::print_notice(&format!(
            "notice: {left_out} left out: not played to the end"
        ));
    }
    if rows.is_empty() {
        bail!("no debate is finished; 'elenchus ls' lists what there is");
    }
    tell_apart(&mut rows);
    Ok(sessions.into_iter().zip(rows).collect())
}
