//! Guardrails on the memory screen: acceptance and rejection; what a change made of an entry.

use super::typing::MemoryQuestion;
use super::{Changing, Memory, MemoryPane, key};
use crate::tui::app::{Effect, fail, say};
use crate::tui::keys::Action;
use crate::tui::popups::Dialog;
use crate::workspace::memory::{EntryAction, EntryChange, share, test_command};
use crate::workspace::{
    EntryId, EntryKind, EntryStatus, GuardAcceptance, GuardStatus, MemoryEntry,
};

impl Memory {
    /// Lists guardrails instead of lessons, or lessons again.
    pub(super) fn turn_kind(&mut self) -> Vec<Effect> {
        self.kind = match self.kind {
            EntryKind::Lesson => EntryKind::Guardrail,
            EntryKind::Guardrail => EntryKind::Lesson,
        };
        self.focus = MemoryPane::List;
        self.list_all();
        self.cannot_be_read()
    }

    /// Says why guardrails cannot be read, where they are listed and cannot.
    pub(super) fn cannot_be_read(&self) -> Vec<Effect> {
        let unread = self
            .card
            .as_ref()
            .and_then(|card| card.shelf.unread.clone());
        match (self.kind, unread) {
            (EntryKind::Guardrail, Some(why)) => fail(why),
            (EntryKind::Guardrail | EntryKind::Lesson, _) => Vec::new(),
        }
    }

    /// Shows what the guardrail does to harmless prompts, and asks.
    pub(super) fn accept(&mut self) -> Vec<Effect> {
        let Some(guard) = self.chosen_guard().cloned() else {
            return self.none_chosen();
        };
        if guard.deleted {
            return say(is_deleted(&guard));
        }
        match guard.acceptance() {
            Some(GuardStatus::Accepted(_)) if guard.disabled => {
                let enable = key(Action::DisableEntry);
                return say(format!(
                    "it is accepted, but disabled: {enable} lets debates ask it again"
                ));
            }
            Some(GuardStatus::Accepted(_)) => return say("it is accepted already"),
            Some(GuardStatus::Proposed | GuardStatus::Rejected) | None => {}
        }
        let (question, how) = self.acceptance(&guard);
        let accept = MemoryQuestion::Accept(guard.id, how);
        let title = "Accept this guardrail";
        self.dialog = Some(Dialog::confirm(title, &question, accept));
        Vec::new()
    }

    /// Question before a guardrail is accepted: never without its over-refusal.
    fn acceptance(&self, guard: &MemoryEntry) -> (String, GuardAcceptance) {
        match guard.report() {
            Some(report) => {
                let simulated = match report.simulated {
                    true => ", simulated: a check of the instrument",
                    false => "",
                };
                let failed = match report.failed {
                    0 => String::new(),
                    failed => format!(" {failed} calls failed and are left out."),
                };
                let file = report.dataset.rsplit(['/', ':']).next();
                let question = format!(
                    "Over-refusal: it would refuse {}.\nIt would catch {}.\n{}, decided by \
                     {}{simulated}.{failed}\nDebates that begin from now on ask it. Accept?",
                    share(report.over_refused, "harmless prompts"),
                    share(report.caught, "harmful ones"),
                    self.content.of(file.unwrap_or_default()),
                    report.model,
                );
                (question, GuardAcceptance::ByHand)
            }
            None => {
                let never = match guard.tests().is_empty() {
                    true => "It was never tested on prompts that must not be refused",
                    false => "Its text was changed since it was tested",
                };
                let question = format!(
                    "{never}, so its over-refusal is unknown. This tests it:\n{}\nAccept it \
                     untested?",
                    test_command(guard, self.namespace.as_deref()),
                );
                (question, GuardAcceptance::Untested)
            }
        }
    }

    pub(super) fn accepted(&mut self, id: EntryId, how: GuardAcceptance) -> Vec<Effect> {
        let wish = EntryChange::Do(id, EntryAction::Accept(how));
        self.change(wish, Changing::Do { draft: None })
    }

    fn none_chosen(&self) -> Vec<Effect> {
        let list = key(Action::OtherKind);
        say(format!("choose a guardrail first: {list} lists them"))
    }

    pub(super) fn reject(&mut self) -> Vec<Effect> {
        match self.chosen_guard() {
            Some(_) => self.act_on(|_| EntryAction::Reject),
            None => self.none_chosen(),
        }
    }
}

/// Says that a deleted entry is not changed.
pub(super) fn is_deleted(entry: &MemoryEntry) -> String {
    let restore = key(Action::DeleteEntry);
    let what = match entry.kind() {
        EntryKind::Lesson => "entry",
        EntryKind::Guardrail => "guardrail",
    };
    format!("this {what} is deleted: {restore} restores it")
}

/// Says what a change made of an entry.
pub(super) fn standing_told(entry: &MemoryEntry) -> String {
    let text = entry.revision;
    match (entry.standing(), entry.acceptance()) {
        (EntryStatus::Deleted, _) => format!("deleted: {} restores it", key(Action::Undo)),
        (EntryStatus::Disabled, None) => {
            format!("disabled, text {text}: debates that begin from now on are not shown it")
        }
        (EntryStatus::Live, None) => {
            format!("live, text {text}: debates that begin from now on can be shown it")
        }
        (EntryStatus::Disabled, Some(_)) => {
            "disabled: debates that begin from now on do not ask it".to_owned()
        }
        (EntryStatus::Live, Some(GuardStatus::Accepted(_))) => {
            "accepted: debates with guardrails that begin from now on ask it".to_owned()
        }
        (EntryStatus::Live, Some(GuardStatus::Rejected)) => format!(
            "rejected: no debate asks it; {} takes that back",
            key(Action::Undo)
        ),
        (EntryStatus::Live, Some(GuardStatus::Proposed)) => {
            format!("proposed, text {text}: no debate asks it until it is accepted")
        }
    }
}
