//! What is done about guardrails on the memory screen, and what came of it.

use super::acts::say;
use super::guard_page::{share, test_command};
use super::typing::{Dialog, Purpose};
use super::{Changing, Kind, Listed, Memory, Pane, Row, Showing, Wish};
use crate::driver::Ordered;
use crate::driver::memory_desk::{
    Acceptance, Guard, GuardChange, GuardChanged, GuardId, GuardSearch, Standing,
};
use crate::tui::app::{Deed, Effect, MemoryDeed};
use crate::tui::overlays::{Answer, Ask};
use crate::tui::theme::Role;

impl Memory {
    /// Lists guardrails instead of lessons, or lessons again.
    pub(super) fn turn_kind(&mut self) -> Vec<Effect> {
        self.kind = match self.kind {
            Kind::Lessons => Kind::Guardrails,
            Kind::Guardrails => Kind::Lessons,
        };
        self.focus = Pane::List;
        self.list_all();
        match (self.kind, self.card.as_ref().map(|card| &card.guards)) {
            (Kind::Guardrails, Some(Err(why))) => vec![Effect::Say(Role::Error, why.clone())],
            (Kind::Guardrails | Kind::Lessons, _) => Vec::new(),
        }
    }

    /// Shows what the guardrail does to harmless prompts, and asks.
    pub(super) fn accept(&mut self) -> Vec<Effect> {
        let Some(guard) = self.chosen_guard().cloned() else {
            return say("choose a guardrail first: s lists them");
        };
        if guard.deleted {
            return say("this guardrail is deleted: d brings it back");
        }
        match guard.standing {
            Standing::Accepted(_) if guard.disabled => {
                return say("it is accepted, but disabled: x lets debates ask it again");
            }
            Standing::Accepted(_) => return say("it is accepted already"),
            Standing::Proposed | Standing::Rejected => {}
        }
        let (question, how) = self.acceptance(&guard);
        self.dialog = Some(Dialog::Accept {
            ask: Ask::new("Accept this guardrail", &question, Answer::No),
            id: guard.id,
            how,
        });
        Vec::new()
    }

    /// What is asked before a guardrail is accepted: never without its over-refusal.
    fn acceptance(&self, guard: &Guard) -> (String, Acceptance) {
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
                (question, Acceptance::ByHand)
            }
            None => {
                let never = match guard.tests.is_empty() {
                    true => "It was never tested on prompts that must not be refused",
                    false => "Its text was changed since it was tested",
                };
                let question = format!(
                    "{never}, so nobody knows its over-refusal. This tests it:\n{}\nAccept it \
                     untested?",
                    test_command(guard, self.namespace.as_deref()),
                );
                (question, Acceptance::Untested)
            }
        }
    }

    pub(super) fn accepted(&mut self, id: GuardId, how: Acceptance) -> Vec<Effect> {
        let wish = Wish::Guard(GuardChange::Accept(id, how));
        self.change(wish, Changing::Do { draft: None })
    }

    pub(super) fn reject(&mut self) -> Vec<Effect> {
        match self.chosen_guard().map(|guard| guard.id.clone()) {
            Some(id) => {
                let wish = Wish::Guard(GuardChange::Reject(id));
                self.change(wish, Changing::Do { draft: None })
            }
            None => say("choose a guardrail first: s lists them"),
        }
    }

    /// The text of a guardrail as it is edited: the intent, then an example a line.
    pub(super) fn editable_guard(&self, guard: &Guard) -> Result<(Purpose, String), String> {
        if guard.deleted {
            return Err("this guardrail is deleted: d brings it back".to_owned());
        }
        let examples = guard.examples.iter();
        let lines: String = examples.map(|example| format!("\n- {example}")).collect();
        let text = format!("{}{lines}", guard.intent);
        Ok((Purpose::EditGuard(guard.id.clone()), text))
    }

    /// Asks where the guardrail on the page fired, once.
    pub(super) fn ask_for_firings(&mut self) -> Vec<Effect> {
        let known = self.firings.as_ref().map(|(id, _)| id);
        let wants = self.focus == Pane::Page && !matches!(self.showing, Showing::Topic { .. });
        match (self.chosen_guard(), &self.card) {
            (Some(guard), Some(card)) if wants && known != Some(&guard.id) => {
                let deed = MemoryDeed::Firings(card.clone(), guard.id.clone());
                vec![Effect::Do(Deed::Memory(deed))]
            }
            (Some(_) | None, _) => Vec::new(),
        }
    }

    pub(super) fn guards_found(&mut self, found: &Ordered<GuardSearch>) -> Vec<Effect> {
        self.showing = Showing::Found {
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
    ) -> Vec<Listed> {
        let places = scored.filter_map(|(id, score)| {
            let mut guards = self.guards().iter();
            let at = guards.position(|guard| guard.id.0 == *id)?;
            Some(Listed {
                at: Row::Guard(at),
                score: Some(score),
            })
        });
        places.collect()
    }

    pub(super) fn guard_changed(
        &mut self,
        changing: Changing,
        changed: &GuardChanged,
    ) -> Vec<Effect> {
        let mut effects = self.after(changing, changed.undo.clone().map(Wish::Guard));
        let guard = &changed.guard;
        self.wanted = Some(super::Which::Guardrail(guard.id.clone()));
        effects.extend(say(match changed.already {
            true => "it is so already; nothing was written".to_owned(),
            false => standing_told(guard),
        }));
        effects
    }
}

fn standing_told(guard: &Guard) -> String {
    if guard.deleted {
        return "deleted: u brings it back".to_owned();
    }
    if guard.disabled {
        return "disabled: debates that begin from now on do not ask it".to_owned();
    }
    match guard.standing {
        Standing::Accepted(_) => {
            "accepted: debates with guardrails that begin from now on ask it".to_owned()
        }
        Standing::Rejected => "rejected: no debate asks it; u takes that back".to_owned(),
        Standing::Proposed => format!(
            "proposed, text {}: no debate asks it until it is accepted",
            guard.revision
        ),
    }
}
