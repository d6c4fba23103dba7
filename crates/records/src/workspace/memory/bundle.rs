//! A namespace as one file: its journals, byte for byte, each with its length and head.
//!
//! ```text
//! {"type":"memory","format":1,"namespace":"default","software":"elenchus …","journals":2}
//! {"type":"journal","name":"01J…","bytes":812,"lines":2,"head":"<SHA-256 of its last line>"}
//! …its lines, as they are in the store…
//! {"type":"journal",…}
//! …
//! ```
//!
//! A journal of guardrails has `"kind":"guardrail"` in its heading, and a file with one has format 2.
//! Every line is JSON, and every entry and change is in it: nothing is summed up.

use super::journals::{journal_path, journals_of};
use crate::library::software_name;
use crate::workspace::error::{Result, WorkspaceError, reject};
use crate::workspace::journal_lines::known_lines;
use elenchus_memory::{EntryKind, MemoryEvent};
use elenchus_store::{Head, Layout, StoreError, read_bytes, read_exactly, read_head};
use serde::{Deserialize, Serialize};
use std::collections::BTreeSet;
use std::fs::File;
use std::io::Read;
use std::path::Path;

/// The format of a file with lessons alone, which earlier versions read too.
const LESSONS_FORMAT: u32 = 1;
/// The newest format that is read.
const FORMAT: u32 = 2;
/// The largest file that is read: a million lessons of a thousand characters.
const MAX_BYTES: u64 = 1 << 30;

/// A namespace on its way to another store.
#[derive(Debug, Clone, PartialEq)]
pub struct Bundle {
    /// Its name in the store that it comes from.
    pub namespace: String,
    pub journals: Vec<BundledJournal>,
}

/// One journal of a [`Bundle`], whose chain holds.
#[derive(Debug, Clone, PartialEq)]
pub struct BundledJournal {
    /// Kind of entries that it is about.
    pub kind: EntryKind,
    pub name: String,
    /// Its complete lines.
    pub content: Vec<u8>,
    pub head: Head,
    pub events: Vec<MemoryEvent>,
}

#[derive(Serialize, Deserialize)]
#[serde(tag = "type", rename_all = "snake_case", deny_unknown_fields)]
enum Heading {
    Memory {
        format: u32,
        namespace: String,
        software: String,
        journals: usize,
    },
    Journal {
        #[serde(default, skip_serializing_if = "is_lesson")]
        kind: EntryKind,
        name: String,
        bytes: u64,
        lines: u64,
        head: String,
    },
}

fn is_lesson(kind: &EntryKind) -> bool {
    *kind == EntryKind::Lesson
}

impl Bundle {
    /// Takes a namespace as it is now. A journal that is being written to is taken up to its last
    /// complete line. Blocks.
    ///
    /// # Errors
    /// When there is nothing to take, or a journal is broken, naming file and line.
    pub fn from_store(layout: &Layout, namespace: &str) -> Result<Self> {
        let mut paths = Vec::new();
        for kind in EntryKind::ALL {
            let here = journals_of(layout, kind, namespace)?.into_iter();
            paths.extend(here.map(|path| (kind, path)));
        }
        let mut journals = Vec::new();
        for (kind, path) in paths {
            let head = read_head(&path)?;
            if head.lines == 0 {
                continue;
            }
            let content = read_exactly(&path, head.bytes)?;
            let name = path.file_stem().unwrap_or_default();
            let name = name.to_string_lossy().into_owned();
            journals.push(read_journal((kind, name), &path, content)?);
        }
        if journals.is_empty() {
            return reject(format!(
                "memory '{namespace}' has no journals, so nothing was exported; 'elenchus memory \
                 list' lists the namespaces"
            ));
        }
        Ok(Self {
            namespace: namespace.to_owned(),
            journals,
        })
    }

    /// Writes it as one file's content.
    pub fn to_bytes(&self) -> Vec<u8> {
        let mut bytes = Vec::new();
        let heading = |heading: &Heading, bytes: &mut Vec<u8>| {
            // Plain texts and numbers: this cannot fail.
            bytes.extend(serde_json::to_vec(heading).unwrap_or_default());
            bytes.push(b'\n');
        };
        let lessons_alone = self.journals.iter().all(|one| is_lesson(&one.kind));
        let memory = Heading::Memory {
            format: if lessons_alone {
                LESSONS_FORMAT
            } else {
                FORMAT
            },
            namespace: self.namespace.clone(),
            software: software_name(),
            journals: self.journals.len(),
        };
        heading(&memory, &mut bytes);
        for journal in &self.journals {
            let about = Heading::Journal {
                kind: journal.kind,
                name: journal.name.clone(),
                bytes: journal.head.bytes,
                lines: journal.head.lines,
                head: journal.head.hash.to_string(),
            };
            heading(&about, &mut bytes);
            bytes.extend(&journal.content);
        }
        bytes
    }

    /// Reads a file, checking every chain and head. Nothing in it is trusted: names must be names
    /// of journals, and every line a fact about memory. Blocks.
    ///
    /// # Errors
    /// When it is no export of memory, was cut off or changed, or holds anything else; file and
    /// line are named.
    pub fn read_file(path: &Path) -> Result<Self> {
        let cannot =
            |error| WorkspaceError::Invalid(format!("cannot read {}: {error}", path.display()));
        let file = File::open(path).map_err(cannot)?;
        let mut bytes = Vec::new();
        file.take(MAX_BYTES + 1)
            .read_to_end(&mut bytes)
            .map_err(cannot)?;
        if bytes.len() as u64 > MAX_BYTES {
            return reject(format!(
                "{} is larger than {} MiB, which no memory is; give a file that 'elenchus memory \
                 export' wrote",
                path.display(),
                MAX_BYTES >> 20
            ));
        }
        Reader {
            path,
            left: &bytes,
            line: 0,
        }
        .parse_bundle()
    }
}

struct Reader<'a> {
    path: &'a Path,
    left: &'a [u8],
    /// Lines that were read, of the whole file.
    line: u64,
}

impl Reader<'_> {
    fn parse_bundle(mut self) -> Result<Bundle> {
        let Some(Heading::Memory {
            format,
            namespace,
            journals: count,
            ..
        }) = self.parse_heading()
        else {
            return Err(self.invalid_file(
                "this is no export of memory: the first line of one says so, and 'elenchus memory \
                 export' writes it; a folder of journals is taken in by 'elenchus import'",
            ));
        };
        if !(LESSONS_FORMAT..=FORMAT).contains(&format) {
            return Err(self.invalid_file(&format!(
                "it has format {format}, and this version reads formats up to {FORMAT}; use a newer elenchus"
            )));
        }
        let mut journals: Vec<BundledJournal> = Vec::new();
        let mut names = BTreeSet::new();
        while !self.left.is_empty() {
            let Some(Heading::Journal {
                kind,
                name,
                bytes,
                lines,
                head,
            }) = self.parse_heading()
            else {
                return Err(self
                    .invalid_file("a journal's heading was expected here; the file was changed"));
            };
            // The store's own rule for names: nothing leads out of its folder.
            journal_path(&Layout::new(""), kind, "names", &name)?;
            if !names.insert((kind, name.clone())) {
                return Err(self.invalid_file(&format!("the journal '{name}' is in it twice")));
            }
            let journal = self.parse_journal((kind, name), bytes)?;
            if journal.head.lines != lines || journal.head.hash.to_string() != head {
                return Err(self.invalid_file(&format!(
                    "the journal '{}' does not end where its heading says; the file was changed",
                    journal.name
                )));
            }
            self.line += lines;
            journals.push(journal);
        }
        if journals.len() != count {
            return Err(self.invalid_file(&format!(
                "it holds {} of {count} journals: its end was cut off; export it again",
                journals.len()
            )));
        }
        Ok(Bundle {
            namespace,
            journals,
        })
    }

    fn parse_heading(&mut self) -> Option<Heading> {
        let end = self.left.iter().position(|byte| *byte == b'\n');
        let (line, left) = self
            .left
            .split_at(end.map_or(self.left.len(), |end| end + 1));
        self.left = left;
        self.line += 1;
        serde_json::from_slice(line).ok()
    }

    fn parse_journal(&mut self, named: (EntryKind, String), bytes: u64) -> Result<BundledJournal> {
        let length = usize::try_from(bytes).unwrap_or(usize::MAX);
        let Some((content, left)) = self.left.split_at_checked(length) else {
            return Err(self.invalid_file(&format!(
                "the journal '{}' is cut off: {bytes} bytes were expected, and {} are there; \
                 export it again",
                named.1,
                self.left.len()
            )));
        };
        self.left = left;
        let (path, before) = (self.path, self.line);
        // Lines are counted in the file that was given.
        read_journal(named, path, content.to_vec()).map_err(|error| match error {
            WorkspaceError::Store(StoreError::Broken { path, line_no, why }) => {
                WorkspaceError::Invalid(format!(
                    "{}:{}: {why}; the file was changed after it was written: export it again",
                    path.display(),
                    before + line_no
                ))
            }
            WorkspaceError::UnknownEvent { path, line, kind } => WorkspaceError::Invalid(format!(
                "{path}:{}: '{kind}' is nothing that happens to memory, or this version does not \
                 know it",
                before + line
            )),
            other => other,
        })
    }

    fn invalid_file(&self, why: &str) -> WorkspaceError {
        WorkspaceError::Invalid(format!(
            "{}:{}: {why}",
            self.path.display(),
            self.line.max(1)
        ))
    }
}

fn read_journal(
    (kind, name): (EntryKind, String),
    path: &Path,
    content: Vec<u8>,
) -> Result<BundledJournal> {
    let journal = read_bytes::<MemoryEvent>(path, &content)?;
    let lines = known_lines(path, journal.lines)?;
    Ok(BundledJournal {
        kind,
        name,
        head: journal.head,
        events: lines.into_iter().map(|line| line.event).collect(),
        content,
    })
}
