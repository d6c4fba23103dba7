//! Reading of sessions: that their verdicts are shown is recorded, and they are followed.

use super::{Services, ShownVerdicts, unblinding};
use elenchus_game::debate::SessionId;
use elenchus_view::{OpenedSession, SessionUpdate, follow_session};
use std::sync::Arc;

/// Reads a session, records that its verdicts are shown, and follows it while another process drives it.
pub(crate) async fn read_and_follow(
    services: &Services,
    id: SessionId,
    tell: impl Fn(SessionUpdate),
) {
    let (store, session) = (services.store.clone(), id.clone());
    let read = tokio::task::spawn_blocking(move || OpenedSession::read(&store, &session)).await;
    let (mut opened, tail) = match read {
        Ok(Ok(read)) => read,
        Ok(Err(why)) => return tell(SessionUpdate::Read(Err(why))),
        Err(_) => return,
    };
    if services.live.has_session(&id) {
        opened.driven_by = None;
    }
    let is_driven = opened.driven_by.is_some();
    if !opened.example {
        unblinding::record_opening(services, &id, &opened).await;
    }
    tell(SessionUpdate::Read(Ok(Arc::new(opened))));
    if is_driven {
        let mut shown_verdicts = ShownVerdicts::default();
        let follow = follow_session(tail, |update| {
            if let SessionUpdate::Grew(records) = &update {
                for record in records {
                    shown_verdicts.note_verdict(services, &id, record);
                }
            }
            tell(update);
        });
        services.closing.run_until_cancelled(follow).await;
    }
}
