//! Sessions that this process plays: commands, forks and new debates for screens.

use super::{Services, unblinding};
use elenchus_game::debate::SessionId;
use elenchus_records::workspace::Reopen;
use elenchus_run::engine::live::LiveCommand;
use elenchus_run::engine::{DebatePlan, ReadySession};
use elenchus_view::Opened;
use std::sync::Arc;

/// A session that was made here, and whose lock is ours; an error in words.
pub type TakenSession = Result<(SessionId, Arc<Opened>), String>;

impl Services {
    /// Gives a session back, once nothing is in flight.
    pub(in crate::tui::app) fn release(&self, id: SessionId) {
        if let Some(released) = self.live.release(&self.tools, id) {
            let services = self.clone();
            tokio::spawn(async move {
                let _goes_on = services.goes_on().await;
                released.await;
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
    made: impl FnOnce(TakenSession),
) {
    let ready = match ReadySession::forked(&services.tools, &parent, &reopen).await {
        Ok(ready) => ready,
        Err(why) => return made(Err(why)),
    };
    // It is shown at once, with the verdicts of its past.
    unblinding::record_shown(services, ready.id(), &ready.opened).await;
    let (fork, opened) = services.live.open(ready);
    // The screen learns of the fork before anything happens in it.
    made(Ok((fork.clone(), opened)));
    for command in then {
        let live = &services.live;
        live.give(&services.tools, fork.clone(), command, |_| ());
    }
}

/// Begins a debate and takes it.
pub(crate) async fn begin_debate(services: &Services, plan: DebatePlan) -> TakenSession {
    let ready = ReadySession::begun(&services.tools, &plan).await?;
    Ok(services.live.open(ready))
}
