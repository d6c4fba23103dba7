//! Check of journals: their chains, the lengths that others remember of them, and what they hold.
//!
//! Chains are checked by themselves and against heads: their own, those that run journals hold of
//! their sessions, and those that the index saw of sessions without one. Every journal is read as
//! what it is as well, and in a store it must be what its folder says.

use super::checked_journals::CheckedJournal;
use super::registry::{DetectedKind, JournalRegistry, RegisteredKind};
use crate::workspace::SessionJournal;
use crate::workspace::annotations::people_in_one_file;
use crate::workspace::error::{Result, WorkspaceError};
use crate::workspace::memory::read_namespace;
use crate::workspace::prompts::changed_texts;
use crate::workspace::session::read_records;
use crate::workspace::{StoreIndex, copied, copied_journals, missing_journals};
use elenchus_memory::EntryKind;
use elenchus_model::holds_reasoning_marks;
use elenchus_store::{HeadRecord, Layout, StoreError, verify_journal};
use elenchus_text::counted;
use std::collections::BTreeMap;
use std::path::Path;

/// Folder of the samples of tried prompts, which are sessions.
const SAMPLES: &str = "tries/sessions";

/// What a checked journal is counted as.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum CheckedAs {
    /// Place of its kind in the registry.
    Kind(usize),
    Sample,
    /// Its kind is not known: its chain alone was checked.
    Unknown,
}

/// What a check found.
pub struct CheckFindings {
    kinds: JournalRegistry,
    pub files: BTreeMap<CheckedAs, usize>,
    pub lines: u64,
    pub broken_files: usize,
    /// Kept texts of prompts that are not what was kept.
    pub changed_texts: usize,
    pub faults: Vec<String>,
    pub notices: Vec<String>,
    /// Journals of the store without a recorded length.
    headless: usize,
    /// Replies whose public text holds marks of private reasoning.
    marked_replies: usize,
    /// Whether something is lost that can be given up.
    pub can_be_accepted: bool,
}

impl CheckFindings {
    /// Checks journals. Blocks.
    ///
    /// # Errors
    /// When a file that was named is not there or cannot be read. A broken journal is no error but a
    /// finding.
    pub fn of(journals: &[CheckedJournal], kinds: JournalRegistry) -> Result<Self> {
        let mut findings = Self::none(kinds);
        for journal in journals {
            findings.check_unless_deleted(journal)?;
        }
        findings.report_headless();
        findings.report_marked_replies();
        Ok(findings)
    }

    /// Checks what no journal alone can tell: journals that are gone or there twice, and what does not
    /// fit between files.
    ///
    /// # Errors
    /// When a folder cannot be listed.
    pub fn check_store(&mut self, layout: &Layout) -> Result<()> {
        self.gone(layout)?;
        self.copies(layout)?;
        self.notices.extend(misfits(layout)?);
        self.notices.extend(cut_off_merges(layout)?);
        self.notices.extend(shared_files(layout)?);
        let changed = changed_texts(layout)?;
        self.changed_texts = changed.len();
        self.faults.extend(changed);
        Ok(())
    }

    fn none(kinds: JournalRegistry) -> Self {
        Self {
            kinds,
            files: BTreeMap::new(),
            lines: 0,
            broken_files: 0,
            changed_texts: 0,
            faults: Vec::new(),
            notices: Vec::new(),
            headless: 0,
            marked_replies: 0,
            can_be_accepted: false,
        }
    }

    /// Checks a journal. What is deleted between the listing and the check is no fault; where lines of
    /// it were acknowledged and it is not in the trash, [`Self::gone`] says so.
    fn check_unless_deleted(&mut self, journal: &CheckedJournal) -> Result<()> {
        let mut found = Self::none(self.kinds);
        let checked = found.check(journal);
        if journal.folder.is_some() && !journal.path.exists() {
            let path = journal.path.display();
            let notice = format!("{path}: it was deleted or moved meanwhile, and is not checked");
            self.notices.push(notice);
            return Ok(());
        }
        self.add(found);
        checked
    }

    fn add(&mut self, found: Self) {
        for (kind, count) in found.files {
            *self.files.entry(kind).or_default() += count;
        }
        self.lines += found.lines;
        self.broken_files += found.broken_files;
        self.faults.extend(found.faults);
        self.notices.extend(found.notices);
        self.headless += found.headless;
        self.marked_replies += found.marked_replies;
        self.can_be_accepted |= found.can_be_accepted;
    }

    fn check(&mut self, journal: &CheckedJournal) -> Result<()> {
        let found = match verify_journal(&journal.path, &journal.known) {
            Err(StoreError::Damaged { path, why }) => {
                self.faults.push(format!("{}: {why}", path.display()));
                self.broken_files += 1;
                self.can_be_accepted = true;
                return Ok(());
            }
            found => found?,
        };
        self.lines += found.head.lines;
        self.notices
            .extend(found.notices.iter().map(ToString::to_string));
        let before = self.faults.len();
        self.faults
            .extend(found.broken.iter().map(ToString::to_string));
        self.faults
            .extend(found.lost.iter().map(ToString::to_string));
        let is_lost = self.faults.len() > before;
        self.can_be_accepted |= is_lost;
        let is_headless = found.recorded == HeadRecord::Nothing && found.head.lines > 0;
        self.headless += usize::from(is_headless && journal.folder.is_some());
        let kind = match self.kinds.detect(&journal.path) {
            Ok(detected) => self.kind(journal, detected),
            // The first line is what is broken, and that is said.
            Err(WorkspaceError::Store(StoreError::Broken { .. } | StoreError::Damaged { .. })) => {
                self.by_folder(journal)
            }
            Err(error) => return Err(error),
        };
        let is_sample = journal.folder == Some(SAMPLES);
        let counted = match kind {
            Some(kind) if is_sample && kind.is::<SessionJournal>() => CheckedAs::Sample,
            Some(kind) => self
                .kinds
                .place(kind.kind)
                .map_or(CheckedAs::Unknown, CheckedAs::Kind),
            None => CheckedAs::Unknown,
        };
        *self.files.entry(counted).or_default() += 1;
        if found.recorded == HeadRecord::Head && found.head.lines == 0 && !is_lost {
            let path = journal.path.display();
            self.notices
                .push(format!("{path}: nothing is left of it; remove the file"));
        } else if let (false, Some(kind)) = (is_lost, kind) {
            self.read_as(&journal.path, kind);
            if kind.is::<SessionJournal>() {
                self.marked_replies += count_marked_replies(&journal.path);
            }
        }
        self.broken_files += usize::from(self.faults.len() > before);
        Ok(())
    }

    fn by_folder(&self, journal: &CheckedJournal) -> Option<&'static RegisteredKind> {
        journal
            .folder
            .and_then(|folder| self.kinds.in_folder(folder))
    }

    /// Returns what a journal is, where its first event and its folder agree on it.
    fn kind(
        &mut self,
        journal: &CheckedJournal,
        detected: DetectedKind,
    ) -> Option<&'static RegisteredKind> {
        let path = journal.path.display();
        let by_place = self.by_folder(journal);
        match detected {
            DetectedKind::Kind(kind) if by_place.is_some_and(|place| place.kind != kind.kind) => {
                let there = by_place.map_or("", |kind| kind.names.1);
                self.faults.push(format!(
                    "{path}:1: it is in the folder of {there} and begins as a {} does; move it where it belongs",
                    kind.names.0
                ));
                None
            }
            DetectedKind::Kind(kind) => Some(kind),
            DetectedKind::Several(kinds)
                if by_place
                    .is_some_and(|place| kinds.iter().any(|kind| kind.kind == place.kind)) =>
            {
                by_place
            }
            DetectedKind::Several(kinds) => {
                let names: Vec<&str> = kinds.iter().map(|kind| kind.names.0).collect();
                self.notices.push(format!(
                    "{path}:1: it begins as each of these does: {}; its chain alone was checked",
                    names.join(", ")
                ));
                None
            }
            DetectedKind::None(kind) if by_place.is_none() => {
                self.notices.push(format!(
                    "{path}:1: no journal that this version knows begins with '{kind}'; its chain \
                     alone was checked"
                ));
                None
            }
            // In a store the folder decides, and reading the journal reports what does not fit.
            DetectedKind::None(_) => by_place,
            // Nothing was written yet: a process that was killed leaves that behind.
            DetectedKind::Empty => by_place,
        }
    }

    fn read_as(&mut self, path: &Path, kind: &RegisteredKind) {
        match kind.check(path) {
            Err(WorkspaceError::Invalid(why)) if kind.begins_with_one => self.faults.push(why),
            read => self.fold(read),
        }
    }

    /// A chain that holds can still tell what cannot have happened, or what this version does not
    /// know.
    fn fold(&mut self, folded: Result<(), WorkspaceError>) {
        let Err(error) = folded else { return };
        match error {
            WorkspaceError::Misfit {
                path,
                line,
                refusal,
            } => self.faults.push(format!(
                "{path}:{line}: the event does not fit what happened before it: {refusal}"
            )),
            WorkspaceError::UnknownEvent { .. }
            | WorkspaceError::Empty { .. }
            | WorkspaceError::Invalid(_)
            | WorkspaceError::Game(_)
            | WorkspaceError::Prompt(_)
            | WorkspaceError::Cast(_)
            | WorkspaceError::Call(_)
            | WorkspaceError::Retrieve(_)
            | WorkspaceError::Dataset(_)
            | WorkspaceError::NoSuch { .. }
            | WorkspaceError::Ambiguous { .. } => self.notices.push(error.to_string()),
            // The chain was whole a moment ago: another process changes the file.
            WorkspaceError::Copied { .. }
            | WorkspaceError::Store(_)
            | WorkspaceError::Refused(_) => {
                self.faults.push(error.to_string());
            }
        }
    }

    /// Names journals of which something was acknowledged and that are gone.
    fn gone(&mut self, layout: &Layout) -> Result<()> {
        for path in missing_journals(layout)? {
            self.faults.push(format!(
                "{}: it is gone, and its head says that lines of it were acknowledged",
                path.display()
            ));
            self.broken_files += 1;
            self.can_be_accepted = true;
        }
        Ok(())
    }

    /// Names journals that lie there twice.
    fn copies(&mut self, layout: &Layout) -> Result<()> {
        for (path, of) in copied_journals(layout)? {
            // Said already, by the id that it begins with.
            if self
                .faults
                .iter()
                .any(|fault| fault.starts_with(&*path.to_string_lossy()))
            {
                continue;
            }
            self.faults.push(copied(&path, &of).to_string());
            self.broken_files += 1;
        }
        Ok(())
    }

    fn report_marked_replies(&mut self) {
        if self.marked_replies > 0 {
            self.notices.push(format!(
                "{} recorded with marks of private reasoning or control tokens in the public text: \
                 other seats and judges were shown them; texts are split when they are recorded, and \
                 never changed afterwards",
                counted(self.marked_replies, "reply")
            ));
        }
    }

    fn report_headless(&mut self) {
        if self.headless > 0 {
            self.notices.push(format!(
                "{} without a head: written by an earlier version, copied here or killed in the first \
                 second; whether an end of theirs was cut off cannot be seen; 'elenchus verify \
                 --accept' takes what is there for all there was",
                counted(self.headless, "journal")
            ));
        }
    }
}

/// Names merges of packs that were killed when all was taken and not all was where it belongs.
fn cut_off_merges(layout: &Layout) -> Result<Vec<String>, StoreError> {
    let merges = layout.all_merging()?.into_iter().map(|id| {
        let path = layout.merging(&id)?;
        Ok(format!(
            "{}: marks of a merge that was cut off; they count, and the next 'elenchus labels merge' \
             puts them where they belong",
            path.display()
        ))
    });
    merges.collect()
}

/// Names people whom an earlier version gave one file of annotations.
fn shared_files(layout: &Layout) -> Result<Vec<String>, StoreError> {
    let mut named = Vec::new();
    for folder in ["notes", "sights"] {
        for path in layout.journals_of(folder)? {
            let people = people_in_one_file(&path);
            let Some((first, others)) = people.split_first() else {
                continue;
            };
            let others = others.join(", ");
            named.push(format!(
                "{}: an earlier version kept the acts of {first} and of {others} in this one file, and \
                 they count as {first}'s; what {others} give from now on goes into a file of their own. \
                 Labels given so were not blind to each other: have {others} label the items again \
                 before agreement is computed",
                path.display()
            ));
        }
    }
    Ok(named)
}

/// Names what changes nothing in memory because it does not fit what came before it. Journals that
/// cannot be read are named by themselves.
fn misfits(layout: &Layout) -> Result<Vec<String>, StoreError> {
    let index = StoreIndex::without(layout);
    let mut named = Vec::new();
    for namespace in layout.namespaces()? {
        for kind in EntryKind::ALL {
            if let Ok(read) = read_namespace(&index, kind, &namespace) {
                let misfits = read.fold().misfits.into_iter();
                named.extend(misfits.map(|misfit| format!("memory {namespace}: {misfit}")));
            }
        }
    }
    Ok(named)
}

/// Counts the replies of a session that were recorded with marks of private reasoning in their public
/// text. A session that cannot be read was reported already.
fn count_marked_replies(path: &Path) -> usize {
    let records = read_records(path).unwrap_or_default();
    let replies = records.iter().filter_map(|record| record.event.reply());
    replies
        .filter(|reply| holds_reasoning_marks(&reply.text))
        .count()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_session_that_is_deleted_after_it_was_listed_is_no_fault() {
        let mut findings = CheckFindings::none(JournalRegistry(&[]));
        let listed = |folder| CheckedJournal {
            folder,
            path: std::path::PathBuf::from("no-such-folder/sessions/a.jsonl"),
            known: Vec::new(),
        };
        let checked = findings.check_unless_deleted(&listed(Some("sessions")));
        assert!(checked.is_ok());
        assert!(findings.faults.is_empty() && findings.files.is_empty());
        assert!(findings.notices[0].contains("deleted or moved"));
        // A file that was named must be there.
        assert!(findings.check_unless_deleted(&listed(None)).is_err());
    }
}
