//! Run: many debates over a dataset, with one manifest.

mod batch;
mod form;
mod item;
mod memory;
mod plan;
mod proposal_tests;
mod time;

use crate::debate::event::{CeilingKind, Created};
use crate::debate::protocol::Ceilings;
use crate::debate::step::EndReason;
use crate::debate::{CostEstimate, Expense, RunId, Spend};
use crate::engine::cost::Budget;
use crate::engine::cost::Estimator;
use crate::engine::seats::Seats;
use crate::engine::{Observer, People};
use crate::experiments::engine::{ExperimentEnd, perform};
use crate::library::{Game, GameParts};
use crate::store::{JournalWriter, Journals, Layout, SyncPool, TailNotice};
use crate::workspace::Clock;
use crate::workspace::WorkspaceError;
use crate::workspace::memory::LazyEmbedding;
use crate::workspace::memory::MemoryBook;
use crate::workspace::read_session;
use crate::workspace::resume;
use crate::workspace::run::RunState;
use crate::workspace::run::{Finished, Manifest, RunEvent, RunItem};
use batch::Batch;
pub use form::{PreparedRun, RunPlan, human_seat_error};
use item::PlayedDebate;
pub use item::failure_text;
use memory::{check_memory, memory_of_run, state_of_memory};
use plan::estimate_items;
pub use plan::{
    AcceptanceRequest, Casts, Duplicates, MemoryRequest, PlannedRun, RunRequest, load_topics,
};
use proposal_tests::ProposalTests;
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;
pub use time::{ExpectedTime, Pace, UnknownTime};
use tokio_util::sync::CancellationToken;

/// A run that this process drives.
pub struct Run {
    pub state: RunState,
    pub game: Game,
    pub notices: Vec<TailNotice>,
    journal: JournalWriter<RunEvent>,
    estimator: Estimator,
    met: Option<CeilingKind>,
}

/// Context of a run.
#[derive(Clone)]
pub struct Floor {
    pub layout: Layout,
    pub fsync: SyncPool,
    pub clock: Clock,
    pub seats: Arc<Seats>,
    /// What memory is searched with.
    pub embedding: Arc<LazyEmbedding>,
    pub observer: Arc<dyn RunObserver>,
    pub people: Arc<dyn People>,
    /// Stops at once: calls that are on their way are given up.
    pub cancel: CancellationToken,
    /// Sends no more calls and waits for those that are on their way.
    pub pause: CancellationToken,
    /// Name of this process for others that find the journal locked.
    pub holder: String,
}

impl Floor {
    /// Returns what opens journals for writing, under this process's name.
    pub fn journals(&self) -> Journals {
        Journals::new(&self.holder, &self.fsync)
    }
}

/// Watches a run.
pub trait RunObserver: Observer {
    /// A debate of the run was left.
    fn left(&self, item: &RunItem, how: &ItemEnd, spend: Spend);
    /// Lends the observer to a debate.
    fn as_observer(&self) -> &dyn Observer;
}

/// End of a debate of a run.
#[derive(Debug, Clone, PartialEq)]
pub enum ItemEnd {
    Done(EndReason),
    Failed(String),
    /// It can be resumed: the ceiling was reached or the run was cancelled.
    Unfinished,
}

impl Run {
    /// Begins a run: manifest and items are durable when this returns.
    ///
    /// # Errors
    /// When the journal cannot be written.
    pub async fn begin(
        floor: &Floor,
        mut manifest: Manifest,
        items: Vec<RunItem>,
        game: Game,
    ) -> Result<Self, WorkspaceError> {
        let path = floor.layout.run(manifest.run.as_str())?;
        let journal = floor.journals().begin(&path)?;
        let at = floor.clock.now();
        manifest.memory_read = state_of_memory(&manifest, floor, &at).await?;
        journal.append_unsynced(&at, "engine", &RunEvent::Begun(Box::new(manifest.clone())))?;
        for item in &items {
            journal.append_unsynced(&at, "engine", &RunEvent::Planned(Box::new(item.clone())))?;
        }
        journal.sync().await?;
        Ok(Self {
            state: RunState {
                manifest,
                items,
                finished: BTreeMap::new(),
                failed: BTreeMap::new(),
                paused: None,
                completed: false,
                begun_at: at,
            },
            game,
            notices: Vec::new(),
            journal,
            estimator: Estimator::default(),
            met: None,
        })
    }

    /// Opens a run to go on with it; ceilings that are given replace its own.
    ///
    /// # Errors
    /// When another process drives it, its journal cannot be read, or the embedder that it began
    /// with is not here.
    pub async fn resume(
        floor: &Floor,
        id: &RunId,
        ceilings: Ceilings,
    ) -> Result<Self, WorkspaceError> {
        let path = floor.layout.run(id.as_str())?;
        let opened = resume::<RunEvent>(&floor.journals(), &path)?;
        let mut state = opened.state;
        check_memory(&state, floor).await?;
        let manifest = &state.manifest;
        let rubrics = manifest
            .rubrics
            .iter()
            .map(|(name, text)| {
                let rubric = crate::judge::Rubric::parse(name, text);
                rubric.map(|rubric| (name.clone(), rubric))
            })
            .collect::<Result<_, _>>()
            .map_err(crate::library::GameError::from)?;
        let game = Game::new(
            manifest.protocol.clone(),
            manifest.settings.clone(),
            GameParts {
                templates: manifest.templates.clone(),
                files: BTreeMap::new(),
                more_files: Vec::new(),
                rubric_texts: manifest.rubrics.clone(),
                rubrics,
                lists: manifest.lists.clone(),
            },
        )?;
        let journal = opened.writer;
        let at = floor.clock.now();
        let resumed = RunEvent::Resumed {
            budget_usd: ceilings.cost_usd,
            budget_calls: ceilings.calls,
            budget_tokens: ceilings.tokens,
        };
        journal.append(&at, "engine", &resumed).await?;
        state.manifest.raise(ceilings);
        Ok(Self {
            state,
            game,
            notices: opened.notices,
            journal,
            estimator: Estimator::default(),
            met: None,
        })
    }

    /// Returns what the debates that are not finished cost together; `None` where one cannot be
    /// estimated.
    pub fn estimate(&mut self) -> Option<CostEstimate> {
        let state = &self.state;
        let is_open = |item: &&RunItem| !state.finished.contains_key(&item.item);
        let open = state.items.iter().filter(is_open);
        estimate_items(&state.manifest, open, &self.game, &mut self.estimator)
    }

    /// Plays every item that is not finished, several side by side.
    ///
    /// # Errors
    /// When the run's own journal or the memory cannot be written. A debate that fails is
    /// recorded and never ends the run.
    pub async fn play(
        &mut self,
        floor: &Floor,
        concurrency: usize,
    ) -> Result<ExperimentEnd, WorkspaceError> {
        let ceilings = self.state.manifest.ceilings();
        let budget = Budget::of_many(ceilings, self.used_so_far(floor)?);
        let budget = Arc::new(budget.closed_by(floor.pause.clone()));
        self.play_under(floor, concurrency, &budget).await
    }

    /// Plays as [`play`](Self::play) does, under a budget that holds what the run used before.
    ///
    /// # Errors
    /// As [`play`](Self::play).
    pub(in crate::experiments) async fn play_under(
        &mut self,
        floor: &Floor,
        concurrency: usize,
        budget: &Arc<Budget>,
    ) -> Result<ExperimentEnd, WorkspaceError> {
        let memory = memory_of_run(&self.state, floor)?.map(Arc::new);
        let open: Vec<RunItem> = self
            .state
            .items
            .iter()
            .filter(|item| !self.state.finished.contains_key(&item.item))
            .cloned()
            .collect();
        let batches: BTreeSet<Option<u32>> = open.iter().map(|item| item.batch).collect();
        let played = batches.first().copied().flatten();
        if let (Some(book), Some(before)) = (&memory, played.and_then(|first| first.checked_sub(1)))
        {
            // It may have been stopped between a batch and what was to be accepted of it.
            self.accept_guardrails(floor, budget, book, Some(before), concurrency)
                .await?;
        }
        for batch in batches {
            let items: Vec<RunItem> = open
                .iter()
                .filter(|item| item.batch == batch)
                .cloned()
                .collect();
            let unfinished = self
                .play_batch(floor, items, concurrency, budget, memory.as_ref())
                .await?;
            let stopping = unfinished || budget.is_exhausted() || floor.cancel.is_cancelled();
            if !stopping && let Some(book) = &memory {
                self.accept_guardrails(floor, budget, book, batch, concurrency)
                    .await?;
            }
            // A later batch learns from this one, so it must not begin before it was played. A debate
            // that failed teaches nothing and delays no other: the summary says so.
            if unfinished || budget.is_exhausted() || floor.cancel.is_cancelled() {
                break;
            }
        }
        self.close(floor, budget).await
    }

    /// Accepts what batches up to this one proposed, where the run has a threshold for that.
    async fn accept_guardrails(
        &self,
        floor: &Floor,
        budget: &Budget,
        memory: &MemoryBook,
        up_to: Option<u32>,
        concurrency: usize,
    ) -> Result<(), WorkspaceError> {
        let (Some(rule), Some(first)) = (&self.state.manifest.accept, self.state.items.first())
        else {
            return Ok(());
        };
        let accepting = ProposalTests {
            floor,
            budget,
            memory,
            rule,
            game: &self.game,
            created: self.state.manifest.created(first),
            up_to,
            concurrency,
        };
        match accepting.go().await {
            // What could not be tested stays proposed; the run pauses by its own rules.
            Err(_) if budget.is_exhausted() || floor.cancel.is_cancelled() => Ok(()),
            came => came,
        }
    }

    async fn play_batch(
        &mut self,
        floor: &Floor,
        items: Vec<RunItem>,
        concurrency: usize,
        budget: &Arc<Budget>,
        memory: Option<&Arc<MemoryBook>>,
    ) -> Result<bool, WorkspaceError> {
        let mut batch = Batch {
            run: self,
            floor,
            budget,
            memory,
            waiting: items.into_iter(),
            unfinished: false,
        };
        perform(&mut batch, concurrency).await?;
        Ok(batch.unfinished)
    }

    async fn note(
        &mut self,
        floor: &Floor,
        item: &RunItem,
        played: &PlayedDebate,
    ) -> Result<(), WorkspaceError> {
        let event = match &played.end {
            ItemEnd::Done(done) => {
                let finished = Finished {
                    item: item.item,
                    session: item.session.clone(),
                    how: match done {
                        EndReason::Complete => "complete",
                        EndReason::Stopped { .. } => "stopped",
                        EndReason::Truncated(_) => "truncated",
                    }
                    .to_owned(),
                    bytes: played.head.bytes,
                    lines: played.head.lines,
                    head: played.head.hash.to_string(),
                    committed_usd: played.committed.usd,
                    committed_calls: Some(played.committed.calls),
                    committed_tokens: Some(played.committed.tokens),
                };
                self.state.failed.remove(&item.item);
                self.state.finished.insert(item.item, finished.clone());
                RunEvent::Finished(finished)
            }
            ItemEnd::Failed(why) => {
                self.state.failed.insert(item.item, why.clone());
                RunEvent::Failed {
                    item: item.item,
                    session: item.session.clone(),
                    why: why.clone(),
                }
            }
            ItemEnd::Unfinished => return Ok(()),
        };
        let at = floor.clock.now();
        self.journal.append(&at, "engine", &event).await?;
        Ok(())
    }

    async fn close(
        &mut self,
        floor: &Floor,
        budget: &Budget,
    ) -> Result<ExperimentEnd, WorkspaceError> {
        let missing = self.state.items.len() - self.state.finished.len();
        let untried = missing > self.state.failed.len();
        let end = match ExperimentEnd::of(budget, floor.cancel.is_cancelled(), missing) {
            _ if missing == 0 => ExperimentEnd::Completed,
            // A person left their debate.
            ExperimentEnd::WithFailures(_) if untried => ExperimentEnd::stopped(),
            end => end,
        };
        let event = match &end {
            ExperimentEnd::Completed => RunEvent::Completed {},
            ExperimentEnd::WithFailures(_) => RunEvent::Paused {
                why: "every debate was tried and some failed".to_owned(),
            },
            ExperimentEnd::Paused(why) => {
                self.met = budget.met().map(|met| met.kind);
                RunEvent::Paused { why: why.clone() }
            }
        };
        let at = floor.clock.now();
        self.journal.append(&at, "engine", &event).await?;
        Ok(end)
    }

    /// Returns which of its ceilings paused the run, if one did.
    pub fn met(&self) -> Option<CeilingKind> {
        self.met
    }

    /// Returns what earlier parts of the run used at most.
    ///
    /// # Errors
    /// As [`used_so_far`].
    pub(in crate::experiments) fn used_so_far(
        &self,
        floor: &Floor,
    ) -> Result<Expense, WorkspaceError> {
        used_so_far(&self.state, floor)
    }

    fn created(&mut self, item: &RunItem) -> Created {
        let mut created = self.state.manifest.created(item);
        self.estimator.complete(&mut created, &self.game, item.cast);
        created
    }
}

/// Returns what a run used at most: sessions that were cut off, and guardrails that were derived,
/// included.
///
/// # Errors
/// When memory or, under a ceiling, a session cannot be read.
pub(in crate::experiments) fn used_so_far(
    run: &RunState,
    floor: &Floor,
) -> Result<Expense, WorkspaceError> {
    let spent = spent_in_sessions(run, floor)?;
    if !run.manifest.memory.guards {
        return Ok(spent);
    }
    let book = memory_of_run(run, floor)?;
    let derived = book.map(|book| book.derivations()).transpose()?;
    Ok(spent.plus(derived.unwrap_or_default()))
}

fn spent_in_sessions(run: &RunState, floor: &Floor) -> Result<Expense, WorkspaceError> {
    let ceilings = run.manifest.ceilings();
    let counts = ceilings.calls.is_some() || ceilings.tokens.is_some();
    let mut spent = Expense::default();
    for item in &run.items {
        if let Some(done) = run.finished.get(&item.item) {
            let known = done.committed();
            if let Some(known) = known.or((!counts).then(|| Expense::of_usd(done.committed_usd))) {
                spent = spent.plus(known);
                continue;
            }
            // A run of an earlier version kept its cost alone: its session has the rest.
        }
        let path = floor.layout.session(item.session.as_str())?;
        if !path.exists() {
            continue;
        }
        match read_session(&path) {
            Ok(state) => spent = spent.plus(state.committed()),
            Err(WorkspaceError::Empty { .. }) => {}
            // Under a ceiling, what cannot be read cannot be taken for free.
            Err(error) if ceilings != Ceilings::default() => return Err(error),
            Err(_) => {}
        }
    }
    Ok(spent)
}
