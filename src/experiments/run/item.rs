//! Item of a run: one debate, on a task of its own.

use crate::debate::event::{Created, Failed};
use crate::debate::step::EndReason;
use crate::debate::{Expense, Spend};
use crate::engine::play::{PlayEnd, Table, play};
use crate::experiments::engine::{ExperimentContext, Stage};
use crate::library::Game;
use crate::store::{Head, has_begun};
use crate::workspace::memory::MemoryBook;
use crate::workspace::{Result, Session, WorkspaceError};
use std::sync::Arc;

/// One debate of a run on its own task.
pub(super) struct RunDebate {
    pub stage: Stage,
    pub game: Game,
    pub memory: Option<Arc<MemoryBook>>,
    pub created: Created,
}

/// End of a debate.
pub(super) enum DebateEnd {
    Done(EndReason),
    Failed(String),
    /// It can be resumed: the ceiling was reached or the run was stopped.
    Unfinished,
}

/// Debate that was left.
pub(super) struct PlayedDebate {
    pub end: DebateEnd,
    pub spend: Spend,
    pub head: Head,
    /// What the debate used at most, with what it used before.
    pub committed: Expense,
}

impl PlayedDebate {
    /// A debate that was stopped by an error; what it recorded stays.
    pub(crate) fn failed(why: String) -> Self {
        Self {
            end: DebateEnd::Failed(why),
            spend: Spend::default(),
            head: Head::EMPTY,
            committed: Expense::default(),
        }
    }
}

impl RunDebate {
    /// Plays it; an error ends this debate and never the run.
    pub(crate) async fn play(self) -> PlayedDebate {
        match self.try_play().await {
            Ok(played) => played,
            Err(error) => PlayedDebate::failed(error.to_string()),
        }
    }

    async fn try_play(self) -> Result<PlayedDebate> {
        let Self {
            stage,
            game,
            memory,
            created,
        } = self;
        let context = &stage.context;
        let mut session = open_or_create(context, game, created).await?;
        let before = session.state.spend();
        let table = Table {
            clock: context.desk.clock,
            seats: &context.seats,
            budget: &stage.budget,
            memory: memory.as_deref(),
            observer: &*context.observer,
            people: context.people.as_ref(),
            cancel: &context.stop.give_up,
        };
        let left = play(&mut session, table).await?;
        session.close().await;
        let end = match left {
            PlayEnd::Done(done) => DebateEnd::Done(done),
            PlayEnd::Stuck(failures) => DebateEnd::Failed(failure_text(&failures)),
            PlayEnd::Paused | PlayEnd::Stopped => DebateEnd::Unfinished,
        };
        Ok(PlayedDebate {
            end,
            spend: session.state.spend().minus(before),
            head: session.head(),
            committed: session.state.committed(),
        })
    }
}

async fn open_or_create(
    context: &ExperimentContext,
    game: Game,
    created: Created,
) -> Result<Session> {
    let (layout, journals) = (&context.desk.layout, context.desk.journals());
    let path = layout.session(created.session.as_str())?;
    let at = context.desk.clock.now();
    // A process that was killed while creating it leaves a journal without a first event.
    let begun = path.exists() && has_begun(&path)?;
    if !begun {
        if path.exists() {
            std::fs::remove_file(&path).map_err(|error| {
                WorkspaceError::Invalid(format!(
                    "cannot replace the empty {}: {error}",
                    path.display()
                ))
            })?;
        }
        return Session::create(layout, &journals, game, created, at).await;
    }
    let mut session = Session::open(layout, &journals, &created.session)?;
    for notice in &session.notices {
        context.observer.mended(notice);
    }
    session.resume(at).await?;
    Ok(session)
}

/// Says why steps failed, in one line.
pub fn failure_text(failures: &[Failed]) -> String {
    match failures {
        [] => "nothing can be done, and nothing failed".to_owned(),
        [only] => format!("{}: {}", only.step, only.message),
        [first, rest @ ..] => {
            format!(
                "{}: {} (and {} more)",
                first.step,
                first.message,
                rest.len()
            )
        }
    }
}
