//! Reader of journals, without a lock and without changing anything.

use std::{
    fs::{self, DirEntry, File},
    io::{self, BufRead, BufReader, Seek, SeekFrom},
    os::unix::fs::FileExt,
    path::Path,
};

use serde::de::{DeserializeOwned, IgnoredAny};

use super::chain::{JournalLines, ScannedLine, Scanner, Step};
use super::files::{Access, open_regular};
use super::heads::HeadFile;
use super::line::MAX_LINE_BYTES;
use super::{Hash, Head, ReadLine, Result, StoreError, TailNotice, heads, line};

/// Content of a journal.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Journal<E> {
    /// Every complete line, first to last; the chain holds.
    pub lines: Vec<ReadLine<E>>,
    pub head: Head,
    pub notices: Vec<TailNotice>,
}

/// Reads a journal that others may be writing to. A tail that was never acknowledged is left out,
/// with a notice.
///
/// # Errors
/// [`StoreError::Missing`]; [`StoreError::Broken`] naming the first line that is not what was
/// written; [`StoreError::Damaged`] when acknowledged lines are not there; [`StoreError::Io`].
pub fn read_journal<E: DeserializeOwned>(path: &Path) -> Result<Journal<E>> {
    read_lines(open_lines(path)?)
}

/// Opens a journal to be read line by line, without keeping lines in memory.
pub fn open_lines<E: DeserializeOwned>(path: &Path) -> Result<JournalLines<'_, E>> {
    let (mark, file) = open_with_head(path)?;
    Ok(JournalLines::new(path, BufReader::new(file), mark))
}

/// Returns the bytes of a journal's lines, once they have been read and held to their chain and head.
///
/// # Errors
/// As [`read_journal`].
pub fn verify_and_read(path: &Path) -> Result<Vec<u8>> {
    let mut lines = open_lines::<IgnoredAny>(path)?;
    while lines.next().transpose()?.is_some() {}
    super::read_exactly(path, lines.head().bytes)
}

/// Returns whether a journal has a sound first line.
///
/// # Errors
/// As [`read_journal`], for the file up to that line.
pub fn has_begun(path: &Path) -> Result<bool> {
    let first = open_lines::<IgnoredAny>(path)?.next().transpose()?;
    Ok(first.is_some())
}

/// Opens a journal and its head: the head first, for the journal may grow meanwhile.
pub(super) fn open_with_head(path: &Path) -> Result<(Option<HeadFile>, File)> {
    let mark = heads::read_head_file(path);
    match open_regular(path, Access::Read) {
        Ok(file) => Ok((mark, file)),
        Err(StoreError::Missing { path: missing }) => {
            // A move would have taken the head along.
            heads::refuse_gone(path)?;
            Err(StoreError::Missing { path: missing })
        }
        Err(error) => Err(error),
    }
}

/// Reads the lines that follow `after`, which must be a head that the journal had. If there are
/// none, only the file's length is read.
///
/// # Errors
/// As [`read_journal`]; also [`StoreError::TooShort`] when the journal ends before `after`.
pub fn read_after<E: DeserializeOwned>(path: &Path, after: &Head) -> Result<Journal<E>> {
    let (mark, mut file) = open_with_head(path)?;
    let length = file
        .metadata()
        .map_err(StoreError::from_io("read", path))?
        .len();
    let has_all = mark
        .as_ref()
        .is_none_or(|mark| mark.head.bytes <= after.bytes);
    if length == after.bytes && has_all {
        return Ok(Journal {
            lines: Vec::new(),
            head: *after,
            notices: Vec::new(),
        });
    }
    if length < after.bytes {
        return Err(StoreError::TooShort {
            path: path.to_owned(),
            has: count_lines(&file)
                .map_err(StoreError::from_io("read", path))?
                .lines,
            wanted: after.lines,
        });
    }
    file.seek(SeekFrom::Start(after.bytes))
        .map_err(StoreError::from_io("read", path))?;
    read_lines(JournalLines::new(path, BufReader::new(file), mark).with_head(*after))
}

/// Reads a whole journal that is in memory. `path` is for messages.
///
/// # Errors
/// [`StoreError::Broken`] naming the first line that is not what was written, or has no end.
pub fn read_bytes<E: DeserializeOwned>(path: &Path, bytes: &[u8]) -> Result<Journal<E>> {
    let head = verify_prefix(path, bytes)?;
    let mut scanner = Scanner::new(path, bytes);
    let mut lines = Vec::new();
    while let ScannedLine::Line { line_no, line, .. } = scanner.next()? {
        let (_, read) = line::parse_line(line_no, line).map_err(|why| StoreError::Broken {
            path: path.to_owned(),
            line_no,
            why,
        })?;
        lines.push(read);
    }
    Ok(Journal {
        lines,
        head,
        notices: Vec::new(),
    })
}

/// Counts a journal's lines and hashes the last one; the chain is not checked.
///
/// One pass over the file. To ask whether a watermark still holds, [`is_current`] is cheaper.
///
/// # Errors
/// [`StoreError::Missing`]; [`StoreError::Damaged`] when acknowledged lines are not there;
/// [`StoreError::Io`].
pub fn read_head(path: &Path) -> Result<Head> {
    let (mark, file) = open_with_head(path)?;
    let head = count_lines(&file).map_err(StoreError::from_io("read", path))?;
    mark.map_or(Ok(()), |mark| mark.check_end(path, &head))?;
    Ok(head)
}

/// Checks that a journal still holds the line at its recorded head, reading that line only.
///
/// Returns the head if it is the end of the file: nothing follows it.
pub fn check_head(path: &Path) -> Result<Option<Head>> {
    let (mark, file) = match open_with_head(path) {
        Ok(opened) => opened,
        Err(StoreError::Missing { .. }) => return Ok(None),
        Err(error) => return Err(error),
    };
    let Some(mark) = mark else {
        return Ok(None);
    };
    check_through(path, &file, &mark)?;
    let length = file
        .metadata()
        .map_err(StoreError::from_io("read", path))?
        .len();
    Ok((length == mark.head.bytes).then_some(mark.head))
}

fn check_through(path: &Path, file: &File, mark: &HeadFile) -> Result<()> {
    if goes_through(file, &mark.head).map_err(StoreError::from_io("read", path))? {
        return Ok(());
    }
    let end = count_lines(file).map_err(StoreError::from_io("read", path))?;
    mark.check_end(path, &end)?;
    mark.check_line(path, &Head::EMPTY, &end)
}

/// Checks that a journal without a head of its own is at least as long as it was seen to be.
///
/// If it has a head, that alone counts: the seen lines may never have been durable.
///
/// # Errors
/// [`StoreError::Damaged`]; [`StoreError::Io`].
pub fn check_seen(path: &Path, seen: &Head) -> Result<()> {
    let (mark, file) = open_with_head(path)?;
    match mark {
        Some(_) => Ok(()),
        None => check_through(path, &file, &HeadFile::from_head(*seen)),
    }
}

/// Returns whether a journal still ends at `head`, reading its last line only; `false` where more
/// lines were acknowledged, or there is no journal.
///
/// # Errors
/// [`StoreError::Io`].
pub fn is_current(path: &Path, head: &Head) -> Result<bool> {
    if heads::read_head_file(path).is_some_and(|mark| mark.head.bytes > head.bytes) {
        return Ok(false);
    }
    let file = match open_regular(path, Access::Read) {
        Ok(file) => file,
        Err(StoreError::Missing { .. }) => return Ok(false),
        Err(error) => return Err(error),
    };
    ends_at(&file, head).map_err(StoreError::from_io("read", path))
}

/// Reads the first `lines` lines byte for byte, for a fork.
///
/// # Errors
/// [`StoreError::TooShort`]; [`StoreError::Missing`]; [`StoreError::Broken`]; [`StoreError::Io`].
pub fn read_prefix(path: &Path, lines: u64) -> Result<Vec<u8>> {
    let file = open_regular(path, Access::Read)?;
    let mut scanner = Scanner::new(path, BufReader::new(file));
    let mut bytes = Vec::new();
    while scanner.head.lines < lines {
        match scanner.next()? {
            ScannedLine::Line { line, .. } => {
                bytes.extend_from_slice(line);
                bytes.push(b'\n');
            }
            ScannedLine::Incomplete { .. } | ScannedLine::End => {
                return Err(StoreError::TooShort {
                    path: path.to_owned(),
                    has: scanner.head.lines,
                    wanted: lines,
                });
            }
        }
    }
    Ok(bytes)
}

/// Reads an open journal from its beginning.
pub(super) fn read_from<E: DeserializeOwned>(
    path: &Path,
    file: &File,
    mark: Option<HeadFile>,
) -> Result<Journal<E>> {
    read_lines(JournalLines::new(path, BufReader::new(file), mark))
}

fn read_lines<E: DeserializeOwned, R: BufRead>(
    mut rest: JournalLines<'_, E, R>,
) -> Result<Journal<E>> {
    let mut lines = Vec::new();
    let mut notices = Vec::new();
    loop {
        match rest.read_step()? {
            Step::Line(line) => lines.push(line),
            Step::Tail(notice) => notices.push(notice),
            Step::End => break,
        }
    }
    Ok(Journal {
        lines,
        head: rest.head(),
        notices,
    })
}

/// Checks that `prefix` is a chain of complete lines, and returns its head. `path` is for messages.
pub(super) fn verify_prefix(path: &Path, prefix: &[u8]) -> Result<Head> {
    let mut scanner = Scanner::new(path, prefix);
    loop {
        let (line_no, why) = match scanner.next()? {
            ScannedLine::Line {
                line_no,
                line,
                before,
            } => match line::parse_kind(line) {
                Ok((prev, _)) if prev == before => continue,
                Ok(_) => (line_no, "it does not follow the line before".to_owned()),
                Err(why) => (line_no, why),
            },
            ScannedLine::Incomplete { line_no, .. } => (line_no, "the line has no end".to_owned()),
            ScannedLine::End => return Ok(scanner.head),
        };
        return Err(StoreError::Broken {
            path: path.to_owned(),
            line_no,
            why,
        });
    }
}

/// Reads a part of a file.
pub(super) fn bytes_of_range(file: &File, start: u64, bytes: u64) -> io::Result<Vec<u8>> {
    let mut part = vec![0; usize::try_from(bytes).map_err(io::Error::other)?];
    file.read_exact_at(&mut part, start)?;
    Ok(part)
}

fn count_lines(file: &File) -> io::Result<Head> {
    let mut head = Head::EMPTY;
    let mut last_line_start = 0;
    let mut position = 0;
    let mut input = BufReader::with_capacity(64 << 10, file);
    loop {
        let chunk = input.fill_buf()?;
        if chunk.is_empty() {
            break;
        }
        for (offset, _) in chunk.iter().enumerate().filter(|(_, byte)| **byte == b'\n') {
            last_line_start = head.bytes;
            head.bytes = position + offset as u64 + 1;
            head.lines += 1;
        }
        let used = chunk.len();
        position += used as u64;
        input.consume(used);
    }
    if head.lines > 0 {
        let last_line = bytes_of_range(file, last_line_start, head.bytes - last_line_start)?;
        head.hash = Hash::digest(&last_line);
    }
    Ok(head)
}

/// Size of the first read at the end of a file, enough for most last lines.
const TAIL_BYTES: u64 = 16 << 10;

fn ends_at(file: &File, head: &Head) -> io::Result<bool> {
    let length = file.metadata()?.len();
    if length < head.bytes {
        return Ok(false);
    }
    // A writer's unfinished line may follow, so the file can be longer than its complete lines.
    let rest = length - head.bytes;
    if rest > MAX_LINE_BYTES as u64 || contains_newline(file, head.bytes, rest)? {
        return Ok(false);
    }
    goes_through(file, head)
}

/// Returns whether a line ends at `head` and has its hash.
fn goes_through(file: &File, head: &Head) -> io::Result<bool> {
    if head.bytes == 0 {
        return Ok(*head == Head::EMPTY);
    }
    Ok(line_ending_at(file, head.bytes)? == Some(head.hash))
}

/// Returns the hash of the line that ends `end` bytes into a file, reading that line only; `None`
/// where no line ends there.
pub(super) fn line_ending_at(file: &File, end: u64) -> io::Result<Option<Hash>> {
    if file.metadata()?.len() < end {
        return Ok(None);
    }
    let mut window = TAIL_BYTES;
    loop {
        let bytes = window.min(end);
        let mut tail = vec![0; usize::try_from(bytes).map_err(io::Error::other)?];
        file.read_exact_at(&mut tail, end - bytes)?;
        let Some((b'\n', before)) = tail.split_last() else {
            return Ok(None);
        };
        match before.iter().rposition(|byte| *byte == b'\n') {
            Some(before) => return Ok(Some(Hash::digest(&tail[before + 1..]))),
            None if bytes == end => return Ok(Some(Hash::digest(&tail))),
            None if bytes > MAX_LINE_BYTES as u64 => return Ok(None),
            None => window *= 8,
        }
    }
}

fn contains_newline(file: &File, start: u64, bytes: u64) -> io::Result<bool> {
    Ok(bytes_of_range(file, start, bytes)?.contains(&b'\n'))
}

/// Lists the names in `folder` that end in `suffix`, without it, sorted; an absent folder is empty.
pub(super) fn names_with(folder: &Path, suffix: &str) -> Result<Vec<String>> {
    let mut names: Vec<String> = entries_with(folder, suffix, |_| Some(()))?
        .into_iter()
        .map(|(name, ())| name)
        .collect();
    names.sort_unstable();
    Ok(names)
}

/// Reads something of each entry of `folder` whose name ends in `suffix`, which is left out of the
/// name; entries of which there is nothing to read are left out. An absent folder is empty.
pub(super) fn entries_with<T>(
    folder: &Path,
    suffix: &str,
    read: impl Fn(&DirEntry) -> Option<T>,
) -> Result<Vec<(String, T)>> {
    let entries = match fs::read_dir(folder) {
        Ok(entries) => entries,
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(Vec::new()),
        Err(error) => return Err(StoreError::from_io("list", folder)(error)),
    };
    let mut named_values = Vec::new();
    for entry in entries {
        let entry = entry.map_err(StoreError::from_io("list", folder))?;
        let name = entry.file_name();
        if let Some(name) = name.to_str().and_then(|name| name.strip_suffix(suffix))
            && let Some(read) = read(&entry)
        {
            named_values.push((name.to_owned(), read));
        }
    }
    Ok(named_values)
}
