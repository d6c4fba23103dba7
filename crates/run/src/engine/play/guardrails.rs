//! Guardrails around a debate: retrieved before it, derived from its lesson after it.

use super::{Deriving, Play, StepResult, Table};
use crate::engine::guardrails::{DerivationSource, Workbench, derive};
use elenchus_game::debate::GuardsRetrieved;
use elenchus_game::debate::event::Event;
use elenchus_records::workspace::Session;
use elenchus_records::workspace::WorkspaceError;

/// Returns the guardrails nearest to the topic.
pub(super) async fn retrieve(table: Table<'_>, session: &Session) -> Result<Event, WorkspaceError> {
    let created = session.created()?;
    if let Some(given) = &created.memory.given_guards {
        return Ok(Event::GuardsRetrieved((**given).clone()));
    }
    let Some(book) = table.memory else {
        return Ok(Event::GuardsRetrieved(GuardsRetrieved {
            retriever: "none".to_owned(),
            candidates: Vec::new(),
            excluded: Vec::new(),
        }));
    };
    let ordered = book.retrieve_guards(created).await?;
    for notice in &ordered.notices {
        table.observer.noticed(notice);
    }
    Ok(Event::GuardsRetrieved(ordered.found))
}

impl Play<'_> {
    /// Begins to derive a guardrail from the lesson of a debate that is over, once.
    pub(crate) fn derive(&mut self, session: &Session) -> Result<(), WorkspaceError> {
        let memory = &session.created()?.memory;
        let stopping = self.paused || self.left || self.table.cancel.is_cancelled();
        let (Deriving::NotYet, Some(book), true, false) = (
            self.deriving,
            self.table.memory,
            memory.guards && memory.writes,
            stopping,
        ) else {
            return Ok(());
        };
        let known = book.guardrails()?.has_derived(session.id.as_str());
        let lesson = DerivationSource::from_session(&session.id, &session.state, &session.game);
        let lesson = lesson.filter(|_| !known);
        let Some(lesson) = lesson else {
            self.deriving = Deriving::Over;
            return Ok(());
        };
        self.deriving = Deriving::Now;
        let with = Workbench {
            clock: self.table.clock,
            seats: self.table.seats,
            budget: self.table.budget,
            book,
            cancel: self.table.cancel,
        };
        self.doing.push(Box::pin(async move {
            StepResult::Derived(derive(lesson, with).await)
        }));
        Ok(())
    }
}
