//! Unblinding: what a person was shown is recorded before a label can be called blind.

use super::Services;
use crate::tui::theme::Role;
use elenchus_game::debate::SessionId;
use elenchus_game::debate::event::{Event, Record};
use elenchus_records::workspace::WorkspaceError;
use elenchus_records::workspace::annotations::{Revealing, Unblinding};
use elenchus_view::OpenedSession;
use std::collections::BTreeSet;
use std::sync::Arc;
use std::task::{Context, Poll, Waker};

/// Sessions whose verdicts appeared while they were played: the first of each unblinds.
#[derive(Default)]
pub(in crate::tui::app) struct ShownVerdicts(BTreeSet<SessionId>);

impl ShownVerdicts {
    /// Takes note of a verdict that appears on the screen.
    pub(in crate::tui::app) fn note_verdict(
        &mut self,
        services: &Services,
        session: &SessionId,
        record: &Record,
    ) {
        if matches!(record.event, Event::Judged(_)) && self.0.insert(session.clone()) {
            let (services, sessions) = (services.clone(), vec![session.clone()]);
            tokio::spawn(async move { record_view(&services, sessions).await });
        }
    }
}

/// Records what is listed of sessions, after earlier records are durable.
pub(crate) async fn record_listing(
    services: &Services,
    sessions: Vec<SessionId>,
    shown: BTreeSet<Unblinding>,
) -> Result<(), WorkspaceError> {
    let mut shown_here = services.shown_here.lock().await;
    let unblindings = sessions.into_iter();
    let unblindings: Vec<_> = unblindings
        .map(|session| (session, shown.clone()))
        .collect();
    shown_here.record(&services.store, &unblindings).await
}

/// Records that a person is shown a session's verdicts, where it has any.
pub(super) async fn record_opening(
    services: &Services,
    session: &SessionId,
    opened: &OpenedSession,
) {
    let sessions = opened.sessions_shown(session);
    if !sessions.is_empty() {
        record_view(services, sessions).await;
    }
}

/// Records the sessions that are shown, in its own time: nothing is labelled before that is durable. A failure
/// is said, since the annotator's unblinding would otherwise be unknown.
async fn record_view(services: &Services, sessions: Vec<SessionId>) {
    let mut shown_here = Arc::clone(&services.shown_here).lock_owned().await;
    let services = services.clone();
    tokio::spawn(async move {
        let all = sessions.into_iter();
        let unblindings: Vec<_> = all
            .map(|session| (session, Revealing::View.unblindings()))
            .collect();
        if let Err(why) = shown_here.record(&services.store, &unblindings).await {
            let why = format!("that you were shown verdicts is not recorded: {why}");
            services.show_message(Role::Error, why);
        }
    });
}

/// Records for the person, who gives their name now, what this workbench has shown.
pub(super) fn hand_over_shown(services: &Services) {
    let mut holding = Box::pin(Arc::clone(&services.shown_here).lock_owned());
    // Takes its place in the queue before the loop goes on: what is read for the new name waits.
    let first = holding
        .as_mut()
        .poll(&mut Context::from_waker(Waker::noop()));
    let services = services.clone();
    tokio::spawn(async move {
        let mut shown_here = match first {
            Poll::Ready(held) => held,
            Poll::Pending => holding.await,
        };
        if let Err(why) = shown_here.hand_over(&services.store).await {
            let name = &services.store.person;
            let why = format!("that {name} was shown verdicts here is not recorded: {why}");
            services.show_message(Role::Error, why);
        }
    });
}
