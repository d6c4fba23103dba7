//! Chain of a journal's lines: reads them one by one as long as each follows the one before.

use std::{
    fs::File,
    io::{BufRead, BufReader, Read as _},
    marker::PhantomData,
    path::Path,
};

use serde::de::DeserializeOwned;

use super::heads::HeadFile;
use super::line::MAX_LINE_BYTES;
use super::torn_tail::TornTail;
use super::{
    Hash, Head, ReadLine, Result, StoreError, TailKind, TailNotice, TailTreatment, line, verify,
};

/// Iterator over the lines of a journal, as long as the chain holds. A tail that was never
/// acknowledged is left out.
pub struct JournalLines<'a, E, R = BufReader<File>> {
    scanner: Scanner<'a, R>,
    /// After the lines handed out so far.
    head: Head,
    mark: Option<HeadFile>,
    ended: bool,
    event: PhantomData<fn() -> E>,
}

/// Result of one step.
pub(super) enum Step<E> {
    Line(ReadLine<E>),
    Tail(TailNotice),
    End,
}

impl<'a, E: DeserializeOwned, R: BufRead> JournalLines<'a, E, R> {
    pub(super) fn new(path: &'a Path, input: R, mark: Option<HeadFile>) -> Self {
        Self {
            scanner: Scanner::new(path, input),
            head: Head::EMPTY,
            mark,
            ended: false,
            event: PhantomData,
        }
    }

    /// Starts after the lines that `head` covers.
    pub(super) fn with_head(mut self, head: Head) -> Self {
        self.scanner.head = head;
        self.head = head;
        self
    }

    /// Returns the watermark after the line that was read last.
    pub fn head(&self) -> Head {
        self.head
    }

    pub(super) fn read_step(&mut self) -> Result<Step<E>> {
        let path = self.scanner.path;
        if self.ended {
            return Ok(Step::End);
        }
        let kind = match self.scanner.next()? {
            ScannedLine::Line {
                line_no,
                line,
                before,
            } => match line::parse_line::<E>(line_no, line) {
                Ok((prev, read)) if prev == before => {
                    let after = self.scanner.head;
                    if let Some(mark) = &self.mark {
                        mark.check_line(path, &self.head, &after)?;
                    }
                    self.head = after;
                    return Ok(Step::Line(read));
                }
                Ok(_) | Err(_) => TailKind::Broken,
            },
            ScannedLine::Incomplete { .. } => TailKind::Incomplete,
            ScannedLine::End => {
                self.ended = true;
                self.check_end()?;
                return Ok(Step::End);
            }
        };
        self.ended = true;
        self.read_tail(kind).map(Step::Tail)
    }

    /// Handles the rest of the file from the first line that is broken.
    fn read_tail(&mut self, kind: TailKind) -> Result<TailNotice> {
        let path = self.scanner.path;
        let line_no = self.head.lines + 1;
        let end = match kind {
            TailKind::Incomplete => self.scanner.line.len() as u64,
            TailKind::Broken => {
                let rest = self.scanner.read_rest(&self.head)?;
                if !rest.is_tail(self.mark.as_ref()) {
                    return Err(verify::name_broken(path, line_no));
                }
                rest.bytes
            }
        };
        self.check_end()?;
        Ok(TailNotice {
            path: path.to_owned(),
            line_no,
            bytes: end,
            kind,
            tail: TailTreatment::Ignored,
        })
    }

    fn check_end(&self) -> Result<()> {
        (self.mark.as_ref()).map_or(Ok(()), |mark| mark.check_end(self.scanner.path, &self.head))
    }
}

impl<E: DeserializeOwned, R: BufRead> Iterator for JournalLines<'_, E, R> {
    /// [`StoreError::Broken`] names the first changed line.
    type Item = Result<ReadLine<E>>;

    fn next(&mut self) -> Option<Self::Item> {
        match self.read_step() {
            Ok(Step::Line(line)) => Some(Ok(line)),
            Ok(Step::Tail(_) | Step::End) => None,
            Err(error) => Some(Err(error)),
        }
    }
}

/// Splits a journal into lines and counts them; the caller checks whether they follow one another.
pub(super) struct Scanner<'a, R> {
    path: &'a Path,
    input: R,
    line: Vec<u8>,
    /// After the lines handed out so far.
    pub(super) head: Head,
}

pub(super) enum ScannedLine<'a> {
    Line {
        /// Counted from 1.
        line_no: u64,
        /// Without its newline.
        line: &'a [u8],
        /// Hash of the line before.
        before: Hash,
    },
    Incomplete {
        line_no: u64,
        bytes: u64,
    },
    End,
}

impl<'a, R: BufRead> Scanner<'a, R> {
    pub(super) fn new(path: &'a Path, input: R) -> Self {
        Self {
            path,
            input,
            line: Vec::new(),
            head: Head::EMPTY,
        }
    }

    pub(super) fn next(&mut self) -> Result<ScannedLine<'_>> {
        self.line.clear();
        let line_no = self.head.lines + 1;
        let bytes = (&mut self.input)
            .take(MAX_LINE_BYTES as u64)
            .read_until(b'\n', &mut self.line)
            .map_err(StoreError::from_io("read", self.path))?;
        match self.line.split_last() {
            None => Ok(ScannedLine::End),
            Some((b'\n', line)) => {
                let before = self.head.hash;
                self.head = self.head.with_line(&self.line);
                Ok(ScannedLine::Line {
                    line_no,
                    line,
                    before,
                })
            }
            Some(_) if bytes == MAX_LINE_BYTES => Err(StoreError::Broken {
                path: self.path.to_owned(),
                line_no,
                why: format!("the line is longer than {MAX_LINE_BYTES} bytes"),
            }),
            Some(_) => Ok(ScannedLine::Incomplete {
                line_no,
                bytes: bytes as u64,
            }),
        }
    }
}

impl<R: BufRead> Scanner<'_, R> {
    /// Reads everything from the line that was read last, which begins at `from`, to the end.
    fn read_rest(&mut self, from: &Head) -> Result<TornTail> {
        let first_line = self.line.strip_suffix(b"\n").unwrap_or(&self.line);
        let mut rest = TornTail::from_line(from.bytes, first_line, &line::parse_kind(first_line));
        loop {
            match self.next()? {
                ScannedLine::Line { line, .. } => {
                    rest.add_line(TornTail::from_line(
                        from.bytes,
                        line,
                        &line::parse_kind(line),
                    ));
                }
                ScannedLine::Incomplete { bytes, .. } => rest.add_incomplete(bytes),
                ScannedLine::End => return Ok(rest),
            }
        }
    }
}
