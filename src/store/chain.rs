//! A journal taken apart into lines, and those lines read while the chain holds.

use std::{
    fs::File,
    io::{BufRead, BufReader, Read as _},
    marker::PhantomData,
    path::Path,
};

use serde::de::DeserializeOwned;

use super::{
    Hash, Head, Notice, Read, StoreError, Tail, TailKind,
    heads::Mark,
    line::{self, MAX_LINE_BYTES},
    tail::Rest,
    verify,
};

/// The lines of a journal, one after another, as long as the chain holds. A tail that was never
/// acknowledged is left out.
pub struct Lines<'a, E, R = BufReader<File>> {
    scanner: Scanner<'a, R>,
    /// After the lines handed out so far.
    head: Head,
    mark: Option<Mark>,
    ended: bool,
    event: PhantomData<fn() -> E>,
}

/// What the next step came to.
pub(super) enum Stepped<E> {
    Line(Read<E>),
    Tail(Notice),
    End,
}

impl<'a, E: DeserializeOwned, R: BufRead> Lines<'a, E, R> {
    pub(super) fn new(path: &'a Path, input: R, mark: Option<Mark>) -> Self {
        Self {
            scanner: Scanner::new(path, input),
            head: Head::EMPTY,
            mark,
            ended: false,
            event: PhantomData,
        }
    }

    /// Begins behind the lines that `head` covers.
    pub(super) fn behind(mut self, head: Head) -> Self {
        self.scanner.head = head;
        self.head = head;
        self
    }

    /// How far the journal goes, up to the line that was taken last.
    pub fn head(&self) -> Head {
        self.head
    }

    pub(super) fn step(&mut self) -> Result<Stepped<E>, StoreError> {
        let path = self.scanner.path;
        if self.ended {
            return Ok(Stepped::End);
        }
        let kind = match self.scanner.next()? {
            Scanned::Line {
                line_no,
                line,
                before,
            } => match line::parse::<E>(line_no, line) {
                Ok((prev, read)) if prev == before => {
                    let after = self.scanner.head;
                    if let Some(mark) = &self.mark {
                        mark.check(path, &self.head, &after)?;
                    }
                    self.head = after;
                    return Ok(Stepped::Line(read));
                }
                Ok(_) | Err(_) => TailKind::Broken,
            },
            Scanned::Incomplete { .. } => TailKind::Incomplete,
            Scanned::End => {
                self.ended = true;
                self.check_end()?;
                return Ok(Stepped::End);
            }
        };
        self.ended = true;
        self.end(kind).map(Stepped::Tail)
    }

    /// Takes what is left, from a line that is not what was written.
    fn end(&mut self, kind: TailKind) -> Result<Notice, StoreError> {
        let path = self.scanner.path;
        let line_no = self.head.lines + 1;
        let end = match kind {
            TailKind::Incomplete => self.scanner.line.len() as u64,
            TailKind::Broken => {
                let rest = self.scanner.rest(&self.head)?;
                if !rest.is_tail(self.mark.as_ref()) {
                    return Err(verify::name_broken(path, line_no));
                }
                rest.bytes
            }
        };
        self.check_end()?;
        Ok(Notice {
            path: path.to_owned(),
            line_no,
            bytes: end,
            kind,
            tail: Tail::Ignored,
        })
    }

    fn check_end(&self) -> Result<(), StoreError> {
        (self.mark.as_ref()).map_or(Ok(()), |mark| mark.check_end(self.scanner.path, &self.head))
    }
}

impl<E: DeserializeOwned, R: BufRead> Iterator for Lines<'_, E, R> {
    /// [`StoreError::Broken`] names the first line that is not what was written.
    type Item = Result<Read<E>, StoreError>;

    fn next(&mut self) -> Option<Self::Item> {
        match self.step() {
            Ok(Stepped::Line(line)) => Some(Ok(line)),
            Ok(Stepped::Tail(_) | Stepped::End) => None,
            Err(error) => Some(Err(error)),
        }
    }
}

/// Takes a journal apart into lines and keeps count; whether they follow one another is the caller's.
pub(super) struct Scanner<'a, R> {
    path: &'a Path,
    input: R,
    line: Vec<u8>,
    /// After the lines handed out so far.
    pub(super) head: Head,
}

pub(super) enum Scanned<'a> {
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

    pub(super) fn next(&mut self) -> Result<Scanned<'_>, StoreError> {
        self.line.clear();
        let line_no = self.head.lines + 1;
        let bytes = (&mut self.input)
            .take(MAX_LINE_BYTES as u64)
            .read_until(b'\n', &mut self.line)
            .map_err(StoreError::io("read", self.path))?;
        match self.line.split_last() {
            None => Ok(Scanned::End),
            Some((b'\n', line)) => {
                let before = self.head.hash;
                self.head = self.head.after(&self.line);
                Ok(Scanned::Line {
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
            Some(_) => Ok(Scanned::Incomplete {
                line_no,
                bytes: bytes as u64,
            }),
        }
    }
}

impl<R: BufRead> Scanner<'_, R> {
    /// Looks at everything from the line that was taken last, which begins at `from`, to the end.
    fn rest(&mut self, from: &Head) -> Result<Rest, StoreError> {
        let taken = self.line.strip_suffix(b"\n").unwrap_or(&self.line);
        let mut rest = Rest::of(from.bytes, taken, &line::parse_kind(taken));
        loop {
            match self.next()? {
                Scanned::Line { line, .. } => {
                    rest.add(Rest::of(from.bytes, line, &line::parse_kind(line)));
                }
                Scanned::Incomplete { bytes, .. } => rest.add_incomplete(bytes),
                Scanned::End => return Ok(rest),
            }
        }
    }
}
