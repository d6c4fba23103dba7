//! What a person does with guardrails: look them up, change them, derive one from a finished debate.

use super::budget::Budget;
use super::derive::{Derived, Lesson, Workbench, derive};
use super::desk::Desk;
use super::error::DriverError;
use super::game::Game;
use super::guard_book::{GuardBook, fold_writers, read_guards};
use super::library::Library;
use super::memory_desk::person_journal;
use super::seats::Seats;
use super::session::read_session;
use crate::debate::{Author, SessionId};
use crate::memory::{
    Acceptance, Guard, GuardEvent, GuardFold, GuardId, GuardReport, GuardText, Standing,
};
use crate::store::{Layout, Notice};
use tokio_util::sync::CancellationToken;

/// Begins the ids of guardrails that people wrote.
const WRITTEN: &str = "written-";

/// The guardrails of a namespace, as they are now.
#[derive(Debug, Clone)]
pub struct GuardShelf {
    pub fold: GuardFold,
    /// Incomplete last lines, which are left out.
    pub notices: Vec<Notice>,
}

impl GuardShelf {
    /// Reads them.
    ///
    /// # Errors
    /// When a journal cannot be read; file and line are named.
    pub fn read(layout: &Layout, namespace: &str) -> Result<Self, DriverError> {
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
    pub fn find(&self, text: &str) -> Result<&Guard, DriverError> {
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
            [] => Err(DriverError::NoSuch {
                what: "guardrail",
                id: text.to_owned(),
                list: "elenchus memory guardrails list",
            }),
            [_, ..] => Err(DriverError::Ambiguous {
                what: "guardrail",
                id: text.to_owned(),
                count: found.len(),
            }),
        }
    }
}

/// What a person wants of a guardrail.
#[derive(Debug, Clone, PartialEq)]
pub enum GuardChange {
    Add(GuardText),
    Accept(GuardId, Acceptance),
    Reject(GuardId),
    /// Takes an acceptance or a rejection back.
    Reopen(GuardId),
    Edit(GuardId, GuardText),
    Disable(GuardId),
    Enable(GuardId),
    Delete(GuardId),
    Restore(GuardId),
    /// Keeps what a test came to.
    Tested(GuardId, Box<GuardReport>),
}

/// What came of a change.
#[derive(Debug, Clone, PartialEq)]
pub struct GuardChanged {
    /// The guardrail as it is now.
    pub guard: Guard,
    /// What takes it back; `None` where nothing was written, or a test was kept.
    pub undo: Option<GuardChange>,
    /// It was so already, and nothing was written.
    pub already: bool,
    /// What was mended when the journal was opened.
    pub notices: Vec<Notice>,
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
) -> Result<GuardChanged, DriverError> {
    let shelf = GuardShelf::read(&desk.layout, namespace)?;
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
            return Ok(GuardChanged {
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
    let guard = guard.ok_or_else(|| DriverError::NoSuch {
        what: "guardrail",
        id: id.to_string(),
        list: "elenchus memory guardrails list",
    })?;
    Ok(GuardChanged {
        guard,
        undo,
        already: false,
        notices,
    })
}

fn check(guard: &Guard, change: &GuardChange) -> Result<(), DriverError> {
    let id = &guard.id;
    match change {
        GuardChange::Accept(_, Acceptance::ByHand) if guard.report().is_none() => {
            return Err(DriverError::Invalid(format!(
                "guardrail {id} was not tested on prompts that must not be refused, or was changed since: \
                 'elenchus memory guardrails test {id} --dataset xstest:FILE' does that; --untested accepts it as it is"
            )));
        }
        GuardChange::Accept(..) | GuardChange::Edit(..) if guard.deleted => {
            return Err(DriverError::Invalid(format!(
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
        GuardChange::Accept(_, how) => guard.standing == Standing::Accepted(*how),
        GuardChange::Reject(_) => guard.standing == Standing::Rejected,
        GuardChange::Reopen(_) => guard.standing == Standing::Proposed,
        GuardChange::Edit(_, text) => {
            guard.intent == text.intent && guard.examples == text.examples
        }
        GuardChange::Disable(_) => guard.disabled,
        GuardChange::Enable(_) => !guard.disabled,
        GuardChange::Delete(_) => guard.deleted,
        GuardChange::Restore(_) => !guard.deleted,
    }
}

/// What takes a change back. A text that is brought back is a new version: what was accepted or
/// tested was the version before.
fn undo(id: &GuardId, before: Option<&Guard>, change: &GuardChange) -> Option<GuardChange> {
    let id = id.clone();
    let standing = |guard: &Guard, id| match guard.standing {
        Standing::Proposed => GuardChange::Reopen(id),
        Standing::Accepted(how) => GuardChange::Accept(id, how),
        Standing::Rejected => GuardChange::Reject(id),
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

/// What came of deriving a guardrail from a debate.
#[derive(Debug, Clone, PartialEq)]
pub enum DerivedFrom {
    /// The guardrail that the debate's lesson gave, alone or with others.
    Guardrail(Box<Guard>),
    /// It was derived before.
    Already(Box<Guard>),
    Unparsed(String),
    Failed(String),
    /// The ceiling is reached, or somebody stopped it.
    NotSent,
}

/// Derives a guardrail from the lesson of a recorded debate, by the model that wrote the lesson.
///
/// # Errors
/// When the debate wrote no lesson of its own, nobody but a model may be asked, or a journal cannot
/// be read or written.
pub async fn derive_guard(
    desk: &Desk,
    library: &Library,
    seats: &Seats,
    budget: &Budget,
    session: &SessionId,
    cancel: &CancellationToken,
) -> Result<(String, DerivedFrom), DriverError> {
    let state = read_session(&desk.layout.session(session.as_str())?)?;
    let created = state.created().ok_or_else(|| no_lesson(session))?;
    let namespace = created.memory.namespace.clone();
    let game = Game::of_session(created)?.with_guardrails(library)?;
    let lesson = Lesson::of(session, &state, &game).ok_or_else(|| no_lesson(session))?;
    let journal = person_journal(&desk.person);
    let (layout, fsync) = (&desk.layout, &desk.fsync);
    let book = GuardBook::open(layout, fsync, &namespace, &journal, None)?;
    let known = |fold: &GuardFold| {
        let mut guards = fold.guards.iter();
        let found = guards.find(|guard| guard.taught_by(session.as_str()));
        found.cloned().map(Box::new)
    };
    if let Some(guard) = known(&book.fold()) {
        return Ok((namespace, DerivedFrom::Already(guard)));
    }
    let with = Workbench {
        clock: desk.clock,
        seats,
        budget,
        book: &book,
        cancel,
    };
    let came = match derive(lesson, with).await? {
        Derived::NotSent => DerivedFrom::NotSent,
        Derived::Kept { .. } => {
            let fold = book.fold();
            let of = |found: &&(crate::memory::Origin, String)| found.0.session == session.as_str();
            match known(&fold) {
                Some(guard) => DerivedFrom::Guardrail(guard),
                None => match fold.unparsed.iter().rev().find(of) {
                    Some((_, why)) => DerivedFrom::Unparsed(why.clone()),
                    None => {
                        let failed = fold.failed.iter().rev().find(of);
                        DerivedFrom::Failed(
                            failed.map_or_else(String::new, |found| found.1.clone()),
                        )
                    }
                },
            }
        }
    };
    Ok((namespace, came))
}

fn no_lesson(session: &SessionId) -> DriverError {
    DriverError::Invalid(format!(
        "session {session} wrote no lesson of its own by a model, and a guardrail is derived from one; \
         play a game with a feedback seat, as pred, and see that a turn was found unsafe"
    ))
}
