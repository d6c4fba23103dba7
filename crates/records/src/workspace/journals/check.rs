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
use crate::workspace::{StoreIndex, copied_journals, copy_error, missing_journals};
use elenchus_memory::EntryKind;
use elenchus_model::has_reasoning_marks;
use elenchus_store::{HeadRecord, Layout, StoreError, verify_journal};
use elenchus_text::format_noun_count;
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
    pub fn check_journals(journals: &[CheckedJournal], kinds: JournalRegistry) -> Result<Self> {
        let mut findings = Self::new(kinds);
        for journal in journals {
            findings.check_if_present(journal)?;
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
        self.report_missing(layout)?;
        self.report_copies(layout)?;
        self.notices.extend(list_misfits(layout)?);
        self.notices.extend(cut_off_merges(layout)?);
        self.notices.extend(shared_files(layout)?);
        let text_faults = changed_texts(layout)?;
        self.changed_texts = text_faults.len();
        self.faults.extend(text_faults);
        Ok(())
    }

    fn new(kinds: JournalRegistry) -> Self {
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
    /// it were acknowledged and it is not in the trash, [`Self::report_missing`] says so.
    fn check_if_present(&mut self, journal: &CheckedJournal) -> Result<()> {
        let mut findings = Self::new(self.kinds);
        let result = findings.check_journal(journal);
        if journal.folder.is_some() && !journal.path.exists() {
            let path = journal.path.display();
            let notice = format!("{path}: it was deleted or moved meanwhile, and is not checked");
            self.notices.push(notice);
            return Ok(());
        }
        self.add_findings(findings);
        result
    }

    fn add_findings(&mut self, other: Self) {
        for (kind, count) in other.files {
            *self.files.entry(kind).or_default() += count;
        }
        self.lines += other.lines;
        self.broken_files += other.broken_files;
        self.faults.extend(other.faults);
        self.notices.extend(other.notices);
        self.headless += other.headless;
        self.marked_replies += other.marked_replies;
        self.can_be_accepted |= other.can_be_accepted;
    }

    fn check_journal(&mut self, journal: &CheckedJournal) -> Result<()> {
        let verification = match verify_journal(&journal.path, &journal.known) {
            Err(StoreError::Damaged { path, why }) => {
                self.faults.push(format!("{}: {why}", path.display()));
                self.broken_files += 1;
                self.can_be_accepted = true;
                return Ok(());
            }
            found => found?,
        };
        self.lines += verification.head.lines;
        self.notices
            .extend(verification.notices.iter().map(ToString::to_string));
        let before = self.faults.len();
        self.faults
            .extend(verification.broken.iter().map(ToString::to_string));
        self.faults
            .extend(verification.lost.iter().map(ToString::to_string));
        let is_lost = self.faults.len() > before;
        self.can_be_accepted |= is_lost;
        let is_headless =
            verification.recorded == HeadRecord::Nothing && verification.head.lines > 0;
        self.headless += usize::from(is_headless && journal.folder.is_some());
        let kind = match self.kinds.detect_kind(&journal.path) {
            Ok(detected) => self.decide_kind(journal, detected),
            // The first line is what is broken, and that is said.
            Err(WorkspaceError::Store(StoreError::Broken { .. } | StoreError::Damaged { .. })) => {
                self.kind_by_folder(journal)
            }
            Err(error) => return Err(error),
        };
        let is_sample = journal.folder == Some(SAMPLES);
        let checked_as = match kind {
            Some(kind) if is_sample && kind.is_kind::<SessionJournal>() => CheckedAs::Sample,
            Some(kind) => self
                .kinds
                .find_place(kind.kind)
                .map_or(CheckedAs::Unknown, CheckedAs::Kind),
            None => CheckedAs::Unknown,
        };
        *self.files.entry(checked_as).or_default() += 1;
        if verification.recorded == HeadRecord::Head && verification.head.lines == 0 && !is_lost {
            let path = journal.path.display();
            self.notices
                .push(format!("{path}: nothing is left of it; remove the file"));
        } else if let (false, Some(kind)) = (is_lost, kind) {
            self.read_as(&journal.path, kind);
            if kind.is_kind::<SessionJournal>() {
                self.marked_replies += count_marked_replies(&journal.path);
            }
        }
        self.broken_files += usize::from(self.faults.len() > before);
        Ok(())
    }

    fn kind_by_folder(&self, journal: &CheckedJournal) -> Option<&'static RegisteredKind> {
        journal
            .folder
            .and_then(|folder| self.kinds.find_by_folder(folder))
    }

    /// Returns what a journal is, where its first event and its folder agree on it.
    fn decide_kind(
        &mut self,
        journal: &CheckedJournal,
        detected: DetectedKind,
    ) -> Option<&'static RegisteredKind> {
        let path = journal.path.display();
        let by_place = self.kind_by_folder(journal);
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
        match kind.check_journal(path) {
            Err(WorkspaceError::Invalid(why)) if kind.begins_with_one => self.faults.push(why),
            read => self.report_error(read),
        }
    }

    /// A chain that holds can still tell what cannot have happened, or what this version does not
    /// know.
    fn report_error(&mut self, result: Result<(), WorkspaceError>) {
        let Err(error) = result else { return };
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
            | WorkspaceError::HalfPlanned { .. }
            | WorkspaceError::Invalid(_)
            | WorkspaceError::Game(_)
            | WorkspaceError::Prompt(_)
            | WorkspaceError::Cast(_)
            | WorkspaceError::Call(_)
            | WorkspaceError::Retrieve(_)
            | WorkspaceError::Dataset(_)
            | WorkspaceError::Topics(_)
            | WorkspaceError::File(_)
            | WorkspaceError::Task(_)
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
    fn report_missing(&mut self, layout: &Layout) -> Result<()> {
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
    fn report_copies(&mut self, layout: &Layout) -> Result<()> {
        for (path, of) in copied_journals(layout)? {
            // Said already, by the id that it begins with.
            if self
                .faults
                .iter()
                .any(|fault| fault.starts_with(&*path.to_string_lossy()))
            {
                continue;
            }
            self.faults.push(copy_error(&path, &of).to_string());
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
                format_noun_count(self.marked_replies, "reply")
            ));
        }
    }

    fn report_headless(&mut self) {
        if self.headless > 0 {
            self.notices.push(format!(
                "{} without a head: written by an earlier version, copied here or killed in the first \
                 second; whether an end of theirs was cut off cannot be seen; 'elenchus verify \
                 --accept' takes what is there for all there was",
                format_noun_count(self.headless, "journal")
            ));
        }
    }
}

/// Names merges of packs that were killed when all was taken and not all was where it belongs.
fn cut_off_merges(layout: &Layout) -> Result<Vec<String>, StoreError> {
    let merges = layout.list_pending_merges()?.into_iter().map(|id| {
        let path = layout.pending_merge_path(&id)?;
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
    let mut notices = Vec::new();
    for folder in ["notes", "sights"] {
        for path in layout.journals_of(folder)? {
            let people = people_in_one_file(&path);
            let Some((first, others)) = people.split_first() else {
                continue;
            };
            let others = others.join(", ");
            notices.push(format!(
                "{}: an earlier version kept the acts of {first} and of {others} in this one file, and \
                 they count as {first}'s; what {others} give from now on goes into a file of their own. \
                 Labels given so were not blind to each other: have {others} label the items again \
                 before agreement is computed",
                path.display()
            ));
        }
    }
    Ok(notices)
}

/// Names what changes nothing in memory because it does not fit what came before it. Journals that
/// cannot be read are named by themselves.
fn list_misfits(layout: &Layout) -> Result<Vec<String>, StoreError> {
    let index = StoreIndex::bypass(layout);
    let mut notices = Vec::new();
    for namespace in layout.list_namespaces()? {
        for kind in EntryKind::ALL {
            if let Ok(read) = read_namespace(&index, kind, &namespace) {
                let misfits = read.fold_entries().misfits.into_iter();
                notices.extend(misfits.map(|misfit| format!("memory {namespace}: {misfit}")));
            }
        }
    }
    Ok(notices)
}

/// Counts the replies of a session that were recorded with marks of private reasoning in their public
/// text. A session that cannot be read was reported already.
fn count_marked_replies(path: &Path) -> usize {
    let records = read_records(path).unwrap_or_default();
    let replies = records.iter().filter_map(|record| record.event.reply());
    replies
        .filter(|reply| has_reasoning_marks(&reply.text))
        .count()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_session_that_is_deleted_after_it_was_listed_is_no_fault() {
        let mut findings = CheckFindings::new(JournalRegistry(&[]));
        let listed = |folder| CheckedJournal {
            folder,
            path: std::path::PathBuf::from("no-such-folder/sessions/a.jsonl"),
            known: Vec::new(),
        };
        let checked = findings.check_if_present(&listed(Some("sessions")));
        assert!(checked.is_ok());
        assert!(findings.faults.is_empty() && findings.files.is_empty());
        assert!(findings.notices[0].contains("deleted or moved"));
        // A file that was named must be there.
        assert!(findings.check_if_present(&listed(None)).is_err());
    }
}
