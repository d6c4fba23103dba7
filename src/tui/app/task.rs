//! Tasks of screens: work in the background whose result comes back as a message of the screen that
//! asked for it, and to no other.

use super::broadcast::Broadcast;
use super::drawing::Dirty;
use super::effect::{Fork, Order};
use super::entry::ModelChoices;
use super::run_commands::RunEvent;
use super::services::{Services, fork_session, read_and_follow, record_listing};
use crate::tui::theme::Role;
use elenchus_game::debate::SessionId;
use elenchus_records::workspace::annotations::Unblinding;
use elenchus_records::workspace::{Draft, StoreContext, StoreIndex};
use elenchus_run::experiments::BackgroundEvent;
use elenchus_view::{ExportAs, SessionUpdate, export_session};
use std::any::Any;
use std::collections::BTreeSet;
use std::fmt;
use std::future::Future;
use std::marker::PhantomData;
use std::path::PathBuf;
use std::pin::Pin;

/// Identity of an open screen.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Default)]
pub struct ScreenId(u64);

impl ScreenId {
    /// Returns the identity of the next screen that is opened.
    pub(super) fn next(&mut self) -> Self {
        self.0 += 1;
        *self
    }
}

/// Message of a screen, of a type that only the screen knows.
pub type AnyMessage = Box<dyn Any + Send>;

/// What work in the background has for the workbench.
pub enum Delivery {
    /// A message of the screen that asked for the work.
    Message {
        to: ScreenId,
        message: AnyMessage,
        dirty: Dirty,
    },
    /// Something for the status line.
    Say(Role, String),
    /// Other models are configured than there were.
    Models(Box<ModelChoices>),
    /// Something for all screens.
    All(Broadcast),
}

impl Delivery {
    /// Returns how soon it is drawn.
    pub(super) fn dirty(&self) -> Dirty {
        match self {
            Delivery::Message { dirty, .. } => *dirty,
            Delivery::All(Broadcast::Run(RunEvent::Played(BackgroundEvent::Progress(_)))) => {
                Dirty::Watched
            }
            Delivery::Say(..) | Delivery::Models(_) | Delivery::All(_) => Dirty::Now,
        }
    }
}

/// Takes in messages of one type; what an open screen is given comes from its own tasks.
pub trait Update {
    type Message: Send + 'static;

    fn update(&mut self, message: Self::Message) -> Vec<super::Effect>;
}

/// An [`Update`] whose type of messages is not known.
pub trait Deliver {
    fn deliver_message(&mut self, message: AnyMessage) -> Vec<super::Effect>;
}

impl<S: Update> Deliver for S {
    fn deliver_message(&mut self, message: AnyMessage) -> Vec<super::Effect> {
        match message.downcast() {
            Ok(message) => self.update(*message),
            // A screen that starts a task for another's messages hears nothing of it.
            Err(_) => Vec::new(),
        }
    }
}

/// Sends messages of a task to its screen.
pub struct Replies<M> {
    to: ScreenId,
    services: Services,
    message_type: PhantomData<fn(M)>,
}

impl<M> Clone for Replies<M> {
    fn clone(&self) -> Self {
        Self::new(self.to, &self.services)
    }
}

impl<M> Replies<M> {
    fn new(to: ScreenId, services: &Services) -> Self {
        let (services, message_type) = (services.clone(), PhantomData);
        Self {
            to,
            services,
            message_type,
        }
    }
}

impl<M: Send + 'static> Replies<M> {
    /// Sends a message; a screen that was closed drops it.
    pub fn send_message(&self, message: M) {
        self.deliver_message(Box::new(message), Dirty::Now);
    }

    /// Sends a piece of a stream, which is drawn with others.
    pub fn send_piece(&self, message: M) {
        self.deliver_message(Box::new(message), Dirty::Soon);
    }
}

impl<M> Replies<M> {
    fn deliver_message(&self, message: AnyMessage, dirty: Dirty) {
        let to = self.to;
        self.services
            .send_delivery(Delivery::Message { to, message, dirty });
    }
}

type Start = Box<dyn FnOnce(ScreenId, &Services) + Send>;

/// Work of any task, in a box: each type of future that is spawned is compiled with the runtime's code around it.
type Work = Pin<Box<dyn Future<Output = ()> + Send>>;
/// Work that may block, with its message.
type BlockingWork = Box<dyn FnOnce() -> AnyMessage + Send>;
/// Work on what is read of the store's index, with its message.
type IndexedWork = Box<dyn FnOnce(&Services, &StoreIndex) -> AnyMessage + Send>;

/// Work that a screen wants done.
pub struct Task {
    name: &'static str,
    start: Start,
}

impl Task {
    /// Work with any number of messages.
    pub fn new_stream<M, F>(
        name: &'static str,
        work: impl FnOnce(Services, Replies<M>) -> F + Send + 'static,
    ) -> Self
    where
        M: Send + 'static,
        F: Future<Output = ()> + Send + 'static,
    {
        Self::new(name, |to, services| {
            let work: Work = Box::pin(work(services.clone(), Replies::new(to, services)));
            tokio::spawn(work);
        })
    }

    fn new(name: &'static str, start: impl FnOnce(ScreenId, &Services) + Send + 'static) -> Self {
        let start = Box::new(start);
        Self { name, start }
    }

    /// Work that reads or writes and may block; its result is the message.
    pub fn new_blocking<M: Send + 'static>(
        name: &'static str,
        work: impl FnOnce(&Services) -> M + Send + 'static,
    ) -> Self {
        Self::new(name, |to, services| {
            let task_services = services.clone();
            let work: BlockingWork = Box::new(move || Box::new(work(&task_services)));
            tokio::spawn(run_blocking(to, services.clone(), work));
        })
    }

    /// Work on what is read of the store's index; its result is the message.
    pub(crate) fn new_with_index<M: Send + 'static>(
        name: &'static str,
        read: fn(&StoreContext) -> StoreIndex,
        work: impl FnOnce(&Services, &StoreIndex) -> M + Send + 'static,
    ) -> Self {
        Self::new(name, move |to, services| {
            let work: IndexedWork = Box::new(|services, index| Box::new(work(services, index)));
            tokio::spawn(run_with_index(to, services.clone(), read, work));
        })
    }

    /// Looks for a text that was not used at an earlier time: a message if there is one.
    pub(crate) fn find_draft<M: Send + 'static>(
        place: String,
        to_message: impl FnOnce(Draft) -> M + Send + 'static,
    ) -> Self {
        Self::new_stream("find a draft", |services, replies| async move {
            let read = tokio::task::spawn_blocking(move || services.find_draft(&place));
            if let Ok(Some(draft)) = read.await {
                replies.send_message(to_message(draft));
            }
        })
    }

    /// Records what is listed of sessions; a failure is said, since the annotator's unblinding would otherwise be
    /// unknown.
    pub(crate) fn record_listing(sessions: Vec<SessionId>, shown: BTreeSet<Unblinding>) -> Self {
        let name = "record what is listed";
        Self::new_stream(name, |services, _: Replies<()>| async move {
            if let Err(why) = record_listing(&services, sessions, shown).await {
                let text = format!("that you were shown verdicts is not recorded: {why}");
                services.show_message(Role::Error, text);
            }
        })
    }

    /// Reads a session, and follows it while another process drives it.
    pub(crate) fn read_session<M: Send + 'static>(
        session: SessionId,
        message: impl Fn(SessionUpdate) -> M + Send + Sync + 'static,
    ) -> Self {
        Self::new_stream("read a session", |services, replies| async move {
            let tell = |update| replies.send_message(message(update));
            read_and_follow(&services, session, tell).await;
        })
    }

    /// Writes a session's journal, or its transcript, to a file, and says where it is.
    pub(crate) fn export_to_file(session: SessionId, form: ExportAs, path: PathBuf) -> Self {
        Self::new("export a session", move |_, services| {
            services.write_file(path, move |services, path| {
                export_session(&services.store, &session, form, path)
            });
        })
    }

    /// Gives a session a command: commands are given in the order of their tasks.
    pub(super) fn give_command(order: Order) -> Self {
        Self::new("give a command", |to, services| {
            let replies = Replies::<()>::new(to, services);
            let to_message = order.to_message;
            let deliver_result =
                move |result| replies.deliver_message(to_message(result), Dirty::Now);
            let live = &services.live;
            live.send_command(
                &services.as_user(),
                order.session,
                order.command,
                deliver_result,
            );
        })
    }

    /// Makes a fork and gives it commands.
    pub(super) fn make_fork(fork: Fork) -> Self {
        Self::new_stream("fork", |services, replies: Replies<()>| async move {
            let deliver_result =
                |result| replies.deliver_message((fork.to_message)(result), Dirty::Now);
            fork_session(
                &services,
                (fork.parent, fork.reopen),
                fork.then,
                deliver_result,
            )
            .await;
        })
    }

    /// Starts the work; its messages go to a screen.
    pub(super) fn start(self, to: ScreenId, services: &Services) {
        (self.start)(to, services);
    }
}

async fn run_blocking(to: ScreenId, services: Services, work: BlockingWork) {
    // What panicked has no result; the panic itself is in the log.
    if let Ok(message) = tokio::task::spawn_blocking(work).await {
        Replies::<()>::new(to, &services).deliver_message(message, Dirty::Now);
    }
}

async fn run_with_index(
    to: ScreenId,
    services: Services,
    read: fn(&StoreContext) -> StoreIndex,
    work: IndexedWork,
) {
    if let Some(message) = services.with_index(read, work).await {
        Replies::<()>::new(to, &services).deliver_message(message, Dirty::Now);
    }
}

impl fmt::Debug for Task {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name)
    }
}
