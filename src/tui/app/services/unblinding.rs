//! Unblinding: what a person was shown is recorded before a label can be called blind.

use super::{Opened, Services};
use crate::debate::SessionId;
use crate::debate::event::{Event, Record};
use crate::tui::theme::Role;
use crate::workspace::Desk;
use crate::workspace::annotations::{Unblinding, annotator, record_unblinding};
use std::collections::BTreeSet;
use std::sync::Arc;

/// Hidden content that is revealed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Revealing {
    /// Verdicts of evaluators.
    Verdict,
    /// All of what the seat was shown.
    View,
}

/// Sessions whose verdicts appeared while they were played: the first of each unblinds.
#[derive(Default)]
pub(in crate::tui::app) struct ShownVerdicts(BTreeSet<SessionId>);

impl ShownVerdicts {
    /// Takes note of a verdict that appears on the screen.
    pub(in crate::tui::app) fn note(
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
pub(super) async fn record_shown(services: &Services, session: &SessionId, opened: &Opened) {
    let who = annotator(&services.tools.desk.person);
    let known = opened.annotations.saw(&who, session);
    let all = reveals(Revealing::View);
    if known.is_superset(&all) || opened.state.verdicts().next().is_none() {
        return;
    }
    // What a fork shows of its past is its parents' as well.
    let mut sessions = opened.state.forked_from().to_vec();
    sessions.retain(|past| !opened.annotations.saw(&who, past).is_superset(&all));
    sessions.push(session.clone());
    record_view(services, sessions).await;
}

/// Records the sessions that are shown, in its own time: nothing is labelled before that is durable. A failure
/// is said, since the annotator's unblinding would otherwise be unknown.
async fn record_view(services: &Services, sessions: Vec<SessionId>) {
    let recording = Arc::clone(&services.sights).lock_owned().await;
    let services = services.clone();
    tokio::spawn(async move {
        let _recording = recording;
        let all = sessions.into_iter();
        let sights: Vec<_> = all
            .map(|session| (session, reveals(Revealing::View)))
            .collect();
        if let Err(why) = record(&services.tools.desk, &sights).await {
            let why = format!("that you were shown verdicts is not recorded: {why}");
            services.say(Role::Error, why);
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
