//! Tasks of the new-debate screen: what there is to choose from, what it costs, and beginning it.

use super::{DRAFT, Message};
use crate::debate::protocol::Settings;
use crate::debate::{Protocol, SessionId};
use crate::engine::DebatePlan;
use crate::engine::{self, prepare_debate};
use crate::experiments::debate_draft::{DebateChoices, DebateDraft, ReadyPlan};
use crate::experiments::prepare_run;
use crate::tui::app::{self, Task, Ticket};
use crate::workspace::{self, Draft, topics_of};
use std::path::PathBuf;
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

pub(super) fn read_game(id: String) -> Task {
    Task::blocking("read a game", move |services| {
        let game = services.tools.library.game(&id, &Settings::default());
        let protocol = game.map(|game| Arc::new(game.protocol));
        Message::Game(id, protocol.map_err(|error| error.to_string()))
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

/// Reads the topics of a data set.
pub(super) fn read_rows(name: String) -> Task {
    Task::blocking("read a data set", move |_| {
        let topics = topics_of(&name).map(Arc::new);
        Message::Rows(name, topics.map_err(|error| error.to_string()))
    })
}

pub(super) fn read_document(path: PathBuf) -> Task {
    Task::blocking("read a document", move |_| {
        let read = workspace::read_document(&path);
        Message::Document(read.map_err(|error| error.to_string()))
    })
}

/// Estimates the debate or the run of a draft. A setting may change how many chairs there are, so the
/// game is read with the form's settings first.
pub(super) fn prepare(
    ticket: Ticket,
    draft: DebateDraft,
    game: Arc<Protocol>,
    default_model: Option<String>,
) -> Task {
    Task::blocking("prepare what the form says", move |services| {
        let tools = &services.tools;
        let settings = draft.settings(&game);
        let set = tools.library.game(&draft.game, &settings);
        let set = set.map_or_else(|_| game.as_ref().clone(), |game| game.protocol);
        let plan = draft.plan(&set, default_model.as_deref());
        let made = match draft.run_plan(plan.clone()) {
            Some(run) => prepare_run(tools, run)
                .map(|made| ReadyPlan::Run(Arc::new(made)))
                .map_err(|error| error.to_string()),
            None => prepare_debate(tools, &plan).map(|made| ReadyPlan::Debate(Arc::new(made))),
        };
        Message::Prepared(ticket, made)
    })
}

/// Begins a debate and takes its lock.
pub(super) fn begin_debate(plan: DebatePlan) -> Task {
    Task::stream("begin the debate", |services, replies| async move {
        replies.send(Message::Begun(app::begin_debate(&services, plan).await));
    })
}
