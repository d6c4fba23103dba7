//! Live session: the engine of `play`, controlled by commands instead of running to the end.
//!
//! One task owns the session and its lock and runs the one loop until its handle is closed or
//! dropped. It draws nothing, and uses no CPU while nothing happens.

mod answers;
mod coming_reply;
mod commands;
mod controller;
mod event_group;
mod idle;
mod inspection;
mod messages;
mod pending_texts;
mod preview;
mod preview_view;
mod rerolls;
mod step_to_send;
mod stepping;
mod stream_buffer;
mod turns;

pub use coming_reply::ComingReply;
pub(crate) use controller::Controller;
pub use event_group::{CallProgress, LiveGroup};
pub use inspection::{AnswerKey, Inspection, InspectionEffect, InspectionKeys};
pub use messages::{DeltaKind, IdleReason, LiveCommand, LiveEvent, MAX_REROLLS, Pace};
pub use pending_texts::{PendingTexts, Sent, SentWhat};
pub use preview::{Preview, PreviewRequest, PreviewUse, preview_step};
pub use step_to_send::StepToSend;
pub(crate) use stream_buffer::StreamBuffer;

use super::cost::Budget;
use super::observer::{Observer, People, PersonAnswer, PersonQuestion};
use super::play::{Table, play_with_commands};
use super::run_context::RunContext;
use super::seats::models_of;
use elenchus_game::debate::{Record, SessionId, State};
use elenchus_model::BoxFuture;
use elenchus_records::workspace::Session;
use elenchus_records::workspace::memory::MemoryBook;
use elenchus_store::TailNotice;
use futures_util::FutureExt;
use std::panic::AssertUnwindSafe;
use std::sync::Arc;
use tokio::sync::mpsc::{UnboundedSender, unbounded_channel};
use tokio::task::JoinHandle;
use tokio_util::sync::CancellationToken;

/// Context of an open session.
pub struct LiveTools {
    pub run: RunContext,
    pub budget: Arc<Budget>,
    /// Long-term memory, where the session reads or writes it.
    pub memory: Option<MemoryBook>,
}

/// Handle of an open session. Dropping it ends the session as [`close`](LiveHandle::close) does,
/// without waiting for it.
#[derive(Debug)]
pub struct LiveHandle {
    session: SessionId,
    commands: UnboundedSender<LiveCommand>,
    task: JoinHandle<()>,
}

/// Opens a session for control: it is idle until it gets a command. Must be called in a runtime.
pub fn open_session(
    session: Session,
    tools: LiveTools,
    events: UnboundedSender<(SessionId, LiveEvent)>,
) -> LiveHandle {
    let (commands, receiver) = unbounded_channel();
    let id = session.id.clone();
    let controller = Controller::new(id.clone(), receiver, events.clone());
    LiveHandle {
        session: id,
        commands,
        task: tokio::spawn(drive_session(session, tools, controller, events)),
    }
}

async fn drive_session(
    mut session: Session,
    tools: LiveTools,
    controller: Controller,
    events: UnboundedSender<(SessionId, LiveEvent)>,
) {
    let id = session.id.clone();
    let sender = EventSender {
        session: id,
        events,
    };
    for notice in &session.notices {
        sender.send_event(LiveEvent::Mended(notice.clone()));
    }
    let created = session.state.first_event();
    let cast = created.map_or(&[][..], |created| &created.cast);
    let seats = &tools.run.seats;
    let changes = seats.describe_changes(models_of(cast));
    let stands_in = seats.describe_stand_in(models_of(cast));
    for notice in changes.into_iter().chain(stands_in) {
        sender.send_event(LiveEvent::Noticed(notice));
    }
    let person = NamedPerson(tools.run.store.person.clone());
    let cancel = CancellationToken::new();
    let table = Table {
        clock: tools.run.store.clock,
        seats,
        budget: &tools.budget,
        memory: tools.memory.as_ref(),
        swapped_rewards: None,
        observer: &sender,
        people: &person,
        cancel: &cancel,
    };
    // A panic must not leave a screen waiting for a task that is gone; what was recorded is
    // durable, and nothing of the session is used after it.
    let play = AssertUnwindSafe(play_with_commands(&mut session, table, controller));
    let result = play.catch_unwind().await;
    // The lock is free before the failure is published: the receiver may open the session again at once.
    drop(session);
    match result {
        Ok(Ok(_)) => {}
        Ok(Err(error)) => sender.send_event(LiveEvent::Broke(error.to_string())),
        Err(_) => sender.send_event(LiveEvent::Broke(
            "a fault in this program stopped the session; what was recorded stays: open it again, \
             and report what the log says"
                .to_owned(),
        )),
    }
}

/// Publishes durable records.
struct EventSender {
    session: SessionId,
    events: UnboundedSender<(SessionId, LiveEvent)>,
}

impl EventSender {
    fn send_event(&self, event: LiveEvent) {
        // The receiver may have been dropped; ignore the send error.
        let _ = self.events.send((self.session.clone(), event));
    }
}

impl Observer for EventSender {
    fn on_event(&self, _session: &SessionId, record: &Record, _state: &State) {
        self.send_event(LiveEvent::Happened(record.clone()));
    }

    fn on_tail_repair(&self, notice: &TailNotice) {
        self.send_event(LiveEvent::Mended(notice.clone()));
    }

    fn on_notice(&self, notice: &str) {
        self.send_event(LiveEvent::Noticed(notice.to_owned()));
    }
}

/// Person whose answers arrive as commands.
struct NamedPerson(String);

impl People for NamedPerson {
    fn ask<'a>(
        &'a self,
        _question: &'a PersonQuestion,
    ) -> BoxFuture<'a, std::io::Result<PersonAnswer>> {
        Box::pin(async { Ok(PersonAnswer::Left) })
    }

    fn name(&self) -> String {
        self.0.clone()
    }
}

impl LiveHandle {
    /// Returns the session's id.
    pub fn session(&self) -> &SessionId {
        &self.session
    }

    /// Says whether the task has ended: the session failed, and that was published.
    pub fn is_over(&self) -> bool {
        self.commands.is_closed()
    }

    /// Sends a command; its result arrives as an event.
    pub fn send_command(&self, command: LiveCommand) {
        // A session that failed has published that; it takes no more commands.
        let _ = self.commands.send(command);
    }

    /// Ends the task: calls in flight are cancelled, partial replies are made durable, and the
    /// session's lock is free when this returns.
    pub async fn close(self) {
        drop(self.commands);
        // A task that panicked released the lock as well.
        let _ = self.task.await;
    }
}
