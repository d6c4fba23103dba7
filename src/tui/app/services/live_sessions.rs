//! Sessions that this process plays: commands, forks and new debates for screens.

use super::{Services, unblinding};
use elenchus_game::debate::SessionId;
use elenchus_records::workspace::{Reopen, WorkspaceError};
use elenchus_run::engine::live::LiveCommand;
use elenchus_run::engine::{DebatePlan, ReadySession};
use elenchus_view::OpenedSession;
use std::sync::Arc;

/// A session that was made here, and whose lock is ours; an error in words.
pub type TakenSession = Result<(SessionId, Arc<OpenedSession>), WorkspaceError>;

impl Services {
    /// Gives a session back, once nothing is in flight.
    pub(in crate::tui::app) fn release_session(&self, id: SessionId) {
        if let Some(release_work) = self.live.release_session(self, id) {
            let services = self.clone();
            tokio::spawn(async move {
                let _goes_on = services.delay_exit().await;
                release_work.await;
            });
        }
    }
}

/// Copies a session's past so that something is open to change, takes the copy, and gives it commands once the
/// screen has learnt of it.
pub(crate) async fn fork_session(
    services: &Services,
    (parent, reopen): (SessionId, Reopen),
    then: Vec<LiveCommand>,
    deliver_result: impl FnOnce(TakenSession),
) {
    let fork_work = async {
        let ready = ReadySession::fork_session(&services.as_user().store, &parent, &reopen).await?;
        // It is shown at once, with the verdicts of its past.
        unblinding::record_opening(services, ready.id(), &ready.opened).await;
        services.live.open_session(&services.as_user(), ready)
    };
    let (fork, opened) = match fork_work.await {
        Ok(taken) => taken,
        Err(why) => return deliver_result(Err(why)),
    };
    // The screen learns of the fork before anything happens in it.
    deliver_result(Ok((fork.clone(), opened)));
    for command in then {
        let live = &services.live;
        live.send_command(&services.as_user(), fork.clone(), command, |_| ());
    }
}

/// Begins a debate and takes it.
pub(crate) async fn begin_debate(services: &Services, plan: DebatePlan) -> TakenSession {
    let ready = ReadySession::begin_debate(&services.as_user(), &services.defaults, &plan).await?;
    services.live.open_session(&services.as_user(), ready)
}
