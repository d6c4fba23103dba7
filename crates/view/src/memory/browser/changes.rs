//! A person's changes of a namespace: one at a time, so that undo knows the order, and what may be changed.

use super::{MemoryBrowser, WantedChange};
use crate::memory::{describe_share, test_command};
use elenchus_memory::{EntryId, EntryKind, EntryStatus, GuardAcceptance, GuardStatus, MemoryEntry};
use elenchus_records::workspace::memory::{ChangedEntry, EntryAction, EntryChange, EntryText};
use elenchus_records::workspace::{WorkspaceError, reject};
use elenchus_text::Content;

/// Effect of a change on the way back.
#[derive(Debug, Clone, PartialEq, Eq)]
enum Changing {
    /// It was asked for; the draft at this place is not needed any more.
    Do {
        draft: Option<String>,
    },
    Undo,
    Redo,
}

impl Changing {
    /// Returns the place of a draft that is not needed any more.
    fn into_draft(self) -> Option<String> {
        match self {
            Changing::Do { draft } => draft,
            Changing::Undo | Changing::Redo => None,
        }
    }
}

/// Changes that can be undone and made again.
#[derive(Debug, Default)]
pub(super) struct ChangeSteps {
    undo: Vec<EntryChange>,
    redo: Vec<EntryChange>,
    /// What is being written, and into which namespace.
    changing: Option<(Changing, String)>,
}

impl ChangeSteps {
    pub(super) fn clear(&mut self) {
        self.undo.clear();
        self.redo.clear();
    }

    /// Keeps the way back of a change; returns the place of a draft that is not needed any more.
    fn record_step(&mut self, changing: Changing, undo: Option<EntryChange>) -> Option<String> {
        match changing {
            Changing::Do { .. } => {
                self.undo.extend(undo);
                self.redo.clear();
            }
            Changing::Undo => {
                self.undo.pop();
                self.redo.extend(undo);
            }
            Changing::Redo => {
                self.redo.pop();
                self.undo.extend(undo);
            }
        }
        changing.into_draft()
    }
}

/// Text of an entry that is written: a new one, or another text of one that is there.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum EntryDraft {
    Add(EntryKind),
    Edit(EntryKind, EntryId),
}

impl EntryDraft {
    /// Returns the title over the text.
    pub fn title(&self) -> String {
        match self {
            EntryDraft::Add(EntryKind::Lesson) => "a new entry".to_owned(),
            EntryDraft::Edit(EntryKind::Lesson, id) => format!("a new text for {id}"),
            EntryDraft::Add(EntryKind::Guardrail) => {
                "a new guardrail: its intent, then an example a line".to_owned()
            }
            EntryDraft::Edit(EntryKind::Guardrail, id) => {
                format!("{id}: its intent, then an example a line")
            }
        }
    }

    /// Returns the place of its draft, which survives a crash.
    pub fn draft_place(&self, namespace: &str) -> String {
        let kind = |kind: &EntryKind| match kind {
            EntryKind::Lesson => "",
            EntryKind::Guardrail => "guardrail ",
        };
        match self {
            EntryDraft::Add(of) => format!("memory {namespace} {}add", kind(of)),
            EntryDraft::Edit(of, id) => format!("memory {namespace} {}edit {id}", kind(of)),
        }
    }

    /// Returns the change that a text means.
    ///
    /// # Errors
    /// Says what is wrong with the text.
    pub fn parse_change(&self, text: &str) -> Result<EntryChange, WorkspaceError> {
        let (EntryDraft::Add(kind) | EntryDraft::Edit(kind, _)) = self;
        let read = EntryText::parse_text(*kind, text)?;
        Ok(match self {
            EntryDraft::Add(_) => EntryChange::Add(read),
            EntryDraft::Edit(_, id) => EntryChange::Do(id.clone(), EntryAction::Edit(read)),
        })
    }
}

impl MemoryBrowser {
    /// Returns the place of the draft of a text.
    pub fn draft_place(&self, draft: &EntryDraft) -> String {
        let namespace = self.read.as_ref();
        draft.draft_place(namespace.map_or("", |read| read.entries.namespace.as_str()))
    }

    /// Asks for a change; the draft at a place is not needed once it is made.
    ///
    /// # Errors
    /// Says why nothing can be changed now.
    pub fn request_change(
        &mut self,
        change: EntryChange,
        draft: Option<String>,
    ) -> Result<WantedChange, WorkspaceError> {
        self.begin_change(change, Changing::Do { draft })
    }

    fn begin_change(
        &mut self,
        change: EntryChange,
        changing: Changing,
    ) -> Result<WantedChange, WorkspaceError> {
        let read = self
            .read
            .as_ref()
            .ok_or_else(|| WorkspaceError::invalid("memory is not read yet"))?;
        if self.changes.changing.is_some() {
            return reject("the change before is still being written");
        }
        let namespace = read.entries.namespace.clone();
        self.changes.changing = Some((changing, namespace.clone()));
        Ok(WantedChange { namespace, change })
    }

    /// Takes the last change back.
    ///
    /// # Errors
    /// Where there is none, or nothing can be changed now.
    pub fn undo(&mut self) -> Result<WantedChange, WorkspaceError> {
        let last = self.changes.undo.last().cloned();
        self.begin_change(
            last.ok_or_else(|| WorkspaceError::invalid("nothing to undo"))?,
            Changing::Undo,
        )
    }

    /// Makes a change again that was taken back.
    ///
    /// # Errors
    /// As [`MemoryBrowser::undo`].
    pub fn redo(&mut self) -> Result<WantedChange, WorkspaceError> {
        let last = self.changes.redo.last().cloned();
        self.begin_change(
            last.ok_or_else(|| WorkspaceError::invalid("nothing to redo"))?,
            Changing::Redo,
        )
    }

    pub fn can_undo(&self) -> bool {
        !self.changes.undo.is_empty()
    }

    /// Takes note that a change could not be made; says whether one was under way.
    pub fn cancel_change(&mut self) -> bool {
        self.changes.changing.take().is_some()
    }

    /// Takes a change that was made; returns what became of the entry in words, and the place of a draft that
    /// is not needed any more.
    pub fn finish_change(&mut self, changed: ChangedEntry) -> Option<(String, Option<String>)> {
        let (changing, namespace) = self.changes.changing.take()?;
        // What was done elsewhere is not taken back here.
        let is_here = self.namespace.as_ref() == Some(&namespace);
        let draft = match is_here {
            true => self.changes.record_step(changing, changed.undo),
            false => changing.into_draft(),
        };
        if is_here {
            self.wanted = Some(changed.entry.id.clone());
        }
        let words = match changed.already {
            true => "it is so already; nothing was written".to_owned(),
            false => self.standing_words(&changed.entry),
        };
        Some((words, draft))
    }

    /// Changes the chosen entry.
    ///
    /// # Errors
    /// Where none is chosen, or nothing can be changed now.
    pub fn change_chosen(
        &mut self,
        action: impl FnOnce(&MemoryEntry) -> EntryAction,
    ) -> Result<WantedChange, WorkspaceError> {
        let entry = self
            .chosen_entry()
            .ok_or_else(|| WorkspaceError::invalid("choose an entry first"))?;
        let change = EntryChange::Do(entry.id.clone(), action(entry));
        self.request_change(change, None)
    }

    /// Returns the chosen entry's text, to be changed.
    ///
    /// # Errors
    /// Says why it cannot be shown in an editor.
    pub fn build_edit_draft(
        &self,
        content: Content,
    ) -> Result<(EntryDraft, String), WorkspaceError> {
        if content == Content::Masked {
            return reject(format!(
                "content is masked and an editor would show it: {} unmasks",
                self.keys.unmask
            ));
        }
        let entry = self
            .chosen_entry()
            .ok_or_else(|| WorkspaceError::invalid("choose an entry first"))?;
        if entry.deleted {
            return reject(self.deleted_words(entry));
        }
        let draft = EntryDraft::Edit(entry.kind(), entry.id.clone());
        Ok((draft, entry.as_lines()))
    }

    fn require_guard(&self) -> Result<&MemoryEntry, WorkspaceError> {
        let list = self.keys.other_kind;
        let guard = self.chosen_guard();
        guard.ok_or_else(|| {
            WorkspaceError::invalid(format!("choose a guardrail first: {list} lists them"))
        })
    }

    /// Rejects the chosen guardrail.
    ///
    /// # Errors
    /// Where none is chosen, or nothing can be changed now.
    pub fn reject_guard(&mut self) -> Result<WantedChange, WorkspaceError> {
        self.require_guard()?;
        self.change_chosen(|_| EntryAction::Reject)
    }

    /// Returns the question before the chosen guardrail is accepted, with the change that a yes makes: never
    /// without its over-refusal, as far as that is known.
    ///
    /// # Errors
    /// Says why it is not accepted.
    pub fn propose_acceptance(
        &self,
        content: Content,
    ) -> Result<(String, EntryChange), WorkspaceError> {
        let guard = self.require_guard()?;
        if guard.deleted {
            return reject(self.deleted_words(guard));
        }
        match guard.acceptance() {
            Some(GuardStatus::Accepted(_)) if guard.disabled => {
                return reject(format!(
                    "it is accepted, but disabled: {} lets debates ask it again",
                    self.keys.disable
                ));
            }
            Some(GuardStatus::Accepted(_)) => return reject("it is accepted already"),
            Some(GuardStatus::Proposed | GuardStatus::Rejected) | None => {}
        }
        let (question, how) = self.acceptance_question(guard, content);
        let change = EntryChange::Do(guard.id.clone(), EntryAction::Accept(how));
        Ok((question, change))
    }

    fn acceptance_question(
        &self,
        guard: &MemoryEntry,
        content: Content,
    ) -> (String, GuardAcceptance) {
        let Some(report) = guard.current_report() else {
            let never = match guard.benign_tests().is_empty() {
                true => "It was never tested on prompts that must not be refused",
                false => "Its text was changed since it was tested",
            };
            let question = format!(
                "{never}, so its over-refusal is unknown. This tests it:\n{}\nAccept it untested?",
                test_command(guard, self.namespace.as_deref()),
            );
            return (question, GuardAcceptance::Untested);
        };
        let simulation_note = match report.simulated {
            true => ", simulated: a check of the instrument",
            false => "",
        };
        let failure_note = match report.failed {
            0 => String::new(),
            failed => format!(" {failed} calls failed and are left out."),
        };
        let file = report.dataset.rsplit(['/', ':']).next();
        let question = format!(
            "Over-refusal: it would refuse {}.\nIt would catch {}.\n{}, decided by \
             {}{simulation_note}.{failure_note}\nDebates that begin from now on ask it. Accept?",
            describe_share(report.over_refused, "harmless prompts"),
            describe_share(report.caught, "harmful ones"),
            content.show_or_mask(file.unwrap_or_default()),
            report.model,
        );
        (question, GuardAcceptance::ByHand)
    }

    /// Says that a deleted entry is not changed.
    fn deleted_words(&self, entry: &MemoryEntry) -> String {
        let what = match entry.kind() {
            EntryKind::Lesson => "entry",
            EntryKind::Guardrail => "guardrail",
        };
        format!("this {what} is deleted: {} restores it", self.keys.delete)
    }

    /// Says what a change made of an entry.
    fn standing_words(&self, entry: &MemoryEntry) -> String {
        let undo = self.keys.undo;
        let text = match entry.revision {
            0 => String::new(),
            1 => ", changed once".to_owned(),
            many => format!(", changed {many} times"),
        };
        match (entry.availability(), entry.acceptance()) {
            (EntryStatus::Deleted, _) => format!("deleted: {undo} restores it"),
            (EntryStatus::Disabled, None) => {
                format!("disabled{text}: debates that begin from now on are not shown it")
            }
            (EntryStatus::Live, None) => {
                format!("kept{text}: debates that begin from now on can be shown it")
            }
            (EntryStatus::Disabled, Some(_)) => {
                "disabled: debates that begin from now on do not ask it".to_owned()
            }
            (EntryStatus::Live, Some(GuardStatus::Accepted(_))) => {
                "accepted: debates with guardrails that begin from now on ask it".to_owned()
            }
            (EntryStatus::Live, Some(GuardStatus::Rejected)) => {
                format!("rejected: no debate asks it; {undo} takes that back")
            }
            (EntryStatus::Live, Some(GuardStatus::Proposed)) => {
                format!("proposed, text {text}: no debate asks it until it is accepted")
            }
        }
    }
}
