//! Tasks of prompt comparisons.

use super::ReportMessage;
use crate::tui::app::{Replies, Task};
use elenchus_run::drafts::prompt_ab::{AbNews, ComparisonSummary};
use elenchus_run::experiments::prompt_ab::list_comparisons;
use std::sync::Arc;

/// Lists the comparisons.
pub(super) fn read_comparison_list() -> Task {
    Task::new_blocking("list the comparisons", |services| {
        list_comparisons(&services.store.layout)
    })
}

/// Goes on with a comparison in the background.
pub(super) fn resume_comparison(id: String) -> Task {
    Task::new_stream(
        "go on with a comparison",
        move |services, replies| async move {
            if !services.comparisons.is_playing(&id)
                && let Err(why) = services.resume_comparison(&id).await
            {
                return replies.send_message(ReportMessage::News(AbNews::Ended(Err(why))));
            }
            let send_news = |news| replies.send_message(ReportMessage::News(news));
            services.comparisons.follow_comparison(&id, send_news).await;
        },
    )
}

/// Starts no more samples of a comparison.
pub(super) fn stop_comparison(id: String) -> Task {
    Task::new_stream(
        "stop a comparison",
        |services, _: Replies<ReportMessage>| async move {
            services.comparisons.stop_comparison(&id);
        },
    )
}

/// Reads a comparison, and follows it while it is played here.
pub(super) fn read_comparison(id: String) -> Task {
    Task::new_stream("read a comparison", move |services, replies| async move {
        if services.comparisons.is_playing(&id) {
            let send_news = |news| replies.send_message(ReportMessage::News(news));
            return services.comparisons.follow_comparison(&id, send_news).await;
        }
        let store = services.store.clone();
        let read = tokio::task::spawn_blocking(move || ComparisonSummary::read(&store, &id));
        if let Ok(read) = read.await {
            let news = AbNews::Compared(read.map(Arc::new));
            replies.send_message(ReportMessage::News(news));
        }
    })
}
