//! Preview of an open step: the exact messages it would be shown, read in the background.

use crate::tui::app::{Services, Task};
use elenchus_game::debate::SessionId;
use elenchus_game::debate::step::Step;
use elenchus_records::library::Game;
use elenchus_records::workspace::WorkspaceError;
use elenchus_run::engine::live::{Preview, preview_step as request_of};
use elenchus_view::OpenedSession;

/// Works out what a step would be shown, and hands it to a screen as its message.
pub(in crate::tui) fn preview_step<M: Send + 'static>(
    session: &SessionId,
    step: &Step,
    wrap: impl FnOnce(Result<Box<Preview>, WorkspaceError>) -> M + Send + 'static,
) -> Task {
    let (session, step) = (session.clone(), step.clone());
    Task::new_blocking("preview a request", move |services: &Services| {
        wrap(build_preview(services, &session, &step).map(Box::new))
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
