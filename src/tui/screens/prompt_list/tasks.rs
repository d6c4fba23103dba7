//! Task of the prompt list: the prompts there are, then what is known of their texts.

use super::Message;
use crate::tui::app::Task;
use elenchus_records::workspace::prompts::prompt_catalogue;
use elenchus_records::workspace::{Desk, StoreIndex};
use elenchus_run::drafts::PromptResults;
use std::sync::Arc;

pub(super) fn list() -> Task {
    Task::stream("list prompts", |services, replies| async move {
        let library = services.tools.library.clone();
        let listed = tokio::task::spawn_blocking(move || prompt_catalogue(&library));
        let Ok(listed) = listed.await else { return };
        replies.send(Message::Listed(Arc::new(listed)));
        let found = services.with_index(prompt_index, |_, index| PromptResults::read(index));
        if let Some(found) = found.await {
            let found = found.map(Arc::new).map_err(|error| error.to_string());
            replies.send(Message::Results(found));
        }
    })
}

fn prompt_index(desk: &Desk) -> StoreIndex {
    StoreIndex::read_prompts(&desk.layout).0
}
