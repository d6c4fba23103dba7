//! Tasks of the new-debate screen: what there is to choose from, what it costs, and beginning it.

use super::{DRAFT, Message};
use crate::debate::SessionId;
use crate::debate::protocol::Settings;
use crate::engine::{self, DebatePlan};
use crate::experiments::debate_draft::{DebateChoices, SetupTask};
use crate::tui::app::{self, Task, Ticket};
use crate::workspace::{self, Draft, topics_of};
use std::sync::Arc;

/// Reads games and models, and again when servers have answered.
pub(super) fn read_library() -> Task {
    Task::stream("read the library", |services, replies| async move {
        let tell = |library| {
            replies.send(Message::Library(library));
        };
        engine::read_library(&services.tools, tell).await;
    })
}

pub(super) fn read_session(id: SessionId) -> Task {
    Task::blocking("read what a session was played with", move |services| {
        Message::Session(DebateChoices::of_session(&services.tools.desk, &id).map(Box::new))
    })
}

/// Finds the topic that was not used yet.
pub(super) fn find_draft() -> Task {
    Task::stream("find a draft", |services, replies| async move {
        if let Some(draft) = Draft::find(&services.tools.own_folder, DRAFT) {
            replies.send(Message::Draft(draft));
        }
    })
}

/// Reads or estimates what a debate is to be set out with.
pub(super) fn perform(task: SetupTask) -> Task {
    match task {
        SetupTask::ReadGame(id) => Task::blocking("read a game", move |services| {
            let game = services.tools.library.game(&id, &Settings::default());
            let protocol = game.map(|game| Arc::new(game.protocol));
            Message::Game(id, protocol.map_err(|error| error.to_string()))
        }),
        SetupTask::ReadRows(name) => Task::blocking("read a data set", move |_| {
            let topics = topics_of(&name).map(Arc::new);
            Message::Rows(name, topics.map_err(|error| error.to_string()))
        }),
        SetupTask::ReadDocument(path) => Task::blocking("read a document", move |_| {
            let read = workspace::read_document(&path);
            Message::Document(read.map_err(|error| error.to_string()))
        }),
        SetupTask::Estimate(number, question) => {
            Task::blocking("prepare what the form says", move |services| {
                Message::Prepared(Ticket(number), question.answer(&services.tools))
            })
        }
    }
}

/// Begins a debate and takes its lock.
pub(super) fn begin_debate(plan: DebatePlan) -> Task {
    Task::stream("begin the debate", |services, replies| async move {
        replies.send(Message::Begun(app::begin_debate(&services, plan).await));
    })
}
