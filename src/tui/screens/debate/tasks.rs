//! Tasks of the debate screen: what is written in the margin.

use super::Message;
use crate::tui::app::{Services, Task};
use elenchus_records::workspace::annotations::all_annotations;
use elenchus_records::workspace::annotations::{
    Annotation, AnnotationId, Annotations, write_annotation,
};
use elenchus_records::workspace::{Draft, WorkspaceError};
use tokio::task::spawn_blocking;

/// Writes in the person's margin; its draft is dropped once that is durable.
pub(super) fn save_annotation(mark: Annotation, draft: Option<String>) -> Task {
    Task::new_stream("annotate", |services, replies| async move {
        if let Some(result) = save_and_reload(&services, mark, draft).await.transpose() {
            replies.send_message(Message::Annotated(result));
        }
    })
}

/// Returns all annotations and the new one; `None` where reading them panicked.
async fn save_and_reload(
    services: &Services,
    mark: Annotation,
    draft: Option<String>,
) -> Result<Option<(Annotations, AnnotationId)>, WorkspaceError> {
    let mut book = services.annotations.lock().await;
    let result = write_annotation(&services.store, &mut book, mark).await;
    let annotation_id = result?;
    if let Some(place) = draft {
        let text = String::new();
        services.keep_draft(&Draft { place, text });
    }
    let store = services.store.clone();
    match spawn_blocking(move || all_annotations(&store)).await {
        Ok(all) => Ok(Some((all?, annotation_id))),
        Err(_) => Ok(None),
    }
}
