//! Derivation of a guardrail from a finished session, on request.

use super::derivation::{DerivationEnd, DerivationSource, derive_guardrail, explain_no_guardrails};
use crate::engine::cost::Budget;
use crate::engine::play::Table;
use crate::engine::{NoObserver, NoPeople, RunContext};
use elenchus_game::debate::SessionId;
use elenchus_game::debate::event::ModelPlayer;
use elenchus_memory::{EntryKind, EntryOrigin, MemoryEntry, MemoryFold};
use elenchus_records::library::Game;
use elenchus_records::workspace::memory::{MemoryBook, person_journal};
use elenchus_records::workspace::read_session;
use elenchus_records::workspace::{WorkspaceError, reject};
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

/// Derives a guardrail from the lesson of a recorded debate, by `writer`; without one by the model that the
/// debate seats for it, or that wrote the lesson.
///
/// # Errors
/// When the debate wrote no lesson of its own, its seats learn for themselves, no model sits on the feedback
/// seat, the writer is simulated and the debate is not, or a journal cannot be read or written.
pub async fn derive_guard(
    run: &RunContext,
    (budget, cancel): (&Budget, &CancellationToken),
    session: &SessionId,
    writer: Option<&ModelPlayer>,
) -> Result<(String, DerivedFrom), WorkspaceError> {
    let store = &run.store;
    let state = read_session(&store.layout.session_path(session.as_str())?)?;
    let created = state
        .first_event()
        .ok_or_else(|| no_lesson_error(session))?;
    if let Some(why) = explain_no_guardrails(&created.protocol) {
        return reject(format!("session {session}: {why}"));
    }
    let namespace = created.memory.namespace.clone();
    let game = Game::from_created(created)?.with_guardrails(&run.library)?;
    let lesson = DerivationSource::from_session(session, &state, &game)
        .ok_or_else(|| no_lesson_error(session))?;
    let lesson = match writer {
        // What a simulated model writes is kept apart from what debates of real ones teach.
        Some(writer) if writer.simulated && !created.is_simulated() => {
            return reject(format!(
                "{} is simulated and session {session} is not: a guardrail of its would stand among real ones; \
                 name another model",
                writer.model
            ));
        }
        Some(writer) => lesson.with_player(writer.clone()),
        None => lesson,
    };
    // What is asked for now is bounded as what is written now.
    let lesson = lesson.with_most_examples(store.guardrail_examples);
    let journal = person_journal(&store.layout, &namespace, &store.person)?;
    let (layout, fsync) = (&store.layout, &store.fsync);
    let book = MemoryBook::open(layout, fsync, &namespace, &journal, None::<&str>)?;
    let find_guard = |fold: &MemoryFold| {
        let mut guards = fold.entries_of_kind(EntryKind::Guardrail);
        let taught_guard = guards.find(|guard| guard.has_origin(session.as_str()));
        taught_guard.cloned().map(Box::new)
    };
    if let Some(guard) = find_guard(&book.fold_guardrails()?) {
        return Ok((namespace, DerivedFrom::Already(guard)));
    }
    let table = Table {
        clock: store.clock,
        seats: &run.seats,
        budget,
        memory: Some(&book),
        swapped_rewards: None,
        observer: &NoObserver,
        people: &NoPeople,
        cancel,
    };
    let end = match derive_guardrail(lesson, &book, table).await? {
        DerivationEnd::NotSent => DerivedFrom::NotSent,
        DerivationEnd::Kept { .. } => {
            let fold = book.fold_guardrails()?;
            let is_own = |found: &&(EntryOrigin, String)| found.0.session == session.as_str();
            match find_guard(&fold) {
                Some(guard) => DerivedFrom::Guardrail(guard),
                None => match fold.unparsed.iter().rev().find(is_own) {
                    Some((_, why)) => DerivedFrom::Unparsed(why.clone()),
                    None => {
                        let failure = fold.failed.iter().rev().find(is_own);
                        DerivedFrom::Failed(
                            failure.map_or_else(String::new, |found| found.1.clone()),
                        )
                    }
                },
            }
        }
    };
    Ok((namespace, end))
}

fn no_lesson_error(session: &SessionId) -> WorkspaceError {
    WorkspaceError::Invalid(format!(
        "session {session} wrote no lesson of its own by a model, and a guardrail is derived from one; \
         play a game with a feedback seat, as pred, and see that a turn was found unsafe"
    ))
}
