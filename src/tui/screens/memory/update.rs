//! Work of the memory screen in the background, and what came of it.

use super::Memory;
use crate::tui::app::{Effect, Task, Update, say_outcome};
use crate::tui::components::entry_acts::EntryActMessage;
use crate::tui::components::leave_one_out::ReplicatesMessage;
use crate::tui::widgets::Page;
use elenchus_run::engine::{MemoryNews, MemoryQuery, memory_index, read_memory};
use elenchus_view::memory::ReadNamespace;
use std::sync::Arc;

/// Result of a task of this screen.
pub enum Message {
    News(MemoryNews),
    Act(EntryActMessage),
    Replicates(ReplicatesMessage),
}

impl Update for Memory {
    type Message = Message;

    fn update(&mut self, message: Message) -> Vec<Effect> {
        let effects = self.handle_message(message);
        self.settle_page();
        effects
    }
}

impl Memory {
    fn handle_message(&mut self, message: Message) -> Vec<Effect> {
        match message {
            Message::News(news) => say_outcome(news.take_into(&mut self.memory)),
            Message::Replicates(message) => {
                let entry_id = self.memory.chosen_entry().map(|entry| &entry.id);
                self.replicates.update(message, entry_id)
            }
            Message::Act(message) => {
                let is_change = matches!(message, EntryActMessage::Changed(Ok(_)));
                let again = is_change.then(|| read_namespace(self.memory.namespace()));
                let effects = self.acts.update(message, &mut self.memory);
                again.into_iter().chain(effects).collect()
            }
        }
    }

    /// Makes the page of what is chosen; another one begins at its beginning.
    pub(super) fn settle_page(&mut self) {
        let subject = self.memory.page_subject();
        if subject != self.subject {
            self.page = Page::default();
            self.subject = subject;
        }
        let entry_id = self.memory.chosen_entry().map(|entry| &entry.id);
        let results = self.replicates.page_items(entry_id);
        self.page
            .set_items(self.memory.build_page(self.content, results));
    }
}

/// Reads a namespace, or the one that a newcomer wants to see.
pub(super) fn read_namespace(namespace: Option<&str>) -> Effect {
    let namespace = namespace.map(str::to_owned);
    Effect::Start(Task::new_with_index(
        "read memory",
        memory_index,
        move |services, index| Message::News(read_memory(services, index, namespace.as_deref())),
    ))
}

/// Asks something about what was read.
pub(super) fn start_query(read: &Arc<ReadNamespace>, query: MemoryQuery) -> Effect {
    let (read, name) = (
        Arc::clone(read),
        match &query {
            MemoryQuery::Search(..) => "search memory",
            MemoryQuery::Topic(..) => "preview memory for a topic",
            MemoryQuery::Uses(_) => "read the uses of an entry",
        },
    );
    Effect::Start(Task::new_blocking(name, move |services| {
        Message::News(query.answer(services, &services.defaults, &read))
    }))
}
