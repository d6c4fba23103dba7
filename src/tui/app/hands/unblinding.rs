//! Unblinding: what a person was shown is recorded before a label can be called blind.

use super::{Hands, Sights, Tools};
use crate::debate::SessionId;
use crate::debate::event::{Event, Record};
use crate::engine::live::LiveEvent;
use crate::tui::app::services::Services;
use crate::tui::app::told::{Opened, Told};
use crate::workspace::Desk;
use crate::workspace::annotations::{Unblinding, annotator, record_unblinding};
use std::collections::BTreeSet;
use std::sync::Arc;
use tokio::sync::OwnedMutexGuard;
use tokio::sync::mpsc::UnboundedSender;

/// Hidden content that is revealed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Revealing {
    /// Verdicts of evaluators.
    Verdict,
    /// All of what the seat was shown.
    View,
}

impl Hands {
    /// Takes note of verdicts that appear on the screen while a debate is played, or with a fork of
    /// one: the first of each session unblinds.
    pub fn take_note(&mut self, told: &Told) {
        let judged = |record: &Record| matches!(record.event, Event::Judged(_));
        let session = match told {
            Told::Live(id, update) => match update.as_ref() {
                LiveEvent::Happened(record) if judged(record) => id,
                _ => return,
            },
            Told::Grew(id, records) if records.iter().any(judged) => id,
            Told::Forked {
                result: Ok((id, opened)),
                ..
            } => return self.take_note_of_fork(id, opened),
            _ => return,
        };
        if self.sighted.insert(session.clone()) {
            let sessions = vec![session.clone()];
            let services = self.services.clone();
            let tell = self.tell.clone();
            tokio::spawn(async move {
                let recording = Arc::clone(&services.sights).lock_owned().await;
                record_on(&services.tools, sessions, Revealing::View, &tell, recording);
            });
        }
    }

    /// A fork is shown at once, with the verdicts of its past, and is not opened before.
    fn take_note_of_fork(&self, fork: &SessionId, opened: &Arc<Opened>) {
        let (tools, tell) = (self.services.tools.clone(), self.tell.clone());
        let (fork, opened, sights) = (
            fork.clone(),
            opened.clone(),
            Arc::clone(&self.services.sights),
        );
        tokio::spawn(async move {
            record_sight(&tools, &fork, &opened, &tell, sights).await;
        });
    }
}

/// Records that verdicts of sessions are listed, after earlier records are durable.
pub(crate) async fn record_listed(
    services: &Services,
    sessions: Vec<SessionId>,
) -> Result<(), String> {
    let _recording = services.sights.lock().await;
    let seen = sessions.into_iter();
    let seen: Vec<_> = seen
        .map(|session| (session, reveals(Revealing::Verdict)))
        .collect();
    record(&services.tools.desk, &seen).await
}

/// Records that a person is shown a session's verdicts, once, where it has any.
pub(super) async fn record_sight(
    tools: &Tools,
    session: &SessionId,
    opened_session: &Opened,
    tell: &UnboundedSender<Told>,
    sights: Sights,
) {
    let who = annotator(&tools.desk.person);
    let known = opened_session.annotations.saw(&who, session);
    let all = reveals(Revealing::View);
    if known.is_superset(&all) || opened_session.state.verdicts().next().is_none() {
        return;
    }
    // What a fork shows of its past is its parents' as well.
    let mut sessions = opened_session.state.forked_from().to_vec();
    sessions.retain(|past| !opened_session.annotations.saw(&who, past).is_superset(&all));
    sessions.push(session.clone());
    let recording = sights.lock_owned().await;
    record_on(tools, sessions, Revealing::View, tell, recording);
}

/// Records the sessions that are shown; a failure is reported, since the annotator's unblinding
/// would otherwise be unknown.
fn record_on(
    tools: &Tools,
    sessions: Vec<SessionId>,
    what: Revealing,
    tell: &UnboundedSender<Told>,
    recording: OwnedMutexGuard<()>,
) {
    let (desk, tell) = (tools.desk.clone(), tell.clone());
    tokio::spawn(async move {
        let _recording = recording;
        let all = sessions.into_iter();
        let sights: Vec<_> = all.map(|session| (session, reveals(what))).collect();
        if let Err(why) = record(&desk, &sights).await {
            let why = format!("that you were shown verdicts is not recorded: {why}");
            let _ = tell.send(Told::Annotations(Err(why)));
        }
    });
}

/// Returns the unblinding that showing this causes.
pub(crate) fn reveals(what: Revealing) -> BTreeSet<Unblinding> {
    match what {
        Revealing::Verdict => BTreeSet::from([Unblinding::Verdict]),
        Revealing::View => BTreeSet::from([
            Unblinding::Verdict,
            Unblinding::Arm,
            Unblinding::Protocol,
            Unblinding::PromptVersion,
        ]),
    }
}

pub(crate) async fn record(
    desk: &Desk,
    sights: &[(SessionId, BTreeSet<Unblinding>)],
) -> Result<(), String> {
    let recorded = record_unblinding(desk, sights);
    recorded.await.map_err(|error| error.to_string())
}
