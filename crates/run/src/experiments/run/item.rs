//! Item of a run: one debate, on a task of its own.

use super::placebo::{NO_OTHERS_REWARDS, OthersRewards};
use crate::engine::play::{PlayEnd, Table, play_session};
use crate::experiments::engine::{ExperimentContext, ItemEnd, Stage};
use elenchus_game::debate::Spend;
use elenchus_game::debate::event::Created;
use elenchus_game::debate::failed_steps::describe_failures;
use elenchus_game::debate::step::EndReason;
use elenchus_memory::embed::FailureReach;
use elenchus_records::library::Game;
use elenchus_records::workspace::memory::MemoryBook;
use elenchus_records::workspace::run::{Finished, RunItem};
use elenchus_records::workspace::{Result, Session, WorkspaceError};
use elenchus_store::has_begun;
use std::sync::Arc;
use tokio::task::JoinSet;

/// One debate of a run.
pub(super) struct RunDebate {
    pub item: RunItem,
    pub stage: Stage,
    pub game: Game,
    pub memory: Option<Arc<MemoryBook>>,
    pub created: Created,
    pub others_rewards: OthersRewards,
}

/// Debate that was left.
pub(super) struct PlayedDebate {
    pub item: RunItem,
    pub end: DebateEnd,
    pub spend: Spend,
}

/// How a debate of a run was left.
pub(super) enum DebateEnd {
    Left(ItemEnd<Finished>),
    /// Its lessons wait for the other debates of its batch.
    AwaitsRewards,
}

impl RunDebate {
    /// Plays it on a task of its own, so that debates use all cores; the task ends with this future. An error
    /// ends this debate and never the run; what was recorded stays.
    pub(super) async fn play_on_task(self) -> Result<PlayedDebate> {
        let (item, budget) = (self.item.clone(), Arc::clone(&self.stage.budget));
        let mut task = JoinSet::new();
        task.spawn(self.try_play());
        let why = match task.join_next().await {
            Some(Ok(Ok((end, spend)))) => return Ok(PlayedDebate { item, end, spend }),
            // Later debates would not be shown what this one teaches, so the run pauses.
            Some(Ok(Err(WorkspaceError::Retrieve(error))))
                if error.reach == FailureReach::EveryText =>
            {
                budget.note_lost_search(&error);
                return Ok(PlayedDebate {
                    item,
                    end: DebateEnd::Left(ItemEnd::Unfinished),
                    spend: Spend::default(),
                });
            }
            Some(Ok(Err(error))) => error.to_string(),
            Some(Err(error)) => format!("its task ended abnormally: {error}"),
            None => "its task was not begun".to_owned(),
        };
        Ok(PlayedDebate {
            item,
            end: DebateEnd::Left(ItemEnd::Failed(why)),
            spend: Spend::default(),
        })
    }

    async fn try_play(self) -> Result<(DebateEnd, Spend)> {
        let Self {
            item,
            stage,
            game,
            memory,
            created,
            others_rewards,
        } = self;
        let context = &stage.context;
        let mut session = match &others_rewards {
            OthersRewards::NotAsked => open_or_create(context, game, created).await?,
            // This process has just left it: nothing failed, and nobody continues it.
            OthersRewards::Asked(_) => {
                let (layout, journals) = (&context.store.layout, context.store.journals());
                Session::open(layout, &journals, &created.session)?
            }
        };
        let before = session.state.spend();
        let table = Table {
            clock: context.store.clock,
            seats: &context.seats,
            budget: &stage.budget,
            memory: memory.as_deref(),
            swapped_rewards: match &others_rewards {
                OthersRewards::NotAsked => None,
                OthersRewards::Asked(swapped) => swapped.as_deref(),
            },
            observer: &*context.observer,
            people: context.people.as_ref(),
            cancel: &context.stop.give_up,
        };
        let play_end = play_session(&mut session, table).await?;
        session.close().await;
        let end = DebateEnd::Left(match play_end {
            PlayEnd::Done(reason) => ItemEnd::Done(build_finished(&item, &session, reason)),
            PlayEnd::AwaitsRewards => match others_rewards {
                OthersRewards::NotAsked => {
                    let spend = session.state.spend().minus(before);
                    return Ok((DebateEnd::AwaitsRewards, spend));
                }
                OthersRewards::Asked(_) => ItemEnd::Failed(NO_OTHERS_REWARDS.to_owned()),
            },
            PlayEnd::Stuck(failures) => ItemEnd::Failed(describe_failures(&failures)),
            PlayEnd::Paused | PlayEnd::Stopped => ItemEnd::Unfinished,
        });
        Ok((end, session.state.spend().minus(before)))
    }
}

fn build_finished(item: &RunItem, session: &Session, reason: EndReason) -> Finished {
    let (head, expense) = (session.head(), session.state.committed_expense());
    let how = match reason {
        EndReason::Complete => "complete",
        EndReason::Stopped { .. } => "stopped",
        EndReason::Truncated(_) => "truncated",
    };
    Finished {
        item: item.item,
        session: item.session.clone(),
        how: how.to_owned(),
        bytes: head.bytes,
        lines: head.lines,
        head: head.hash.to_string(),
        committed_usd: expense.usd,
        committed_calls: Some(expense.calls),
        committed_tokens: Some(expense.tokens),
        filtered: session.state.count_filtered(),
    }
}

async fn open_or_create(
    context: &ExperimentContext,
    game: Game,
    created: Created,
) -> Result<Session> {
    let (layout, journals) = (&context.store.layout, context.store.journals());
    let path = layout.session_path(created.session.as_str())?;
    let at = context.store.clock.now();
    // A process that was killed while creating it leaves a journal without a first event.
    let is_resumable = path.exists() && has_begun(&path)?;
    if !is_resumable {
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
        context.observer.on_tail_repair(notice);
    }
    session.resume(at).await?;
    Ok(session)
}
