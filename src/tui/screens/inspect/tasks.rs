//! Tasks of the inspector: the request of an open step, and the labels of prompts' texts.

use super::Message;
use crate::tui::app::{Services, Task};
use elenchus_game::debate::SessionId;
use elenchus_game::debate::step::Step;
use elenchus_records::library::Game;
use elenchus_records::workspace::WorkspaceError;
use elenchus_records::workspace::prompts::read_kept;
use elenchus_run::engine::live::{Preview, preview_step as request_of};
use elenchus_view::OpenedSession;

/// Works out what a step would send.
pub(super) fn preview_step(session: &SessionId, step: &Step) -> Task {
    let (session, step) = (session.clone(), step.clone());
    Task::new_blocking("preview a request", move |services: &Services| {
        Message::Previewed(build_preview(services, &session, &step).map(Box::new))
    })
}

fn build_preview(
    services: &Services,
    session: &SessionId,
    step: &Step,
) -> Result<Preview, WorkspaceError> {
    let (opened, _) = OpenedSession::read(&services.store, session)?;
    let creation = opened
        .state
        .first_event()
        .ok_or_else(|| WorkspaceError::invalid("the session has not begun"))?;
    let game = Game::from_created(creation)?;
    request_of(&opened.state, &game, &services.seats, step)
}

/// Reads the labels of all prompts' texts; none where they cannot be read.
pub(super) fn read_labels() -> Task {
    Task::new_blocking("read the labels of prompts", |services: &Services| {
        Message::Labels(read_kept(&services.store.layout).unwrap_or_default())
    })
}
