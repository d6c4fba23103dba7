//! Task of the prompt list: the prompts there are, then what is known of their texts.

use super::Message;
use crate::tui::app::Task;
use elenchus_records::workspace::prompts::prompt_catalogue;
use elenchus_records::workspace::{StoreContext, StoreIndex};
use elenchus_run::drafts::{PromptResults, read_compared};
use std::sync::Arc;

pub(super) fn read_prompt_list() -> Task {
    Task::new_stream("list prompts", |services, replies| async move {
        let library = services.library.clone();
        let catalogue = tokio::task::spawn_blocking(move || prompt_catalogue(&library));
        let Ok(listed) = catalogue.await else { return };
        replies.send_message(Message::Listed(Arc::new(listed)));
        let results = services.with_index(prompt_index, |_, index| PromptResults::read(index));
        if let Some(found) = results.await {
            let results = found.map(Arc::new);
            replies.send_message(Message::Results(results));
        }
        // Last, as the samples of comparisons are read for it.
        let layout = services.store.layout.clone();
        let compared = tokio::task::spawn_blocking(move || read_compared(&layout));
        if let Ok(compared) = compared.await {
            replies.send_message(Message::Compared(Arc::new(compared)));
        }
    })
}

fn prompt_index(store: &StoreContext) -> StoreIndex {
    StoreIndex::read_prompts(&store.layout).0
}
