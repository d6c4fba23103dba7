//! Fold of all journals of a namespace into guardrails.

use super::event::{DerivedBy, GuardAcceptance, GuardEvent, GuardId, GuardReport};
use super::text::{GuardText, add_example, normal_form};
use crate::memory::EntryOrigin;
use jiff::Timestamp;
use serde::Serialize;
use std::collections::HashMap;

/// One journal of guardrails.
#[derive(Debug, Clone, Copy)]
pub struct GuardJournal<'a> {
    /// The writer's name: orders events of the same time.
    pub name: &'a str,
    pub events: &'a [GuardEvent],
}

/// Status of a guardrail's acceptance.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum GuardStatus {
    Proposed,
    Accepted(GuardAcceptance),
    Rejected,
}

impl GuardStatus {
    /// Returns the word that is shown.
    pub fn word(self) -> &'static str {
        match self {
            GuardStatus::Proposed => "proposed",
            GuardStatus::Accepted(_) => "accepted",
            GuardStatus::Rejected => "rejected",
        }
    }
}

/// A text that a guardrail had.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct GuardVersion {
    pub revision: u32,
    pub text: GuardText,
    pub at: String,
}

/// One guardrail.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Guard {
    pub id: GuardId,
    pub intent: String,
    pub examples: Vec<String>,
    /// The debates that taught it; none when a person wrote it.
    pub origins: Vec<EntryOrigin>,
    /// Other proposals of the same intent.
    pub merged: Vec<GuardId>,
    pub standing: GuardStatus,
    /// Number of edits; together with the id it identifies one text for good.
    pub revision: u32,
    pub disabled: bool,
    pub deleted: bool,
    /// Time of the last change of the text, RFC 3339.
    pub at: String,
    /// Every text it had before, oldest first.
    pub versions: Vec<GuardVersion>,
    /// The call that derived it first.
    pub derived: Option<DerivedBy>,
    /// Every benign test, oldest first.
    pub tests: Vec<GuardReport>,
}

impl Guard {
    /// Returns whether debates use it.
    pub fn is_used(&self) -> bool {
        let accepted = match self.standing {
            GuardStatus::Accepted(_) => true,
            GuardStatus::Proposed | GuardStatus::Rejected => false,
        };
        accepted && !self.disabled && !self.deleted
    }

    /// Returns its status as text.
    pub fn standing_words(&self) -> String {
        let mut words = self.standing.word().to_owned();
        match self.standing {
            GuardStatus::Accepted(GuardAcceptance::Untested) => words.push_str(" untested"),
            GuardStatus::Accepted(GuardAcceptance::Threshold { max_over_refusal }) => {
                words.push_str(&format!(" at {max_over_refusal}"));
            }
            GuardStatus::Accepted(GuardAcceptance::ByHand)
            | GuardStatus::Proposed
            | GuardStatus::Rejected => {}
        }
        if self.disabled {
            words.push_str(", disabled");
        }
        if self.deleted {
            words.push_str(", deleted");
        }
        words
    }

    /// Returns the last test of the text that it has now.
    pub fn report(&self) -> Option<&GuardReport> {
        let last = self.tests.last()?;
        (last.revision == self.revision).then_some(last)
    }

    /// Returns whether a derivation for this debate is among its origins.
    pub fn taught_by(&self, session: &str) -> bool {
        self.origins.iter().any(|origin| origin.session == session)
    }
}

/// Guardrails in order of proposal, and failed derivations.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct GuardFold {
    pub guards: Vec<Guard>,
    /// Debates whose derivation could not be read, with the reason.
    pub unparsed: Vec<(EntryOrigin, String)>,
    /// Debates whose derivation failed, with the reason.
    pub failed: Vec<(EntryOrigin, String)>,
    pub misfits: Vec<GuardMisfit>,
}

impl GuardFold {
    /// Returns the guardrail of that id, or the one that it was merged into.
    pub fn find(&self, id: &str) -> Option<&Guard> {
        self.guards
            .iter()
            .find(|guard| guard.id.0 == id || guard.merged.iter().any(|merged| merged.0 == id))
    }

    /// Returns whether a derivation for this debate was parsed, or was found unreadable.
    pub fn knows(&self, session: &str) -> bool {
        self.guards.iter().any(|guard| guard.taught_by(session))
            || self
                .unparsed
                .iter()
                .any(|(origin, _)| origin.session == session)
    }
}

/// An event that is ignored because it does not fit the events before it.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum GuardMisfit {
    #[error("journal '{journal}', line {line}: guardrail {id} was proposed already")]
    ProposedTwice {
        journal: String,
        line: usize,
        id: GuardId,
    },
    #[error("journal '{journal}', line {line}: there is no guardrail {id}")]
    Unknown {
        journal: String,
        line: usize,
        id: GuardId,
    },
}

/// Folds journals into guardrails: first proposals, then changes, each in the order
/// of time, journal and line, so that a change in one journal reaches a guardrail of another. Total:
/// an event that does not fit is reported and changes nothing.
pub fn fold_guards(journals: &[GuardJournal<'_>]) -> GuardFold {
    let mut placed: Vec<PlacedGuardEvent<'_>> = journals
        .iter()
        .flat_map(|journal| {
            let lines = journal.events.iter().enumerate();
            lines.map(|(at, event)| PlacedGuardEvent {
                journal: journal.name,
                line: at + 1,
                event,
            })
        })
        .collect();
    placed.sort_by(|a, b| {
        time_key(at(a.event))
            .cmp(&time_key(at(b.event)))
            .then_with(|| (a.journal, a.line).cmp(&(b.journal, b.line)))
    });
    let mut folder = GuardFolder::default();
    for placed in in_order_of_batches(&placed) {
        folder.propose(placed);
    }
    for placed in &placed {
        folder.change(placed);
    }
    folder.fold
}

/// An event with its position.
struct PlacedGuardEvent<'a> {
    journal: &'a str,
    line: usize,
    event: &'a GuardEvent,
}

/// Orders proposals of one batch of a run by topic: the order in which debates of a batch finish is
/// chance, and merged guardrails must not depend on it.
fn in_order_of_batches<'a>(placed: &'a [PlacedGuardEvent<'a>]) -> Vec<&'a PlacedGuardEvent<'a>> {
    let batch = |placed: &PlacedGuardEvent<'a>| match placed.event {
        GuardEvent::GuardProposed {
            origin: Some(origin),
            ..
        } => Some((origin.run.as_deref()?, origin.batch?, &*origin.topic_id)),
        _ => None,
    };
    let mut first: HashMap<(&str, u32), usize> = HashMap::new();
    for (at, placed) in placed.iter().enumerate() {
        if let Some((run, batch, _)) = batch(placed) {
            first.entry((run, batch)).or_insert(at);
        }
    }
    let mut ordered: Vec<(usize, &str, usize, &PlacedGuardEvent<'a>)> = placed
        .iter()
        .enumerate()
        .map(|(at, placed)| match batch(placed) {
            Some((run, of, topic)) => {
                let began = first.get(&(run, of)).copied().unwrap_or(at);
                (began, topic, at, placed)
            }
            None => (at, "", at, placed),
        })
        .collect();
    ordered.sort_by_key(|(began, topic, at, _)| (*began, *topic, *at));
    ordered.into_iter().map(|(.., placed)| placed).collect()
}

#[derive(Default)]
struct GuardFolder {
    fold: GuardFold,
    /// Index of the guardrail of each id, including merged ones.
    places: HashMap<GuardId, usize>,
    /// Index of the guardrail of each intent, by its normal form.
    intents: HashMap<String, usize>,
}

impl GuardFolder {
    fn propose(&mut self, placed: &PlacedGuardEvent<'_>) {
        let GuardEvent::GuardProposed {
            id,
            text,
            origin,
            derived,
            at,
        } = placed.event
        else {
            return;
        };
        if self.places.contains_key(id) {
            self.fold.misfits.push(GuardMisfit::ProposedTwice {
                journal: placed.journal.to_owned(),
                line: placed.line,
                id: id.clone(),
            });
            return;
        }
        let form = normal_form(&text.intent);
        if let Some(place) = self.intents.get(&form).copied()
            && let Some(guard) = self.fold.guards.get_mut(place)
        {
            self.places.insert(id.clone(), place);
            merge(guard, id, text, origin.as_ref());
            return;
        }
        let place = self.fold.guards.len();
        self.places.insert(id.clone(), place);
        self.intents.insert(form, place);
        self.fold.guards.push(Guard {
            id: id.clone(),
            intent: text.intent.clone(),
            examples: text.examples.clone(),
            origins: origin.iter().cloned().collect(),
            merged: Vec::new(),
            standing: GuardStatus::Proposed,
            revision: 0,
            disabled: false,
            deleted: false,
            at: at.clone(),
            versions: Vec::new(),
            derived: derived.as_deref().cloned(),
            tests: Vec::new(),
        });
    }

    fn change(&mut self, placed: &PlacedGuardEvent<'_>) {
        let id = match placed.event {
            GuardEvent::GuardProposed { .. } | GuardEvent::DerivationStarted { .. } => return,
            GuardEvent::DerivationUnparsed { origin, why, .. } => {
                self.fold.unparsed.push((origin.clone(), why.clone()));
                return;
            }
            GuardEvent::DerivationFailed { origin, why, .. } => {
                self.fold.failed.push((origin.clone(), why.clone()));
                return;
            }
            GuardEvent::GuardAccepted { id, .. }
            | GuardEvent::GuardRejected { id, .. }
            | GuardEvent::GuardReopened { id, .. }
            | GuardEvent::GuardEdited { id, .. }
            | GuardEvent::GuardDisabled { id, .. }
            | GuardEvent::GuardEnabled { id, .. }
            | GuardEvent::GuardDeleted { id, .. }
            | GuardEvent::GuardRestored { id, .. }
            | GuardEvent::GuardTested { id, .. } => id,
        };
        let place = self.places.get(id).copied();
        match place.and_then(|place| self.fold.guards.get_mut(place)) {
            Some(guard) => change(guard, placed.event),
            None => self.fold.misfits.push(GuardMisfit::Unknown {
                journal: placed.journal.to_owned(),
                line: placed.line,
                id: id.clone(),
            }),
        }
    }
}

fn merge(guard: &mut Guard, id: &GuardId, text: &GuardText, origin: Option<&EntryOrigin>) {
    guard.merged.push(id.clone());
    if let Some(origin) = origin
        && !guard.origins.contains(origin)
    {
        guard.origins.push(origin.clone());
    }
    for example in &text.examples {
        add_example(&mut guard.examples, example.clone());
    }
}

fn change(guard: &mut Guard, event: &GuardEvent) {
    match event {
        GuardEvent::GuardProposed { .. }
        | GuardEvent::DerivationStarted { .. }
        | GuardEvent::DerivationUnparsed { .. }
        | GuardEvent::DerivationFailed { .. } => {}
        GuardEvent::GuardAccepted { how, .. } => guard.standing = GuardStatus::Accepted(*how),
        GuardEvent::GuardRejected { .. } => guard.standing = GuardStatus::Rejected,
        GuardEvent::GuardReopened { .. } => guard.standing = GuardStatus::Proposed,
        GuardEvent::GuardEdited { text, at, .. } => {
            let before = GuardText {
                intent: std::mem::replace(&mut guard.intent, text.intent.clone()),
                examples: std::mem::replace(&mut guard.examples, text.examples.clone()),
            };
            guard.versions.push(GuardVersion {
                revision: guard.revision,
                text: before,
                at: std::mem::replace(&mut guard.at, at.clone()),
            });
            guard.revision = guard.revision.saturating_add(1);
            guard.standing = GuardStatus::Proposed;
        }
        GuardEvent::GuardDisabled { .. } => guard.disabled = true,
        GuardEvent::GuardEnabled { .. } => guard.disabled = false,
        GuardEvent::GuardDeleted { .. } => guard.deleted = true,
        GuardEvent::GuardRestored { .. } => guard.deleted = false,
        GuardEvent::GuardTested { report, .. } => guard.tests.push((**report).clone()),
    }
}

impl GuardEvent {
    /// Returns the time of the event, RFC 3339.
    pub fn at(&self) -> &str {
        at(self)
    }

    /// Returns the batch of the run in which it happened, if any.
    pub fn batch(&self) -> Option<u32> {
        match self {
            GuardEvent::GuardProposed { origin, .. } => origin.as_ref()?.batch,
            GuardEvent::GuardAccepted { batch, .. } => *batch,
            GuardEvent::DerivationStarted { .. }
            | GuardEvent::DerivationUnparsed { .. }
            | GuardEvent::DerivationFailed { .. }
            | GuardEvent::GuardRejected { .. }
            | GuardEvent::GuardReopened { .. }
            | GuardEvent::GuardEdited { .. }
            | GuardEvent::GuardDisabled { .. }
            | GuardEvent::GuardEnabled { .. }
            | GuardEvent::GuardDeleted { .. }
            | GuardEvent::GuardRestored { .. }
            | GuardEvent::GuardTested { .. } => None,
        }
    }
}

fn at(event: &GuardEvent) -> &str {
    match event {
        GuardEvent::GuardProposed { at, .. }
        | GuardEvent::DerivationStarted { at, .. }
        | GuardEvent::DerivationUnparsed { at, .. }
        | GuardEvent::DerivationFailed { at, .. }
        | GuardEvent::GuardAccepted { at, .. }
        | GuardEvent::GuardRejected { at, .. }
        | GuardEvent::GuardReopened { at, .. }
        | GuardEvent::GuardEdited { at, .. }
        | GuardEvent::GuardDisabled { at, .. }
        | GuardEvent::GuardEnabled { at, .. }
        | GuardEvent::GuardDeleted { at, .. }
        | GuardEvent::GuardRestored { at, .. }
        | GuardEvent::GuardTested { at, .. } => at,
    }
}

/// Returns a sort key: times as text do not sort correctly where fractions of a second differ in
/// length.
fn time_key(at: &str) -> (Option<Timestamp>, &str) {
    (at.parse().ok(), at)
}
