//! Guardrails around a debate: retrieved before it, derived from its lesson after it.

use super::{Deriving, Play, StepResult, Table};
use crate::engine::guardrails::{DerivationSource, derive_guardrail, explain_no_guardrails};
use elenchus_game::debate::GuardsRetrieved;
use elenchus_game::debate::event::Event;
use elenchus_records::workspace::Session;
use elenchus_records::workspace::WorkspaceError;

/// Returns the guardrails nearest to the topic.
pub(super) async fn retrieve_guards(
    table: Table<'_>,
    session: &Session,
) -> Result<Event, WorkspaceError> {
    let created = session.created()?;
    if let Some(fixed_guards) = &created.memory.given_guards {
        return Ok(Event::GuardsRetrieved((**fixed_guards).clone()));
    }
    let Some(book) = table.memory else {
        return Ok(Event::GuardsRetrieved(GuardsRetrieved {
            retriever: "none".to_owned(),
            candidates: Vec::new(),
            excluded: Vec::new(),
        }));
    };
    let retrieval = book.retrieve_guards(created).await?;
    for notice in &retrieval.notices {
        table.observer.on_notice(notice);
    }
    Ok(Event::GuardsRetrieved(retrieval.found))
}

impl Play<'_> {
    /// Begins to derive a guardrail from the lesson of a debate that is over, once.
    pub(crate) fn start_derivation(&mut self, session: &Session) -> Result<(), WorkspaceError> {
        let memory = &session.created()?.memory;
        let stopping = self.paused || self.person_left || self.table.cancel.is_cancelled();
        let (Deriving::NotYet, Some(book), true, false) = (
            self.deriving,
            self.table.memory,
            memory.guards && memory.writes,
            stopping,
        ) else {
            return Ok(());
        };
        let created = session.created()?;
        // A run says it once for all of its debates.
        if created.run.is_none()
            && let Some(why) = explain_no_guardrails(&created.protocol)
        {
            self.table.observer.on_notice(&why);
        }
        let has_guard = book.fold_guardrails()?.has_derivation(session.id.as_str());
        let lesson = DerivationSource::from_session(&session.id, &session.state, &session.game);
        let lesson = lesson.filter(|_| !has_guard);
        let Some(lesson) = lesson else {
            self.deriving = Deriving::Over;
            return Ok(());
        };
        self.deriving = Deriving::Now;
        let table = self.table;
        self.doing.push(Box::pin(async move {
            StepResult::Derived(derive_guardrail(lesson, book, table).await)
        }));
        Ok(())
    }
}
