//! Work of the session list in the background, and what came of it.

use super::Sessions;
use crate::tui::app::{Effect, TakenSession, Task, Update, release_free_memory, say_error};
use crate::tui::components::session_acts::ActMessage;
use crate::tui::components::session_lock::show_fork;
use crate::tui::components::session_search::SearchMessage;
use elenchus_annotation::{ListingPart, ListingSource};
use elenchus_game::debate::SessionId;
use elenchus_run::engine::describe_servers;

/// Result of a task of this screen.
pub enum Message {
    List(ListingPart),
    /// Reading the list is over.
    ListRead,
    /// The list is to be read again now.
    ListAgain,
    /// Servers that answer, and with which models.
    Servers(String),
    Search(SearchMessage),
    Forked(SessionId, TakenSession),
    Act(ActMessage),
}

impl Update for Sessions {
    type Message = Message;

    fn update(&mut self, message: Message) -> Vec<Effect> {
        match message {
            Message::List(ListingPart::Listed(Ok(listing))) => {
                self.list
                    .update_sessions(|known| known.apply_listing(*listing));
            }
            Message::List(ListingPart::Listed(Err(why))) => return say_error(why),
            Message::List(ListingPart::Summed(batch)) => {
                self.list
                    .update_sessions(|known| known.add_overviews(batch));
            }
            Message::ListRead => {
                self.list.drop_stale_marks();
                return self.reading.finish_read(Message::ListAgain);
            }
            Message::ListAgain => return self.read_list(),
            Message::Servers(line) => self.list.update_sessions(|known| known.set_servers(line)),
            Message::Search(message) => self.search.update(message, &mut self.list),
            Message::Forked(parent, made) => return show_fork(&parent, made),
            Message::Act(message) => {
                let is_over = matches!(message, ActMessage::PlayOver);
                let mut effects = self.acts.update(message, &mut self.list, &self.keys);
                if is_over {
                    effects.extend(self.read_list());
                }
                return effects;
            }
        }
        Vec::new()
    }
}

impl Sessions {
    /// Reads the list, once more where it is being read.
    pub(super) fn read_list(&mut self) -> Vec<Effect> {
        self.reading.start_read(read_list)
    }
}

/// Reads the list: its parts as they come, and `ListRead` in any case.
fn read_list() -> Task {
    Task::new_stream("list sessions", |services, replies| async move {
        let source = ListingSource {
            store: services.store.clone(),
            turns: services.index_turns.clone(),
            configured: services.configured.clone(),
            elsewhere: services.elsewhere.clone(),
            open_here: services.locked_sessions(),
        };
        source
            .read(|part| replies.send_message(Message::List(part)))
            .await;
        replies.send_message(Message::ListRead);
        // Nobody waits for it.
        tokio::task::spawn_blocking(release_free_memory);
    })
}

/// Asks servers whose lists of models are not known.
pub(super) fn ask_servers() -> Task {
    Task::new_stream("ask servers", |services, replies| async move {
        let services = services.with_models_of_now().await;
        let send_servers = |line| replies.send_message(Message::Servers(line));
        describe_servers(&services, &services.defaults, send_servers).await;
    })
}
