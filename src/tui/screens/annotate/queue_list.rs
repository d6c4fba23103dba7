//! List of annotation queues.

use super::{Annotate, annotate, say};
use crate::tui::app::{AnnotateDeed, Effect, QueueLine, Work};
use crate::tui::keys::Action;
use crate::tui::theme::Role;
use crate::tui::widgets::Moved;
use std::sync::Arc;

impl Annotate {
    /// Answers an action while a queue is being chosen.
    pub(super) fn choose(&mut self, action: Action) -> Vec<Effect> {
        if self.moved(action) == Moved::Yes {
            return Vec::new();
        }
        let chosen = self.rows.chosen().and_then(|at| self.queues.get(at));
        match (action, chosen) {
            (Action::Back, _) => vec![Effect::Leave],
            (Action::Open, Some(line)) => {
                let name = line.queue.clone();
                self.begin(name)
            }
            _ => Vec::new(),
        }
    }

    fn begin(&mut self, queue: String) -> Vec<Effect> {
        let work = Work::Queue(queue);
        self.work = Some(work.clone());
        self.empty = "reading what is to be labelled".to_owned();
        vec![annotate(AnnotateDeed::Open(work))]
    }

    /// Takes the queues there are; where there is one, it is opened.
    pub(super) fn take_queues(&mut self, queues: &Arc<Vec<QueueLine>>) -> Vec<Effect> {
        if self.work.is_some() {
            return Vec::new();
        }
        self.queues = Arc::clone(queues);
        self.rows.set_len(queues.len());
        match queues.as_slice() {
            [] => {
                self.empty = "there is no queue: 'elenchus labels queue NAME --sample N' draws one"
                    .to_owned();
                say(Role::Notice, "Esc goes back")
            }
            [only] => self.begin(only.queue.clone()),
            _ => {
                self.empty.clear();
                Vec::new()
            }
        }
    }
}
