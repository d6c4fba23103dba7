//! Tasks of the new-debate screen: what there is to choose from, what it costs, and beginning it.

use super::Message;
use crate::tui::app::{self, Task};
use elenchus_run::drafts::debate_draft::SetupTask;
use elenchus_run::engine::{self, DebatePlan};

/// Reads games and models, those that were configured meanwhile too, and again when servers have answered.
pub(super) fn read_library() -> Task {
    Task::new_stream("read the library", |services, replies| async move {
        let send_library = |library| {
            replies.send_message(Message::Library(library));
        };
        let services = services.with_models_of_now().await;
        engine::read_library(&services, &services.defaults, send_library).await;
    })
}

/// Looks for what was left last time, by its keys.
pub(super) fn find_drafts(topic: &'static str, form: &'static str) -> Task {
    Task::new_stream(
        "find what was being set out",
        move |services, replies| async move {
            let find = move || [form, topic].map(|place| services.find_draft(place));
            let [form, topic] = tokio::task::spawn_blocking(find).await.unwrap_or_default();
            let form = form.map(Message::FormDraft);
            for message in form.into_iter().chain(topic.map(Message::Draft)) {
                replies.send_message(message);
            }
            replies.send_message(Message::DraftsRead);
        },
    )
}

/// Reads or estimates what a debate is to be set out with.
pub(super) fn perform_setup(task: SetupTask) -> Task {
    Task::new_blocking(task.name(), move |services| {
        Message::Setup(task.perform(services, &services.defaults))
    })
}

/// Begins a debate and takes its lock.
pub(super) fn begin_debate(plan: DebatePlan) -> Task {
    Task::new_stream("begin the debate", |services, replies| async move {
        replies.send_message(Message::Begun(app::begin_debate(&services, plan).await));
    })
}
