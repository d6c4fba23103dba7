//! Guardrails on the memory screen: acceptance, rejection, search and changes.

use super::actions::say;
use super::guardrail_page::{share, test_command};
use super::typing::{Dialog, Purpose};
use super::{
    Changing, EntryIndex, ListContent, ListedEntry, ListedKind, Memory, MemoryEdit, MemoryPane, key,
};
use crate::tui::app::{Deed, Effect, MemoryDeed};
use crate::tui::keys::Action;
use crate::tui::popups::{Confirm, ConfirmAnswer};
use crate::tui::theme::Role;
use crate::workspace::memory::WithNotices;
use crate::workspace::memory::{ChangedGuard, GuardChange, GuardSearch};
use crate::workspace::{Guard, GuardAcceptance, GuardId, GuardStatus};

impl Memory {
    /// Lists guardrails instead of lessons, or lessons again.
    pub(super) fn turn_kind(&mut self) -> Vec<Effect> {
        self.kind = match self.kind {
            ListedKind::Lessons => ListedKind::Guardrails,
            ListedKind::Guardrails => ListedKind::Lessons,
        };
        self.focus = MemoryPane::List;
        self.list_all();
        match (self.kind, self.card.as_ref().map(|card| &card.guards)) {
            (ListedKind::Guardrails, Some(Err(why))) => vec![Effect::Say(Role::Error, why.clone())],
            (ListedKind::Guardrails | ListedKind::Lessons, _) => Vec::new(),
        }
    }

    /// Shows what the guardrail does to harmless prompts, and asks.
    pub(super) fn accept(&mut self) -> Vec<Effect> {
        let Some(guard) = self.chosen_guard().cloned() else {
            return self.none_chosen();
        };
        if guard.deleted {
            return say(is_deleted());
        }
        match guard.standing {
            GuardStatus::Accepted(_) if guard.disabled => {
                let enable = key(Action::DisableEntry);
                return say(format!(
                    "it is accepted, but disabled: {enable} lets debates ask it again"
                ));
            }
            GuardStatus::Accepted(_) => return say("it is accepted already"),
            GuardStatus::Proposed | GuardStatus::Rejected => {}
        }
        let (question, how) = self.acceptance(&guard);
        self.dialog = Some(Dialog::Accept {
            ask: Confirm::new("Accept this guardrail", &question, ConfirmAnswer::No),
            id: guard.id,
            how,
        });
        Vec::new()
    }

    /// Question before a guardrail is accepted: never without its over-refusal.
    fn acceptance(&self, guard: &Guard) -> (String, GuardAcceptance) {
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
                let never = match guard.tests.is_empty() {
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

    pub(super) fn accepted(&mut self, id: GuardId, how: GuardAcceptance) -> Vec<Effect> {
        let wish = MemoryEdit::Guard(GuardChange::Accept(id, how));
        self.change(wish, Changing::Do { draft: None })
    }

    fn none_chosen(&self) -> Vec<Effect> {
        let list = key(Action::OtherKind);
        say(format!("choose a guardrail first: {list} lists them"))
    }

    pub(super) fn reject(&mut self) -> Vec<Effect> {
        match self.chosen_guard().map(|guard| guard.id.clone()) {
            Some(id) => {
                let wish = MemoryEdit::Guard(GuardChange::Reject(id));
                self.change(wish, Changing::Do { draft: None })
            }
            None => self.none_chosen(),
        }
    }

    /// The text of a guardrail as it is edited: the intent, then an example a line.
    pub(super) fn editable_guard(&self, guard: &Guard) -> Result<(Purpose, String), String> {
        if guard.deleted {
            return Err(is_deleted());
        }
        let examples = guard.examples.iter();
        let lines: String = examples.map(|example| format!("\n- {example}")).collect();
        let text = format!("{}{lines}", guard.intent);
        Ok((Purpose::EditGuard(guard.id.clone()), text))
    }

    /// Asks where the guardrail on the page fired, once.
    pub(super) fn ask_for_firings(&mut self) -> Vec<Effect> {
        let known = self.firings.as_ref().map(|(id, _)| id);
        let wants =
            self.focus == MemoryPane::Page && !matches!(self.showing, ListContent::Topic { .. });
        match (self.chosen_guard(), &self.card) {
            (Some(guard), Some(card)) if wants && known != Some(&guard.id) => {
                let deed = MemoryDeed::Firings(card.clone(), guard.id.clone());
                vec![Effect::Do(Deed::Memory(deed))]
            }
            (Some(_) | None, _) => Vec::new(),
        }
    }

    pub(super) fn guards_found(&mut self, found: &WithNotices<GuardSearch>) -> Vec<Effect> {
        self.showing = ListContent::Found {
            query: self.asked_text(),
            retriever: found.found.retriever.clone(),
        };
        let listed = self.guard_rows(found.found.guards.iter().map(|(id, score)| (&id.0, *score)));
        self.list(listed);
        super::heard::noticed(&found.notices)
    }

    /// The rows of guardrails that were found, in that order.
    pub(super) fn guard_rows<'a>(
        &self,
        scored: impl Iterator<Item = (&'a String, f64)>,
    ) -> Vec<ListedEntry> {
        let places = scored.filter_map(|(id, score)| {
            let mut guards = self.guards().iter();
            let at = guards.position(|guard| guard.id.0 == *id)?;
            Some(ListedEntry {
                at: EntryIndex::Guard(at),
                score: Some(score),
            })
        });
        places.collect()
    }

    pub(super) fn guard_changed(
        &mut self,
        changing: Changing,
        changed: &ChangedGuard,
    ) -> Vec<Effect> {
        let mut effects = self.after(changing, changed.undo.clone().map(MemoryEdit::Guard));
        let guard = &changed.guard;
        self.wanted = Some(super::MemoryRef::Guardrail(guard.id.clone()));
        effects.extend(say(match changed.already {
            true => "it is so already; nothing was written".to_owned(),
            false => standing_told(guard),
        }));
        effects
    }
}

fn is_deleted() -> String {
    let restore = key(Action::DeleteEntry);
    format!("this guardrail is deleted: {restore} restores it")
}

fn standing_told(guard: &Guard) -> String {
    if guard.deleted {
        return format!("deleted: {} restores it", key(Action::Undo));
    }
    if guard.disabled {
        return "disabled: debates that begin from now on do not ask it".to_owned();
    }
    match guard.standing {
        GuardStatus::Accepted(_) => {
            "accepted: debates with guardrails that begin from now on ask it".to_owned()
        }
        GuardStatus::Rejected => format!(
            "rejected: no debate asks it; {} takes that back",
            key(Action::Undo)
        ),
        GuardStatus::Proposed => format!(
            "proposed, text {}: no debate asks it until it is accepted",
            guard.revision
        ),
    }
}
