//! Tasks of screens: work in the background whose result comes back as a message of the screen that
//! asked for it, and to no other.

use super::broadcast::Broadcast;
use super::drawing::Dirty;
use super::effect::{Fork, Order};
use super::run_commands::RunEvent;
use super::services::{Services, Tools, fork_session, read_and_follow, record_listed};
use crate::tui::theme::Role;
use elenchus_game::debate::SessionId;
use elenchus_records::workspace::{Desk, Draft, StoreIndex};
use elenchus_run::experiments::BackgroundEvent;
use elenchus_view::{ExportAs, SessionUpdate, export_session};
use std::any::Any;
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
    /// Something for all screens.
    All(Broadcast),
}

impl Delivery {
    /// Returns how soon it is drawn.
    pub(super) fn dirty(&self) -> Dirty {
        match self {
            Delivery::Message { dirty, .. } => *dirty,
            Delivery::All(Broadcast::Run(RunEvent::Played(BackgroundEvent::Went(_)))) => {
                Dirty::Soon
            }
            Delivery::Say(..) | Delivery::All(_) => Dirty::Now,
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
    fn deliver(&mut self, message: AnyMessage) -> Vec<super::Effect>;
}

impl<S: Update> Deliver for S {
    fn deliver(&mut self, message: AnyMessage) -> Vec<super::Effect> {
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
    of: PhantomData<fn(M)>,
}

impl<M> Clone for Replies<M> {
    fn clone(&self) -> Self {
        Self::new(self.to, &self.services)
    }
}

impl<M> Replies<M> {
    fn new(to: ScreenId, services: &Services) -> Self {
        let (services, of) = (services.clone(), PhantomData);
        Self { to, services, of }
    }
}

impl<M: Send + 'static> Replies<M> {
    /// Sends a message; a screen that was closed drops it.
    pub fn send(&self, message: M) {
        self.deliver(Box::new(message), Dirty::Now);
    }

    /// Sends a piece of a stream, which is drawn with others.
    pub fn send_piece(&self, message: M) {
        self.deliver(Box::new(message), Dirty::Soon);
    }
}

impl<M> Replies<M> {
    fn deliver(&self, message: AnyMessage, dirty: Dirty) {
        let to = self.to;
        self.services
            .deliver(Delivery::Message { to, message, dirty });
    }
}

type Start = Box<dyn FnOnce(ScreenId, &Services) + Send>;

/// Work of any task, in a box: each type of future that is spawned is compiled with the runtime's code around it.
type Work = Pin<Box<dyn Future<Output = ()> + Send>>;
/// Work that may block, with its message.
type BlockingWork = Box<dyn FnOnce() -> AnyMessage + Send>;
/// Work on what is read of the store's index, with its message.
type IndexedWork = Box<dyn FnOnce(&Tools, &StoreIndex) -> AnyMessage + Send>;

/// Work that a screen wants done.
pub struct Task {
    name: &'static str,
    start: Start,
}

impl Task {
    /// Work with any number of messages.
    pub fn stream<M, F>(
        name: &'static str,
        work: impl FnOnce(Services, Replies<M>) -> F + Send + 'static,
    ) -> Self
    where
        M: Send + 'static,
        F: Future<Output = ()> + Send + 'static,
    {
        Self::begin(name, |to, services| {
            let work: Work = Box::pin(work(services.clone(), Replies::new(to, services)));
            tokio::spawn(work);
        })
    }

    fn begin(name: &'static str, start: impl FnOnce(ScreenId, &Services) + Send + 'static) -> Self {
        let start = Box::new(start);
        Self { name, start }
    }

    /// Work that reads or writes and may block; its result is the message.
    pub fn blocking<M: Send + 'static>(
        name: &'static str,
        work: impl FnOnce(&Services) -> M + Send + 'static,
    ) -> Self {
        Self::begin(name, |to, services| {
            let given = services.clone();
            let work: BlockingWork = Box::new(move || Box::new(work(&given)));
            tokio::spawn(answer_blocking(to, services.clone(), work));
        })
    }

    /// Work on what is read of the store's index; its result is the message.
    pub(crate) fn indexed<M: Send + 'static>(
        name: &'static str,
        read: fn(&Desk) -> StoreIndex,
        work: impl FnOnce(&Tools, &StoreIndex) -> M + Send + 'static,
    ) -> Self {
        Self::begin(name, move |to, services| {
            let work: IndexedWork = Box::new(|tools, index| Box::new(work(tools, index)));
            tokio::spawn(answer_indexed(to, services.clone(), read, work));
        })
    }

    /// Looks for a text that was not used at an earlier time: a message if there is one.
    pub(crate) fn find_draft<M: Send + 'static>(
        place: String,
        found: impl FnOnce(Draft) -> M + Send + 'static,
    ) -> Self {
        Self::stream("find a draft", |services, replies| async move {
            let read = tokio::task::spawn_blocking(move || services.find_draft(&place));
            if let Ok(Some(draft)) = read.await {
                replies.send(found(draft));
            }
        })
    }

    /// Records that verdicts of sessions are listed; a failure is said, since the annotator's unblinding would
    /// otherwise be unknown.
    pub(crate) fn record_listed(sessions: Vec<SessionId>) -> Self {
        let name = "record what is listed";
        Self::stream(name, |services, _: Replies<()>| async move {
            if let Err(why) = record_listed(&services, sessions).await {
                let text = format!("that you were shown verdicts is not recorded: {why}");
                services.say(Role::Error, text);
            }
        })
    }

    /// Reads a session, and follows it while another process drives it.
    pub(crate) fn read_session<M: Send + 'static>(
        session: SessionId,
        message: impl Fn(SessionUpdate) -> M + Send + Sync + 'static,
    ) -> Self {
        Self::stream("read a session", |services, replies| async move {
            let tell = |update| replies.send(message(update));
            read_and_follow(&services, session, tell).await;
        })
    }

    /// Writes a session's journal, or its transcript, to a file, and says where it is.
    pub(crate) fn export(session: SessionId, form: ExportAs, path: PathBuf) -> Self {
        Self::begin("export a session", move |_, services| {
            services.write_file(path, move |tools, path| {
                export_session(&tools.desk, &session, form, path)
            });
        })
    }

    /// Gives a session a command: commands are given in the order of their tasks.
    pub(super) fn order(order: Order) -> Self {
        Self::begin("give a command", |to, services| {
            let replies = Replies::<()>::new(to, services);
            let given = order.given;
            let given = move |result| replies.deliver(given(result), Dirty::Now);
            let live = &services.live;
            live.give(&services.tools, order.session, order.command, given);
        })
    }

    /// Makes a fork and gives it commands.
    pub(super) fn fork(fork: Fork) -> Self {
        Self::stream("fork", |services, replies: Replies<()>| async move {
            let made = |result| replies.deliver((fork.made)(result), Dirty::Now);
            fork_session(&services, (fork.parent, fork.reopen), fork.then, made).await;
        })
    }

    /// Starts the work; its messages go to a screen.
    pub(super) fn start(self, to: ScreenId, services: &Services) {
        (self.start)(to, services);
    }
}

async fn answer_blocking(to: ScreenId, services: Services, work: BlockingWork) {
    // What panicked has no result; the panic itself is in the log.
    if let Ok(message) = tokio::task::spawn_blocking(work).await {
        Replies::<()>::new(to, &services).deliver(message, Dirty::Now);
    }
}

async fn answer_indexed(
    to: ScreenId,
    services: Services,
    read: fn(&Desk) -> StoreIndex,
    work: IndexedWork,
) {
    if let Some(message) = services.with_index(read, work).await {
        Replies::<()>::new(to, &services).deliver(message, Dirty::Now);
    }
}

impl fmt::Debug for Task {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name)
    }
}
