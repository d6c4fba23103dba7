//! Derivation of a guardrail from a finished session, on request.

use super::derivation::{DerivationEnd, DerivationSource, Workbench, derive};
use crate::engine::cost::Budget;
use crate::engine::seats::Seats;
use elenchus_game::debate::SessionId;
use elenchus_memory::{EntryKind, EntryOrigin, MemoryEntry, MemoryFold};
use elenchus_records::library::Game;
use elenchus_records::library::Library;
use elenchus_records::workspace::Desk;
use elenchus_records::workspace::WorkspaceError;
use elenchus_records::workspace::memory::{MemoryBook, person_journal};
use elenchus_records::workspace::read_session;
use tokio_util::sync::CancellationToken;

/// Result of deriving a guardrail from a debate.
#[derive(Debug, Clone, PartialEq)]
pub enum DerivedFrom {
    /// The guardrail that the debate's lesson gave, alone or with others.
    Guardrail(Box<MemoryEntry>),
    /// It was derived before.
    Already(Box<MemoryEntry>),
    Unparsed(String),
    Failed(String),
    /// The ceiling is reached, or it was cancelled.
    NotSent,
}

/// Derives a guardrail from the lesson of a recorded debate, by the model that wrote the lesson.
///
/// # Errors
/// When the debate wrote no lesson of its own, no model sits on the feedback seat, or a journal cannot
/// be read or written.
pub async fn derive_guard(
    desk: &Desk,
    library: &Library,
    seats: &Seats,
    budget: &Budget,
    session: &SessionId,
    cancel: &CancellationToken,
) -> Result<(String, DerivedFrom), WorkspaceError> {
    let state = read_session(&desk.layout.session(session.as_str())?)?;
    let created = state.created().ok_or_else(|| no_lesson(session))?;
    let namespace = created.memory.namespace.clone();
    let game = Game::of_session(created)?.with_guardrails(library)?;
    let lesson =
        DerivationSource::from_session(session, &state, &game).ok_or_else(|| no_lesson(session))?;
    let journal = person_journal(&desk.layout, &namespace, &desk.person)?;
    let (layout, fsync) = (&desk.layout, &desk.fsync);
    let book = MemoryBook::open(layout, fsync, &namespace, &journal, None::<&str>)?;
    let known = |fold: &MemoryFold| {
        let mut guards = fold.of_kind(EntryKind::Guardrail);
        let found = guards.find(|guard| guard.taught_by(session.as_str()));
        found.cloned().map(Box::new)
    };
    if let Some(guard) = known(&book.guardrails()?) {
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
        DerivationEnd::NotSent => DerivedFrom::NotSent,
        DerivationEnd::Kept { .. } => {
            let fold = book.guardrails()?;
            let of = |found: &&(EntryOrigin, String)| found.0.session == session.as_str();
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

fn no_lesson(session: &SessionId) -> WorkspaceError {
    WorkspaceError::Invalid(format!(
        "session {session} wrote no lesson of its own by a model, and a guardrail is derived from one; \
         play a game with a feedback seat, as pred, and see that a turn was found unsafe"
    ))
}
