//! Verification of a journal: its chain, and heads that are recorded elsewhere.

use std::{
    fmt,
    fs::File,
    io::BufReader,
    path::{Path, PathBuf},
};

use super::chain::{ScannedLine, Scanner};
use super::heads::HeadFile;
use super::line::parse_kind;
use super::reader::open_with_head;
use super::torn_tail::TornTail;
use super::{Hash, Head, Result, StoreError, TailKind, TailNotice, TailTreatment};

/// Result of a verification.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Verification {
    pub path: PathBuf,
    /// The head after the last complete line, or after the last one before the first broken line.
    pub head: Head,
    /// The first broken line. Later lines were not checked.
    pub broken: Option<BrokenLine>,
    /// Known heads that contradict the journal.
    pub lost: Vec<LostHead>,
    /// Tails that were never acknowledged, which are no fault by themselves.
    pub notices: Vec<TailNotice>,
    /// Source of its acknowledged length.
    pub recorded: HeadRecord,
}

/// Source of a journal's acknowledged length.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum HeadRecord {
    /// Its head file, which was compared.
    Head,
    /// None: it has no head, or an unreadable one, so a missing end cannot be detected.
    Nothing,
}

impl Verification {
    /// Returns whether every line is sound and every known head was found.
    pub fn is_sound(&self) -> bool {
        self.broken.is_none() && self.lost.is_empty()
    }
}

/// A complete line that was changed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct BrokenLine {
    pub path: PathBuf,
    /// Counted from 1.
    pub line_no: u64,
    pub why: String,
}

impl fmt::Display for BrokenLine {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}:{}: {}", self.path.display(), self.line_no, self.why)
    }
}

/// A known head that the journal does not have.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum LostHead {
    /// The journal ends before it: acknowledged lines were cut off.
    Tail {
        path: PathBuf,
        known: Head,
        has: Head,
    },
    /// The journal is long enough, but has another line there.
    Changed { path: PathBuf, known: Head },
}

impl LostHead {
    /// Returns the known head.
    pub(super) fn known_head(&self) -> Head {
        match self {
            Self::Tail { known, .. } | Self::Changed { known, .. } => *known,
        }
    }
}

impl fmt::Display for LostHead {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Tail { path, known, has } => write!(
                f,
                "{}: {} lines are there and {} were acknowledged: the end was cut off",
                path.display(),
                has.lines,
                known.lines
            ),
            Self::Changed { path, known } => write!(
                f,
                "{}:{}: the line or one before it is not the one that was acknowledged",
                path.display(),
                known.lines
            ),
        }
    }
}

/// Checks that every line follows the one before, and that `known_heads` are in the journal.
///
/// A chain cannot show that its own end was cut off or that its last line was changed: known heads
/// (its own, watermarks, and the heads that a run's journal holds) can. Heads that were given up
/// are skipped.
///
/// # Errors
/// [`StoreError::Missing`]; [`StoreError::Damaged`] when it is gone; [`StoreError::Io`]. Broken
/// lines are no error but a finding.
pub fn verify_journal(path: &Path, known_heads: &[Head]) -> Result<Verification> {
    // The head before the journal, which may grow meanwhile.
    let (mark, file) = open_with_head(path)?;
    let (mut facts, mut notices) = read_line_facts(path, &file)?;
    if let Some(tail) = broken_tail(path, &facts, &notices, mark.as_ref()) {
        facts.truncate(usize::try_from(tail.line_no - 1).unwrap_or(usize::MAX));
        notices = vec![tail];
    }
    let accepted_heads = mark.iter().flat_map(|mark| &mark.accepted);
    let accepted_heads: Vec<&Head> = accepted_heads.collect();
    let all = (mark.iter().map(|mark| mark.head)).chain(known_heads.iter().copied());
    let mut known_heads: Vec<Head> = Vec::new();
    for head in all {
        if !accepted_heads.contains(&&head) && !known_heads.contains(&head) {
            known_heads.push(head);
        }
    }
    let known_heads = known_heads.as_slice();
    let first_fault = first_broken(&facts, known_heads);
    let sound = match &first_fault {
        Some((line_no, _)) => line_no - 1,
        None => facts.len() as u64,
    };
    // Once a line is broken, the number of lines is unknown.
    let reach = if first_fault.is_some() {
        sound
    } else {
        u64::MAX
    };
    let lost_heads = known_heads
        .iter()
        .filter(|known| known.lines <= reach)
        .filter_map(|known| find_lost_head(path, &facts, sound, *known));
    Ok(Verification {
        path: path.to_owned(),
        head: head_at(&facts, sound),
        lost: lost_heads.collect(),
        broken: first_fault.map(|(line_no, why)| BrokenLine {
            path: path.to_owned(),
            line_no,
            why,
        }),
        notices,
        recorded: match mark {
            Some(_) => HeadRecord::Head,
            None => HeadRecord::Nothing,
        },
    })
}

/// Finds the break after which nothing was ever acknowledged.
fn broken_tail(
    path: &Path,
    facts: &[LineFact],
    incomplete: &[TailNotice],
    mark: Option<&HeadFile>,
) -> Option<TailNotice> {
    let mut before = Head::EMPTY;
    let at = facts.iter().position(|fact| {
        let follows = matches!(&fact.prev, Ok(prev) if *prev == before.hash);
        if follows {
            before = fact.head;
        }
        !follows
    })?;
    let broken_facts = facts.get(at..).unwrap_or_default();
    let mut rests = broken_facts.iter().map(|fact| fact.rest);
    let mut rest = rests.next()??;
    for next in rests {
        rest.add_line(next?);
    }
    for incomplete in incomplete {
        rest.add_incomplete(incomplete.bytes);
    }
    rest.is_tail(mark).then(|| TailNotice {
        path: path.to_owned(),
        line_no: before.lines + 1,
        bytes: rest.bytes,
        kind: TailKind::Broken,
        tail: TailTreatment::Ignored,
    })
}

/// Returns the error for a journal in which a reader stopped at `line_no`: the changed line may be
/// the one before.
pub(super) fn name_broken(path: &Path, line_no: u64) -> StoreError {
    match verify_journal(path, &[]) {
        Ok(Verification {
            broken: Some(BrokenLine { path, line_no, why }),
            ..
        }) => StoreError::Broken { path, line_no, why },
        // It was changed again meanwhile.
        Ok(Verification { broken: None, .. }) => StoreError::Broken {
            path: path.to_owned(),
            line_no,
            why: CHANGED.to_owned(),
        },
        Err(error) => error,
    }
}

const CHANGED: &str = "its hash is not the one that the next line holds: \
     the line was changed, or lines were put in or taken out behind it";

/// The facts about a line that a verification needs: about a hundred bytes, however long the line
/// is.
struct LineFact {
    /// The head after this line.
    head: Head,
    /// The hash of the line before that it holds, or the parser's error.
    prev: Result<Hash, String>,
    /// The line as part of a tail; `None` when nothing after it was read.
    rest: Option<TornTail>,
}

fn read_line_facts(path: &Path, file: &File) -> Result<(Vec<LineFact>, Vec<TailNotice>)> {
    let mut scanner = Scanner::new(path, BufReader::new(file));
    let mut facts = Vec::new();
    let mut notices = Vec::new();
    loop {
        let before = scanner.head.bytes;
        let (prev, rest) = match scanner.next() {
            Ok(ScannedLine::Line { line, .. }) => {
                let parse_result = parse_kind(line);
                let rest = TornTail::from_line(before, line, &parse_result);
                (parse_result.map(|(prev, _)| prev), Some(rest))
            }
            Ok(ScannedLine::Incomplete { line_no, bytes }) => {
                notices.push(TailNotice {
                    path: path.to_owned(),
                    line_no,
                    bytes,
                    kind: TailKind::Incomplete,
                    tail: TailTreatment::Ignored,
                });
                continue;
            }
            Ok(ScannedLine::End) => return Ok((facts, notices)),
            Err(StoreError::Broken { why, .. }) => (Err(why), None),
            Err(error) => return Err(error),
        };
        let goes_on = rest.is_some();
        facts.push(LineFact {
            head: scanner.head,
            prev,
            rest,
        });
        if !goes_on {
            return Ok((facts, notices));
        }
    }
}

fn head_at(facts: &[LineFact], lines: u64) -> Head {
    match lines.checked_sub(1) {
        None => Head::EMPTY,
        Some(last) => usize::try_from(last)
            .ok()
            .and_then(|last| facts.get(last))
            .map_or(Head::EMPTY, |fact| fact.head),
    }
}

/// Finds the first broken line: its number, counted from 1, and the reason.
fn first_broken(facts: &[LineFact], known_heads: &[Head]) -> Option<(u64, String)> {
    let mut before = Head::EMPTY;
    for (index, fact) in facts.iter().enumerate() {
        let line_no = index as u64 + 1;
        match &fact.prev {
            Err(why) => return Some((line_no, why.clone())),
            Ok(prev) if *prev == before.hash => before = fact.head,
            Ok(_) => {
                let next = facts.get(index + 1).map(|next| &next.prev);
                return Some(find_changed_line(line_no, &before, fact, next, known_heads));
            }
        }
    }
    None
}

/// Decides which of two lines that do not fit was changed: the next line, or a known head, vouches
/// for the one that was not.
fn find_changed_line(
    line_no: u64,
    before: &Head,
    fact: &LineFact,
    next: Option<&Result<Hash, String>>,
    known_heads: &[Head],
) -> (u64, String) {
    let has_witness = matches!(next, Some(Ok(prev)) if *prev == fact.head.hash)
        || known_heads.contains(&fact.head);
    if line_no == 1 {
        let why = if has_witness {
            "it is not the first line that was written: the beginning is missing"
        } else {
            "the line was changed: the first line begins with 64 zeros"
        };
        (line_no, why.to_owned())
    } else if has_witness {
        (line_no - 1, CHANGED.to_owned())
    } else if next.is_some() || known_heads.contains(before) {
        let why = "the line was changed: it holds a wrong hash of the line before";
        (line_no, why.to_owned())
    } else {
        let why = format!(
            "this line or line {line_no} was changed: its hash is not the one that line {line_no} holds"
        );
        (line_no - 1, why)
    }
}

fn find_lost_head(path: &Path, facts: &[LineFact], sound: u64, known: Head) -> Option<LostHead> {
    let path = path.to_owned();
    if known.lines <= sound {
        (head_at(facts, known.lines) != known).then_some(LostHead::Changed { path, known })
    } else {
        let has = head_at(facts, sound);
        Some(LostHead::Tail { path, known, has })
    }
}
