//! Tasks of prompt comparisons.

use super::ReportMessage;
use crate::tui::app::{Replies, Task};
use elenchus_run::drafts::prompt_ab::AbCard;
use elenchus_run::experiments::prompt_ab::list_comparisons;
use std::sync::Arc;

/// Lists the comparisons.
pub(super) fn list() -> Task {
    Task::blocking("list the comparisons", |services| {
        list_comparisons(&services.tools.desk.layout)
    })
}

/// Goes on with a comparison in the background.
pub(super) fn resume(id: String) -> Task {
    Task::stream(
        "go on with a comparison",
        move |services, replies| async move {
            if !services.comparisons.plays(&id)
                && let Err(why) = services.resume_comparison(&id).await
            {
                return replies.send(ReportMessage::Ended(Err(why)));
            }
            let tell = |news| replies.send(news);
            services.comparisons.follow(&id, tell).await;
        },
    )
}

/// Starts no more samples of a comparison.
pub(super) fn stop(id: String) -> Task {
    Task::stream(
        "stop a comparison",
        |services, _: Replies<ReportMessage>| async move {
            services.comparisons.stop(&id);
        },
    )
}

/// Reads a comparison, and follows it while it is played here.
pub(super) fn read(id: String) -> Task {
    Task::stream("read a comparison", move |services, replies| async move {
        if services.comparisons.plays(&id) {
            let tell = |news| replies.send(news);
            return services.comparisons.follow(&id, tell).await;
        }
        let desk = services.tools.desk.clone();
        let read = tokio::task::spawn_blocking(move || AbCard::read(&desk, &id));
        if let Ok(read) = read.await {
            let read = read.map(Arc::new).map_err(|error| error.to_string());
            replies.send(ReportMessage::Compared(read));
        }
    })
}
