//! Work of the memory screen in the background, and what came of it.

use super::Memory;
use crate::tui::app::{Effect, Task, Update, tell};
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
        let effects = self.take(message);
        self.settle_page();
        effects
    }
}

impl Memory {
    fn take(&mut self, message: Message) -> Vec<Effect> {
        match message {
            Message::News(news) => tell(news.take_into(&mut self.memory)),
            Message::Replicates(message) => {
                let chosen = self.memory.chosen().map(|entry| &entry.id);
                self.replicates.update(message, chosen)
            }
            Message::Act(message) => {
                let is_changed = matches!(message, EntryActMessage::Changed(Ok(_)));
                let again = is_changed.then(|| read(self.memory.namespace()));
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
        let chosen = self.memory.chosen().map(|entry| &entry.id);
        let results = self.replicates.items(chosen);
        self.page.change(self.memory.page(self.content, results));
    }
}

/// Reads a namespace, or the one that a newcomer wants to see.
pub(super) fn read(namespace: Option<&str>) -> Effect {
    let namespace = namespace.map(str::to_owned);
    Effect::Start(Task::indexed(
        "read memory",
        memory_index,
        move |tools, index| Message::News(read_memory(tools, index, namespace.as_deref())),
    ))
}

/// Asks something about what was read.
pub(super) fn query(read: &Arc<ReadNamespace>, query: MemoryQuery) -> Effect {
    let (read, name) = (
        Arc::clone(read),
        match &query {
            MemoryQuery::Search(..) => "search memory",
            MemoryQuery::Topic(..) => "preview memory for a topic",
            MemoryQuery::Uses(_) => "read the uses of an entry",
        },
    );
    Effect::Start(Task::blocking(name, move |services| {
        Message::News(query.answer(&services.tools, &read))
    }))
}
