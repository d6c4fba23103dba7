//! Tables of cells (CSV, TSV), with the line number of every row.

use std::io::Read;

use super::collector::Collector;
use super::columns::{Columns, are_completions, find_lacking_column, kind_of};
use super::load::describe_oversize;
use super::option_answers::option_columns;
use super::topic_draft::{TopicDraft, shorten_text};
use super::{ColumnChoice, DatasetKind, TopicField};

/// A row appended to the file's bytes. A quote that is never closed swallows it, and its absence
/// shows that.
const SENTINEL: &[u8] = b"\n0\n";

/// How Excel says on the first line which separator a table has.
const SEPARATOR_MARK: &[u8] = b"sep=";

/// Rows of a table that is not a dataset, each with the line on which it begins, from 1.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct TableRows {
    pub header: Vec<String>,
    /// Rows with as many cells as the header.
    pub rows: Vec<(u64, Vec<String>)>,
    /// Unreadable rows, with the reason.
    pub broken: Vec<(u64, String)>,
}

/// Divides a table into rows. The delimiter is a tab if `name` ends in `.tsv`; otherwise the first
/// line determines it.
pub fn parse_table_rows(name: &str, bytes: &[u8]) -> TableRows {
    let bytes = bytes.strip_prefix("\u{feff}".as_bytes()).unwrap_or(bytes);
    let table = CellTable::from_bytes(name, bytes);
    let (header, mut broken) = (table.header, table.broken);
    let mut rows = Vec::new();
    for row in &table.rows {
        let cells = row.cells.iter().map(|cell| std::str::from_utf8(cell));
        let cells: Result<Vec<String>, _> = cells.map(|cell| cell.map(str::to_owned)).collect();
        match cells {
            Err(_) => broken.push((
                row.line,
                "the row is not valid UTF-8: save the file as UTF-8".to_owned(),
            )),
            Ok(cells) if cells.len() != header.len() => {
                let (here, there) = (cells.len(), header.len());
                let why = format!("the row has {here} cells but the header has {there}");
                broken.push((row.line, why));
            }
            Ok(cells) => match describe_oversize(row.cells.as_slice().len()) {
                Some(why) => broken.push((row.line, why)),
                None => rows.push((row.line, cells)),
            },
        }
    }
    TableRows {
        header,
        rows,
        broken,
    }
}

/// The cells of a row and the line on which it begins.
struct TableRow {
    line: u64,
    cells: csv::ByteRecord,
}

/// The rows of a table; the first one names the columns.
pub(super) struct CellTable {
    header: Vec<String>,
    header_line: u64,
    rows: Vec<TableRow>,
    /// Rows that could not be separated, with the reason.
    broken: Vec<(u64, String)>,
}

impl CellTable {
    /// Divides the bytes into rows. The delimiter is a tab if `name` ends in `.tsv`; otherwise the
    /// first line determines it.
    pub fn from_bytes(name: &str, bytes: &[u8]) -> CellTable {
        let Records {
            mut rows,
            mut broken,
            ..
        } = split_records(bytes, detect_delimiter(name, bytes), PieceEnd::OfFile);
        if rows.is_empty() {
            let why = match broken.is_empty() {
                true => "the file is empty",
                false => "the header cannot be read",
            };
            broken.insert(0, (1, why.to_owned()));
            return CellTable {
                header: Vec::new(),
                header_line: 1,
                rows,
                broken,
            };
        }
        let (header, header_line) = take_header(&mut rows);
        CellTable {
            header,
            header_line,
            rows,
            broken,
        }
    }

    /// Returns the kind of dataset, from the columns.
    pub fn detect_kind(&self, choice: &ColumnChoice) -> DatasetKind {
        kind_of(self.header.iter().map(String::as_str), choice)
    }

    /// Returns whether some column holds a topic's text.
    pub(super) fn has_text(&self, choice: &ColumnChoice) -> bool {
        let header: Vec<&str> = self.header.iter().map(String::as_str).collect();
        let fields = header
            .iter()
            .filter_map(|column| Columns::from_choice(choice).field_of(column));
        let mut fields = fields.map(|(field, _)| field);
        fields.any(|field| field == TopicField::Text)
    }

    /// Says whether the first row names columns: several, of which at least two are known and one is the text.
    pub(super) fn has_known_header(&self, choice: &ColumnChoice) -> bool {
        let columns = Columns::from_choice(choice);
        let known_columns = self
            .header
            .iter()
            .filter(|name| columns.field_of(name).is_some());
        self.has_text(choice) && known_columns.count() > 1
    }

    /// Adds the rows as topics; returns the field of each column.
    pub fn collect_topics(
        self,
        kind: DatasetKind,
        into: &mut Collector<'_>,
    ) -> Vec<(String, TopicField)> {
        let columns = TableColumns::from_header(kind, &self.header, self.header_line, into);
        columns.collect_rows(&self.rows, self.broken, into);
        columns.column_fields
    }
}

/// A table that is read in pieces: its columns are known from the first.
pub(super) struct PiecedTable {
    delimiter: u8,
    columns: Option<TableColumns>,
}

impl PiecedTable {
    /// Takes the name of the file and its beginning.
    pub(super) fn new(name: &str, begin: &[u8]) -> Self {
        Self {
            delimiter: detect_delimiter(name, begin),
            columns: None,
        }
    }

    /// Adds the whole rows of a piece; returns how many bytes they take, and their lines.
    pub(super) fn collect_piece(
        &mut self,
        bytes: &[u8],
        end: PieceEnd,
        lines_before: u64,
        kind: DatasetKind,
        into: &mut Collector<'_>,
    ) -> (usize, u64) {
        let Records {
            mut rows,
            mut broken,
            taken,
            lines,
        } = split_records(bytes, self.delimiter, end);
        for row in &mut rows {
            row.line += lines_before;
        }
        for (line, _) in &mut broken {
            *line += lines_before;
        }
        if self.columns.is_none() && !rows.is_empty() {
            let (header, line) = take_header(&mut rows);
            self.columns = Some(TableColumns::from_header(kind, &header, line, into));
        }
        if let Some(columns) = &self.columns {
            columns.collect_rows(&rows, broken, into);
        }
        (taken, lines)
    }

    /// Returns the field of each column.
    pub(super) fn into_column_fields(self) -> Vec<(String, TopicField)> {
        self.columns
            .map_or_else(Vec::new, |columns| columns.column_fields)
    }
}

/// Takes the row that names the columns; a table of multiple choice without one, as MMLU's are, is given names.
fn take_header(rows: &mut Vec<TableRow>) -> (Vec<String>, u64) {
    let first = rows.first().and_then(|first| first.cells.get(0));
    if rows.len() > 1 && first.is_some_and(|cell| cell.starts_with(SEPARATOR_MARK)) {
        rows.remove(0);
    }
    let line = rows.first().map_or(1, |first| first.line);
    if let Some(names) = names_of_choice(rows) {
        return (names, line);
    }
    let first = rows.remove(0);
    (column_names(&first), first.line)
}

/// Returns names for the columns of a table that begins with a question: each row has the question, its options and
/// the letter of the right one.
fn names_of_choice(rows: &[TableRow]) -> Option<Vec<String>> {
    /// Rows that are looked at.
    const LOOKED_AT: usize = 20;
    let cells = rows.first()?.cells.len();
    let options = cells
        .checked_sub(2)
        .filter(|options| (2..=10).contains(options))?;
    let is_choice = |row: &TableRow| {
        let letter = row.cells.get(cells - 1).map(<[u8]>::trim_ascii);
        let place = match letter {
            Some([letter @ b'A'..=b'J']) => usize::from(letter - b'A'),
            _ => return false,
        };
        row.cells.len() == cells
            && place < options
            && row.cells.iter().all(|cell| !cell.trim_ascii().is_empty())
    };
    let looked_at = rows.iter().take(LOOKED_AT);
    // A header that ends with an option's letter has the letters before it as well.
    let begins_with_letter =
        |row: &TableRow| row.cells.get(1).map(<[u8]>::trim_ascii) == Some(b"A");
    if !looked_at.clone().all(is_choice) || rows.first().is_some_and(begins_with_letter) {
        return None;
    }
    let letters = (b'A'..=b'J')
        .take(options)
        .map(|letter| char::from(letter).to_string());
    let names = ["question".to_owned()].into_iter().chain(letters);
    Some(names.chain(["answer".to_owned()]).collect())
}

fn column_names(first: &TableRow) -> Vec<String> {
    let cells = first.cells.iter();
    cells
        .map(|cell| String::from_utf8_lossy(cell).trim().to_owned())
        .collect()
}

/// What the columns of a table are.
struct TableColumns {
    column_fields: Vec<(String, TopicField)>,
    /// What no column holds and every topic needs; nothing where no row is read at all.
    lacking: Option<&'static str>,
    is_read: bool,
}

impl TableColumns {
    /// Reports what the header says of the whole table.
    fn from_header(
        kind: DatasetKind,
        header: &[String],
        header_line: u64,
        into: &mut Collector<'_>,
    ) -> Self {
        let header: Vec<&str> = header.iter().map(String::as_str).collect();
        let choice = into.choice;
        let (fields, lost) = Columns { kind, choice }.assign_fields(&header);
        let first_option = fields.iter().position(|field| *field == TopicField::Option);
        if first_option.is_some_and(|at| header[at].trim().ends_with('1')) {
            into.number_options_from_one();
        }
        for (loser, winner) in lost {
            into.add_note(
                header_line,
                format!(
                    "column `{}` is not read because `{}` means the same",
                    shorten_text(loser),
                    shorten_text(winner)
                ),
            );
        }
        let column_fields = header
            .iter()
            .map(|column| (*column).to_owned())
            .zip(fields.iter().copied())
            .collect();
        let has_text_choice = choice.has_field(TopicField::Text);
        if let Some(why) = no_table(kind, &header).filter(|_| !has_text_choice) {
            into.refuse_row(header_line, why);
            return Self {
                column_fields,
                lacking: None,
                is_read: false,
            };
        }
        let lacking = find_lacking_column(kind, &fields);
        if let Some((what, wanted)) = lacking.filter(|_| !header.is_empty()) {
            into.refuse_row(
                header_line,
                format!(
                    "no column holds {what}: there are {}; name one {wanted}, or say which it is, as with \
                     --column text=NAME",
                    shorten_text(&header.join(", "))
                ),
            );
        }
        Self {
            column_fields,
            lacking: lacking.map(|(what, _)| what),
            is_read: true,
        }
    }

    fn collect_rows(
        &self,
        rows: &[TableRow],
        broken: Vec<(u64, String)>,
        into: &mut Collector<'_>,
    ) {
        if !self.is_read {
            return;
        }
        let header: Vec<&str> = self
            .column_fields
            .iter()
            .map(|(name, _)| name.as_str())
            .collect();
        let fields: Vec<TopicField> = self.column_fields.iter().map(|(_, field)| *field).collect();
        let order = reading_order(&header, &fields);
        // Reports stay in the order of the file.
        let mut broken_rows = broken.into_iter().peekable();
        for row in rows {
            while let Some((line, why)) = broken_rows.next_if(|(line, _)| *line < row.line) {
                into.refuse_row(line, why);
            }
            match self.lacking {
                None => match build_draft((&header, &fields, &order), &row.cells) {
                    Ok(draft) => into.add_draft(row.line, draft),
                    Err(why) => into.refuse_row(row.line, why),
                },
                Some(what) => into.refuse_row(row.line, format!("no column holds {what}")),
            }
        }
        for (line, why) in broken_rows {
            into.refuse_row(line, why);
        }
    }
}

/// Returns the reason that no row of a table can be a topic although each is well formed.
fn no_table(kind: DatasetKind, header: &[&str]) -> Option<&'static str> {
    match kind {
        DatasetKind::XsTest if are_completions(header.iter().copied()) => Some(
            "these are XSTest's completions: answers of a model with the labels of its annotators, and \
             no topics; give the prompts, the file with id, prompt, type, label, focus and note",
        ),
        DatasetKind::TriviaQa => Some(
            "TriviaQA is read from JSON, for its answers are objects: give its .json file, or name a \
             table of one's own own:FILE",
        ),
        DatasetKind::Quality => Some(
            "QuALITY is read from JSON Lines, for its questions are objects: give its file, or name a \
             table of one's own own:FILE",
        ),
        DatasetKind::XsTest
        | DatasetKind::HarmBench
        | DatasetKind::CoSafe
        | DatasetKind::Math
        | DatasetKind::Aegis
        | DatasetKind::WildJailbreak
        | DatasetKind::JailbreakBench
        | DatasetKind::StrongReject
        | DatasetKind::AdvBench
        | DatasetKind::DoNotAnswer
        | DatasetKind::BeaverTails
        | DatasetKind::TruthfulQa
        | DatasetKind::Own => None,
    }
}

/// Returns the places of the columns in the order in which a row is read: options by their letters or numbers,
/// wherever they stand, since an answer that is one of these means the option of that name.
fn reading_order(header: &[&str], fields: &[TopicField]) -> Vec<usize> {
    let is_option = |at: &usize| fields.get(*at) == Some(&TopicField::Option);
    let mut order: Vec<usize> = (0..header.len()).filter(|at| !is_option(at)).collect();
    let option_places = option_columns(header);
    let others = (0..header.len()).filter(|at| is_option(at) && !option_places.contains(at));
    order.extend(option_places.iter().copied().filter(is_option));
    order.extend(others);
    order
}

fn build_draft(
    (header, fields, order): (&[&str], &[TopicField], &[usize]),
    cells: &csv::ByteRecord,
) -> Result<TopicDraft, String> {
    if cells.len() != header.len() {
        return Err(format!(
            "the row has {} cells but the header has {}",
            cells.len(),
            header.len()
        ));
    }
    if let Some(why) = describe_oversize(cells.as_slice().len()) {
        return Err(why);
    }
    let mut draft = TopicDraft::default();
    for at in order {
        let (Some(column), Some(field), Some(cell)) =
            (header.get(*at), fields.get(*at), cells.get(*at))
        else {
            continue;
        };
        let cell = std::str::from_utf8(cell).map_err(|_| {
            format!(
                "`{}` is not valid UTF-8: save the file as UTF-8",
                shorten_text(column)
            )
        })?;
        draft.set_cell(*field, column, cell)?;
    }
    Ok(draft)
}

/// Returns the delimiter: comma, tab, semicolon or bar, whichever the first line has most of outside of quotes.
fn detect_delimiter(name: &str, bytes: &[u8]) -> u8 {
    if name.to_ascii_lowercase().ends_with(".tsv") {
        return b'\t';
    }
    let first = bytes.split(|b| *b == b'\n').next().unwrap_or_default();
    if let Some(separator) = first.strip_prefix(SEPARATOR_MARK)
        && let [mark @ (b',' | b'\t' | b';' | b'|'), ..] = separator
    {
        return *mark;
    }
    let mut counts = [(b',', 0_usize), (b'\t', 0), (b';', 0), (b'|', 0)];
    let mut in_quotes = false;
    for byte in first {
        match byte {
            b'"' => in_quotes = !in_quotes,
            _ if in_quotes => {}
            byte => {
                let count = counts.iter_mut().find(|(mark, _)| mark == byte);
                count.into_iter().for_each(|(_, count)| *count += 1);
            }
        }
    }
    // Of equally many the first of the list.
    let most = counts.iter().rev().max_by_key(|(_, count)| *count);
    most.filter(|(_, count)| *count > 0)
        .map_or(b',', |(mark, _)| *mark)
}

/// Where a piece of a table ends.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum PieceEnd {
    OfFile,
    /// More follows: the last row may not be whole.
    OfPiece,
}

struct Records {
    rows: Vec<TableRow>,
    /// Rows that could not be separated, with the reason.
    broken: Vec<(u64, String)>,
    /// Bytes of whole rows, and the lines that end in them.
    taken: usize,
    lines: u64,
}

fn split_records(bytes: &[u8], delimiter: u8, end: PieceEnd) -> Records {
    let mut reader = csv::ReaderBuilder::new()
        .has_headers(false)
        .flexible(true)
        .delimiter(delimiter)
        .from_reader(bytes.chain(SENTINEL));
    let mut lines = LineCounter::new(bytes);
    let mut rows = Vec::new();
    let mut is_closed = false;
    let mut last_start = 0;
    for record in reader.byte_records() {
        // Reading from memory and without a fixed number of cells cannot fail; should it ever, the
        // rest of the file is reported below.
        let Ok(cells) = record else { break };
        let at = cells.position().map_or(0, csv::Position::byte);
        let start = skip_line_ends(bytes, usize::try_from(at).unwrap_or(usize::MAX));
        if start >= bytes.len() {
            is_closed = true;
            break;
        }
        let line = lines.line_at(start);
        last_start = start;
        rows.push(TableRow { line, cells });
    }
    let mut broken_rows = Vec::new();
    if end == PieceEnd::OfPiece {
        let lines = rows.pop().map_or(0, |last| last.line - 1);
        return Records {
            rows,
            broken: broken_rows,
            taken: last_start,
            lines,
        };
    }
    if !is_closed && let Some(last) = rows.pop() {
        let end = lines.line_at(bytes.len());
        broken_rows.push((
            last.line,
            format!("a quote is opened here and never closed, so the file cannot be read from here to its end (line {end})"),
        ));
    }
    Records {
        rows,
        broken: broken_rows,
        taken: bytes.len(),
        lines: 0,
    }
}

/// Returns the reader's positions count the end of the line before, and blank lines, into a row.
fn skip_line_ends(bytes: &[u8], from: usize) -> usize {
    let rest = bytes.get(from..).unwrap_or_default();
    from.saturating_add(
        rest.iter()
            .take_while(|b| matches!(b, b'\r' | b'\n'))
            .count(),
    )
}

/// Counts lines as editors do: `\n`, `\r\n` and a lone `\r` each end one.
struct LineCounter<'a> {
    bytes: &'a [u8],
    at: usize,
    line: u64,
}

impl<'a> LineCounter<'a> {
    fn new(bytes: &'a [u8]) -> Self {
        LineCounter {
            bytes,
            at: 0,
            line: 1,
        }
    }

    /// Returns the line of an offset; offsets must not go back.
    fn line_at(&mut self, offset: usize) -> u64 {
        while self.at < offset.min(self.bytes.len()) {
            let next = self.bytes.get(self.at + 1);
            let ends = match self.bytes[self.at] {
                b'\n' => true,
                b'\r' => next != Some(&b'\n'),
                _ => false,
            };
            self.line += u64::from(ends);
            self.at += 1;
        }
        self.line
    }
}
