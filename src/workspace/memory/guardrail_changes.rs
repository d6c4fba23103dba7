//! Guardrails of a namespace as a person reads and changes them.

use super::change::person_journal;
use super::guardrails::{GuardBook, fold_writers, read_guards};
use crate::debate::Author;
use crate::memory::{
    Guard, GuardAcceptance, GuardEvent, GuardFold, GuardId, GuardReport, GuardStatus, GuardText,
};
use crate::store::{Layout, TailNotice};
use crate::workspace::desk::Desk;
use crate::workspace::error::WorkspaceError;

/// Begins the ids of guardrails that people wrote.
const WRITTEN: &str = "written-";

/// The guardrails of a namespace, as they are now.
#[derive(Debug, Clone)]
pub struct NamespaceGuards {
    pub fold: GuardFold,
    /// Incomplete last lines, which are left out.
    pub notices: Vec<TailNotice>,
}

impl NamespaceGuards {
    /// Reads them.
    ///
    /// # Errors
    /// When a journal cannot be read; file and line are named.
    pub fn read(layout: &Layout, namespace: &str) -> Result<Self, WorkspaceError> {
        let (writers, notices) = read_guards(layout, namespace)?;
        Ok(Self {
            fold: fold_writers(&writers),
            notices,
        })
    }

    /// Finds a guardrail by its id, or by the beginning or end of one.
    ///
    /// # Errors
    /// When there is none, or several.
    pub fn find(&self, text: &str) -> Result<&Guard, WorkspaceError> {
        if let Some(guard) = self.fold.find(text) {
            return Ok(guard);
        }
        let fits = |guard: &&Guard| guard.id.0.starts_with(text) || guard.id.0.ends_with(text);
        let found: Vec<&Guard> = match text {
            "" => Vec::new(),
            _ => self.fold.guards.iter().filter(fits).collect(),
        };
        match found.as_slice() {
            [only] => Ok(only),
            [] => Err(WorkspaceError::NoSuch {
                what: "guardrail",
                id: text.to_owned(),
                list: "elenchus memory guardrails list",
            }),
            [_, ..] => Err(WorkspaceError::Ambiguous {
                what: "guardrail",
                id: text.to_owned(),
                count: found.len(),
            }),
        }
    }
}

/// Change of a guardrail.
#[derive(Debug, Clone, PartialEq)]
pub enum GuardChange {
    Add(GuardText),
    Accept(GuardId, GuardAcceptance),
    Reject(GuardId),
    /// Takes an acceptance or a rejection back.
    Reopen(GuardId),
    Edit(GuardId, GuardText),
    Disable(GuardId),
    Enable(GuardId),
    Delete(GuardId),
    Restore(GuardId),
    /// Keeps the report of a benchmark.
    Tested(GuardId, Box<GuardReport>),
}

/// Result of a change.
#[derive(Debug, Clone, PartialEq)]
pub struct ChangedGuard {
    /// The guardrail as it is now.
    pub guard: Guard,
    /// Change that undoes it; `None` where nothing was written, or a test was kept.
    pub undo: Option<GuardChange>,
    /// It was so already, and nothing was written.
    pub already: bool,
    /// Repairs made when the journal was opened.
    pub notices: Vec<TailNotice>,
}

/// Makes a change, durable when this returns. Runs that have begun do not see it.
///
/// # Errors
/// When there is no such guardrail, a deleted one is to be changed, one without a test is accepted by
/// hand, another process writes as the same person, or a journal cannot be read or written.
pub async fn change_guard(
    desk: &Desk,
    namespace: &str,
    change: GuardChange,
) -> Result<ChangedGuard, WorkspaceError> {
    let shelf = NamespaceGuards::read(&desk.layout, namespace)?;
    let at = desk.clock.now();
    let id = match &change {
        GuardChange::Add(_) => GuardId(format!("{WRITTEN}{}", desk.clock.fresh_id())),
        GuardChange::Accept(id, _)
        | GuardChange::Reject(id)
        | GuardChange::Reopen(id)
        | GuardChange::Edit(id, _)
        | GuardChange::Disable(id)
        | GuardChange::Enable(id)
        | GuardChange::Delete(id)
        | GuardChange::Restore(id)
        | GuardChange::Tested(id, _) => shelf.find(&id.0)?.id.clone(),
    };
    let before = shelf.fold.find(&id.0);
    if let Some(guard) = before {
        check(guard, &change)?;
        if is_so(guard, &change) {
            return Ok(ChangedGuard {
                guard: guard.clone(),
                undo: None,
                already: true,
                notices: Vec::new(),
            });
        }
    }
    let undo = undo(&id, before, &change);
    let event = event(id.clone(), change, at);
    let journal = person_journal(&desk.person);
    let (layout, fsync) = (&desk.layout, &desk.fsync);
    let book = GuardBook::open(layout, fsync, namespace, &journal, None)?;
    let by = Author::Person(desk.person.clone()).to_string();
    let notices = book.add(&by, vec![event]).await?;
    let guard = book.fold().find(&id.0).cloned();
    let guard = guard.ok_or_else(|| WorkspaceError::NoSuch {
        what: "guardrail",
        id: id.to_string(),
        list: "elenchus memory guardrails list",
    })?;
    Ok(ChangedGuard {
        guard,
        undo,
        already: false,
        notices,
    })
}

fn check(guard: &Guard, change: &GuardChange) -> Result<(), WorkspaceError> {
    let id = &guard.id;
    match change {
        GuardChange::Accept(_, GuardAcceptance::ByHand) if guard.report().is_none() => {
            return Err(WorkspaceError::Invalid(format!(
                "guardrail {id} was not tested on prompts that must not be refused, or was changed since: \
                 'elenchus memory guardrails test {id} --dataset xstest:FILE' does that; --untested accepts it as it is"
            )));
        }
        GuardChange::Accept(..) | GuardChange::Edit(..) if guard.deleted => {
            return Err(WorkspaceError::Invalid(format!(
                "guardrail {id} is deleted; restore it before you change it"
            )));
        }
        GuardChange::Add(_)
        | GuardChange::Accept(..)
        | GuardChange::Reject(_)
        | GuardChange::Reopen(_)
        | GuardChange::Edit(..)
        | GuardChange::Disable(_)
        | GuardChange::Enable(_)
        | GuardChange::Delete(_)
        | GuardChange::Restore(_)
        | GuardChange::Tested(..) => {}
    }
    Ok(())
}

fn is_so(guard: &Guard, change: &GuardChange) -> bool {
    match change {
        GuardChange::Add(_) | GuardChange::Tested(..) => false,
        GuardChange::Accept(_, how) => guard.standing == GuardStatus::Accepted(*how),
        GuardChange::Reject(_) => guard.standing == GuardStatus::Rejected,
        GuardChange::Reopen(_) => guard.standing == GuardStatus::Proposed,
        GuardChange::Edit(_, text) => {
            guard.intent == text.intent && guard.examples == text.examples
        }
        GuardChange::Disable(_) => guard.disabled,
        GuardChange::Enable(_) => !guard.disabled,
        GuardChange::Delete(_) => guard.deleted,
        GuardChange::Restore(_) => !guard.deleted,
    }
}

/// Returns the change that undoes another. A text that is brought back is a new version: what was accepted or
/// tested was the version before.
fn undo(id: &GuardId, before: Option<&Guard>, change: &GuardChange) -> Option<GuardChange> {
    let id = id.clone();
    let standing = |guard: &Guard, id| match guard.standing {
        GuardStatus::Proposed => GuardChange::Reopen(id),
        GuardStatus::Accepted(how) => GuardChange::Accept(id, how),
        GuardStatus::Rejected => GuardChange::Reject(id),
    };
    match change {
        GuardChange::Add(_) => Some(GuardChange::Delete(id)),
        GuardChange::Accept(..) | GuardChange::Reject(_) | GuardChange::Reopen(_) => {
            before.map(|guard| standing(guard, id))
        }
        GuardChange::Edit(..) => before.map(|guard| {
            let text = GuardText {
                intent: guard.intent.clone(),
                examples: guard.examples.clone(),
            };
            GuardChange::Edit(id, text)
        }),
        GuardChange::Disable(_) => Some(GuardChange::Enable(id)),
        GuardChange::Enable(_) => Some(GuardChange::Disable(id)),
        GuardChange::Delete(_) => Some(GuardChange::Restore(id)),
        GuardChange::Restore(_) => Some(GuardChange::Delete(id)),
        GuardChange::Tested(..) => None,
    }
}

fn event(id: GuardId, change: GuardChange, at: String) -> GuardEvent {
    match change {
        GuardChange::Add(text) => GuardEvent::GuardProposed {
            id,
            text,
            origin: None,
            derived: None,
            at,
        },
        GuardChange::Accept(_, how) => GuardEvent::GuardAccepted {
            id,
            how,
            batch: None,
            at,
        },
        GuardChange::Reject(_) => GuardEvent::GuardRejected { id, at },
        GuardChange::Reopen(_) => GuardEvent::GuardReopened { id, at },
        GuardChange::Edit(_, text) => GuardEvent::GuardEdited { id, text, at },
        GuardChange::Disable(_) => GuardEvent::GuardDisabled { id, at },
        GuardChange::Enable(_) => GuardEvent::GuardEnabled { id, at },
        GuardChange::Delete(_) => GuardEvent::GuardDeleted { id, at },
        GuardChange::Restore(_) => GuardEvent::GuardRestored { id, at },
        GuardChange::Tested(_, report) => GuardEvent::GuardTested { id, report, at },
    }
}
