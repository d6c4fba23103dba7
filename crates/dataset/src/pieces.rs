//! Pieces of a large file: whole rows of it become topics before the next are read, so that memory holds
//! a piece and the topics.

use super::collector::Collector;
use super::json::{
    JsonRows, PieceTaken, RowKeys, collect_text_lines, is_one_a_line, open_list, whole_lines,
};
use super::load::{FileFormat, MAX_ROW_BYTES, format_of};
use super::stream::FileStream;
use super::table::{PieceEnd, PiecedTable};
use super::topic_draft::shorten_text;
use super::{DatasetError, DatasetFormat, DatasetKind, TopicField};
use std::path::Path;

/// Files up to this size are read at once; longer ones in pieces of it.
pub(super) const PIECE_BYTES: usize = 8 << 20;
/// The most that is read for one row.
const MAX_HELD_BYTES: usize = MAX_ROW_BYTES + 2 * PIECE_BYTES;

/// What the pieces of a file came to, beside topics.
pub(super) struct Pieces {
    pub kind: DatasetKind,
    pub format: DatasetFormat,
    pub columns: Vec<(String, TopicField)>,
}

/// Rows of a file that is read in pieces.
enum Rows {
    Table(PiecedTable),
    Json {
        format: DatasetFormat,
        /// Where the list opens in the piece.
        open: usize,
        keys: RowKeys,
    },
    Text,
    /// The list has ended.
    Ended(RowKeys),
}

/// Reads a file's rows into a collector. `begin` is its beginning, without a byte order mark.
///
/// # Errors
/// When the file cannot be read, or holds a row that has no end.
pub(super) fn collect_pieces(
    stream: &mut FileStream,
    begin: Vec<u8>,
    kind: Option<DatasetKind>,
    (path, name): (&Path, &str),
    into: &mut Collector<'_>,
) -> Result<Pieces, DatasetError> {
    let (mut rows, kind) =
        rows_of(kind, name, &begin, into).map_err(|why| DatasetError::NoText {
            path: path.to_owned(),
            why,
        })?;
    into.set_kind(kind, name);
    let format = match &rows {
        Rows::Table(_) => DatasetFormat::Table,
        Rows::Json { format, .. } => *format,
        Rows::Text => DatasetFormat::PlainText,
        Rows::Ended(_) => DatasetFormat::JsonArray,
    };
    let mut buffer = begin;
    let mut lines = 0;
    loop {
        let end = match stream.is_at_end() {
            true => PieceEnd::OfFile,
            false => PieceEnd::OfPiece,
        };
        let (taken_bytes, passed_lines) =
            collect_whole_rows(&mut rows, &mut buffer, end, lines, kind, into);
        lines += passed_lines;
        if into.is_over() {
            return Err(into.too_large_error(path));
        }
        if end == PieceEnd::OfFile {
            break;
        }
        if taken_bytes == 0 && buffer.len() > MAX_HELD_BYTES {
            return Err(DatasetError::NoText {
                path: path.to_owned(),
                why: format!(
                    "the row on line {} does not end within {} MiB",
                    lines + 1,
                    MAX_ROW_BYTES >> 20
                ),
            });
        }
        drop(buffer.drain(..taken_bytes));
        stream.fill_buffer(&mut buffer, PIECE_BYTES)?;
    }
    let columns = match rows {
        Rows::Table(table) => table.into_column_fields(),
        Rows::Json { keys, .. } | Rows::Ended(keys) => keys.columns,
        Rows::Text => Vec::new(),
    };
    Ok(Pieces {
        kind,
        format,
        columns,
    })
}

/// Says from its beginning what rows a file has, and of which kind they are.
fn rows_of(
    kind: Option<DatasetKind>,
    name: &str,
    begin: &[u8],
    into: &mut Collector<'_>,
) -> Result<(Rows, DatasetKind), String> {
    Ok(match format_of(kind, into.choice, (name, begin)) {
        FileFormat::Foreign(why) => return Err(why),
        FileFormat::Json => {
            let list = match is_one_a_line(kind, begin) {
                true => None,
                false => open_list(begin),
            };
            let (format, open) = match &list {
                Some((open, _)) => (DatasetFormat::JsonArray, *open),
                None => (DatasetFormat::JsonLines, 0),
            };
            if let Some((_, Some(key))) = &list {
                into.add_note(1, format!("rows are taken from `{}`", shorten_text(key)));
            }
            let kind = kind.unwrap_or_else(|| {
                JsonRows::from_piece(format, begin, open)
                    .0
                    .detect_kind(into.choice)
            });
            let keys = RowKeys::default();
            (Rows::Json { format, open, keys }, kind)
        }
        FileFormat::Table(of_begin) => {
            let kind = kind.unwrap_or(of_begin);
            (Rows::Table(PiecedTable::new(name, begin)), kind)
        }
        FileFormat::PlainText => (Rows::Text, kind.unwrap_or(DatasetKind::Own)),
    })
}

/// Takes the whole rows of a piece; returns how many bytes they were, and how many lines.
fn collect_whole_rows(
    rows: &mut Rows,
    buffer: &mut [u8],
    end: PieceEnd,
    lines_before: u64,
    kind: DatasetKind,
    into: &mut Collector<'_>,
) -> (usize, u64) {
    let lines_in = |bytes: &[u8]| bytes.iter().map(|byte| u64::from(*byte == b'\n')).sum();
    let taken_bytes = match rows {
        Rows::Table(table) => {
            return table.collect_piece(buffer, end, lines_before, kind, into);
        }
        Rows::Text => {
            let whole = match end {
                PieceEnd::OfFile => buffer.len(),
                PieceEnd::OfPiece => whole_lines(buffer),
            };
            let text = buffer.get(..whole).unwrap_or_default();
            collect_text_lines(text, lines_before, into);
            whole
        }
        Rows::Ended(_) => buffer.len(),
        Rows::Json { format, open, keys } => {
            let (json_rows, extent) = match (end, *format) {
                (PieceEnd::OfFile, DatasetFormat::JsonArray) => {
                    JsonRows::from_last_piece(buffer, *open)
                }
                (PieceEnd::OfFile, _) => {
                    (JsonRows::from_lines(buffer), PieceTaken::Of(buffer.len()))
                }
                (PieceEnd::OfPiece, format) => JsonRows::from_piece(format, buffer, *open),
            };
            keys.collect_rows(json_rows.with_line_offset(lines_before), kind, into);
            match extent {
                PieceTaken::Of(taken)
                    if *format == DatasetFormat::JsonArray && end == PieceEnd::OfPiece =>
                {
                    let lines = lines_in(buffer.get(..taken).unwrap_or_default());
                    // What follows is read as a list that opens here.
                    let at = taken.saturating_sub(1);
                    if taken > 0
                        && let Some(byte) = buffer.get_mut(at)
                    {
                        *byte = b'[';
                        *open = 0;
                    }
                    return (at, lines);
                }
                PieceTaken::Of(taken) => taken,
                PieceTaken::Last(taken) => {
                    let keys = std::mem::take(keys);
                    let lines = lines_in(buffer.get(..taken).unwrap_or_default());
                    *rows = Rows::Ended(keys);
                    return (taken, lines);
                }
            }
        }
    };
    (
        taken_bytes,
        lines_in(buffer.get(..taken_bytes).unwrap_or_default()),
    )
}
