//! Tasks of the new-debate screen: what there is to choose from, what it costs, and beginning it.

use super::form::NewDebateForm;
use super::{DRAFT, Message, ReadyPlan};
use crate::debate::event::{Created, Player};
use crate::debate::protocol::Settings;
use crate::debate::{Protocol, SessionId, Topic};
use crate::engine::DebatePlan;
use crate::engine::seats::HUMAN;
use crate::tui::app::{self, DebateChoices, Task, Ticket, Tools};
use crate::workspace::{self, Draft, Tail, example_of, topics_of};
use std::path::PathBuf;
use std::sync::Arc;

/// Reads games and models, and again when servers have answered.
pub(super) fn read_library() -> Task {
    Task::stream("read the library", |services, replies| async move {
        let tell = |library| {
            replies.send(Message::Library(library));
        };
        app::read_library(&services.tools, tell).await;
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
        Message::Session(begun_with(&services.tools, &id).map(Box::new))
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

/// Estimates the debate or the run of a form. A setting may change how many chairs there are, so the
/// game is read with the form's settings first.
pub(super) fn prepare(
    ticket: Ticket,
    form: NewDebateForm,
    game: Arc<Protocol>,
    default_model: Option<String>,
) -> Task {
    Task::blocking("prepare what the form says", move |services| {
        let tools = &services.tools;
        let settings = form.settings(&game);
        let set = tools.library.game(&form.game, &settings);
        let set = set.map_or_else(|_| game.as_ref().clone(), |game| game.protocol);
        let plan = form.plan(&set, default_model.as_deref());
        let made = match form.run_plan(plan.clone()) {
            Some(run) => app::prepare_run(tools, run)
                .map(|made| ReadyPlan::Run(Arc::new(made)))
                .map_err(|error| error.to_string()),
            None => app::prepare_debate(tools, &plan).map(|made| ReadyPlan::Debate(Arc::new(made))),
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

fn begun_with(tools: &Tools, id: &SessionId) -> Result<(DebateChoices, Topic), String> {
    let state = match example_of(&tools.desk, id) {
        Some(example) => example.state().map_err(|error| error.to_string())?,
        None => {
            let path = tools.desk.layout.session(id.as_str());
            let path = path.map_err(|error| error.to_string())?;
            let read = Tail::of_state(&path).map_err(|error| error.to_string())?;
            read.0
        }
    };
    let created = state.created().ok_or("the session has not begun")?;
    Ok((choices(created), created.topic.clone()))
}

/// Returns what a session was played with, as a form has it.
fn choices(created: &Created) -> DebateChoices {
    let protocol = &created.protocol;
    let mut choices = DebateChoices {
        game: protocol.id.to_string(),
        ..DebateChoices::default()
    };
    for participant in &created.cast {
        let chair = participant.chair.clone();
        if let Some(persona) = &participant.persona {
            let personas = &mut choices.personas;
            personas.insert(chair.seat.clone(), persona.clone());
        }
        let name = match &participant.player {
            Player::Model(model) => model.model.clone(),
            Player::Human { name: Some(name) } => format!("{HUMAN}:{name}"),
            Player::Human { name: None } => HUMAN.to_owned(),
            // A script belongs to its session.
            Player::Fixed(_) => continue,
        };
        choices.chairs.insert(chair, name);
    }
    // One name for all chairs is the name of every seat.
    let mut names = choices.chairs.values();
    if let Some(first) = names.next().cloned()
        && names.all(|name| *name == first)
        && choices.chairs.len() == created.cast.len()
    {
        choices.everybody = Some(first);
        choices.chairs.clear();
    }
    let changed = created.settings.iter().filter(|(name, value)| {
        let spec = protocol.settings.get(*name);
        spec.is_some_and(|spec| spec.default != **value)
    });
    let changed = changed.map(|(name, value)| (name.clone(), value.to_string()));
    choices.settings = changed.collect();
    choices
}
