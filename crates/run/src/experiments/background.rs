//! Experiments in the background: a run, or another experiment that was left. Progress goes to a callback.
//! One is played at a time.

use super::run::{PreparedRun, Run, RunPlan, check_run_models, human_seat_error};
use super::{
    EndedItem, ExperimentContext, ExperimentEnd, ExperimentObserver, ItemEnd, ListedExperiment,
    PauseCause, StopSignal,
};
use crate::engine::seats::{models_of, seat_of_person, unlisted_on_known_lists};
use crate::engine::{Observer, PlayDefaults, RunContext};
use elenchus_game::debate::event::Record;
use elenchus_game::debate::protocol::Ceilings;
use elenchus_game::debate::{RunId, SessionId, State};
use elenchus_metrics as metrics;
use elenchus_records::workspace::rows::{UnsafeTurn, run_rows};
use elenchus_records::workspace::run::read_run;
use elenchus_records::workspace::{StoreIndex, WorkspaceError, reject};
use elenchus_text::cost;
use std::collections::BTreeSet;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;
use tokio::sync::Notify;
use tokio::task::JoinHandle;

/// Shortest interval between reports of progress.
const SAID_EVERY: Duration = Duration::from_millis(250);
/// Deviations from the defaults that are reported; every debate may report the same.
const MAX_NOTICED: usize = 8;
/// Longest wait for a run whose calls were given up: replies that had arrived are durable within
/// it.
const GIVEN_UP_WITHIN: Duration = Duration::from_millis(700);

/// Experiment to play in the background.
#[derive(Debug, Clone)]
pub enum BackgroundTask {
    /// A new run: `Began`, then `Went` as it goes on, then `Ended`.
    New(Box<RunPlan>),
    /// A run that was left, under ceilings that replace its own where they are given: as `New`.
    Resume(RunId, Ceilings),
    /// An experiment that is no run: `Went` as it goes on, then `Left`.
    Other(Box<ListedExperiment>, Ceilings),
}

/// News of what is played in the background.
#[derive(Debug, Clone)]
pub enum BackgroundEvent {
    /// Its plan is durable, and its first debates begin.
    Began(Result<RunId, WorkspaceError>),
    /// Progress, in words.
    Progress(String),
    /// Something that a person should know is done otherwise than usual.
    Notice(String),
    Ended(Arc<RunOver>),
    /// An experiment that is no run has come to its end, or could not go on; in words.
    OtherEnded(Result<String, WorkspaceError>),
}

/// A run as it was left.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RunOver {
    pub run: RunId,
    pub done: usize,
    pub failed: usize,
    pub debates: usize,
    pub end: RunEndState,
    /// First finding, with and without its interval, if there is one.
    pub first_figure: Option<(String, String)>,
    pub unsafe_turn: UnsafeTurn,
}

/// State in which a run was left.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum RunEndState {
    Completed,
    /// Every debate was tried; why the first of those failed that did.
    WithFailures(String),
    Paused(PauseCause),
    /// An error stopped it; it can be resumed.
    Broke(String),
}

/// Callback for events; it must not block.
type EventCallback = Arc<dyn Fn(BackgroundEvent) + Send + Sync>;

/// The experiment that this process plays, or played last.
#[derive(Default)]
pub struct BackgroundRun(Option<Running>);

struct Running {
    stop: StopSignal,
    /// Set before its end is sent: a screen that shows the end can begin the next run.
    is_over: Arc<AtomicBool>,
    /// Returns the command that goes on with it, if something is left.
    task: JoinHandle<Option<String>>,
}

impl BackgroundRun {
    /// Plays an experiment, where none is under way; events go to the callback. Must be called in a runtime.
    pub fn start_task(
        &mut self,
        run: &RunContext,
        defaults: &PlayDefaults,
        task: BackgroundTask,
        report: impl Fn(BackgroundEvent) + Send + Sync + 'static,
    ) {
        if self.is_under_way() {
            let why = "something is under way here: pause it first, or let it end";
            return report(BackgroundEvent::Began(reject(why)));
        }
        let stop = StopSignal::new_waiting();
        let watch = Arc::new(Watch::default());
        let is_over = Arc::new(AtomicBool::new(false));
        let player = Player {
            defaults: defaults.clone(),
            watch: Arc::clone(&watch),
            is_over: Arc::clone(&is_over),
            report: Arc::new(report),
        };
        let context = ExperimentContext::without_people(run.clone(), watch, stop.clone())
            .with_concurrency(defaults.concurrency);
        self.0 = Some(Running {
            stop,
            is_over,
            task: tokio::spawn(player.play_task(context, task)),
        });
    }

    /// Sends nothing more; what was sent arrives.
    pub fn pause(&self) {
        if let Some(running) = &self.0 {
            running.stop.pause.cancel();
        }
    }

    /// Pauses what is played here and waits for the calls in flight. Returns the command that goes on with
    /// it. `hurry` ends the wait: calls in flight are given up.
    pub async fn pause_and_wait(&mut self, hurry: impl Future<Output = ()>) -> Option<String> {
        let Running { stop, mut task, .. } = self.0.take()?;
        stop.pause.cancel();
        tokio::select! {
            biased;
            left = &mut task => return left.ok().flatten(),
            () = hurry => stop.give_up.cancel(),
        }
        let task_result = tokio::time::timeout(GIVEN_UP_WITHIN, task).await;
        task_result.ok().and_then(Result::ok).flatten()
    }

    /// Says whether something is played.
    pub fn is_under_way(&self) -> bool {
        self.0.as_ref().is_some_and(|running| {
            !running.is_over.load(Ordering::Acquire) && !running.task.is_finished()
        })
    }
}

/// Prepares a run, and holds its models against the lists of their servers that are known.
///
/// # Errors
/// As [`RunPlan::prepare`].
pub fn prepare_run(
    run: &RunContext,
    defaults: &PlayDefaults,
    mut plan: RunPlan,
) -> Result<PreparedRun, WorkspaceError> {
    plan.debate.budget_usd = plan.debate.budget_usd.or(defaults.budget_usd);
    let (library, seats) = (&run.library, &run.seats);
    let usual = defaults.find_model(library, &defaults.served.known_lists());
    let mut ready_run = plan.prepare(&run.store, library, seats, usual.as_deref())?;
    let players = models_of(ready_run.planned.manifest.casts.iter().flatten());
    ready_run.unlisted = unlisted_on_known_lists(players, seats, &defaults.served);
    Ok(ready_run)
}

/// What one experiment is played with.
struct Player {
    defaults: PlayDefaults,
    watch: Arc<Watch>,
    is_over: Arc<AtomicBool>,
    report: EventCallback,
}

impl Player {
    /// Plays a run or another experiment to its end, or until it is paused; returns the command that goes on
    /// with it.
    async fn play_task(self, context: ExperimentContext, task: BackgroundTask) -> Option<String> {
        let run_result = match task {
            BackgroundTask::New(plan) => begin_run(&context, &self.defaults, *plan).await,
            BackgroundTask::Resume(run, given) => self.resume_run(&context, &run, given).await,
            BackgroundTask::Other(of, given) => {
                return self.resume_other(context, &of, given).await;
            }
        };
        let mut run = match run_result {
            Ok(run) => run,
            Err(error) => {
                self.send_end(BackgroundEvent::Began(Err(error)));
                return None;
            }
        };
        let id = run.log.state.manifest.run.clone();
        let (debates, done_count) = (run.log.state.items.len(), run.log.state.finished.len());
        self.watch.set_counts(debates, done_count);
        (self.report)(BackgroundEvent::Began(Ok(id.clone())));
        let reporter = self.start_reporting();
        let context = context.with_ceilings(run.log.state.manifest.ceilings);
        let end_result = run.play_debates(&context).await;
        reporter.abort();
        let can_resume = !matches!(end_result, Ok(ExperimentEnd::Completed));
        // The run's lock is released with it, before its end is sent.
        let run_over =
            tokio::task::spawn_blocking(move || summarize_run(&context, &run, end_result)).await;
        match run_over {
            Ok(over) => self.send_end(BackgroundEvent::Ended(Arc::new(over))),
            Err(_) => self.is_over.store(true, Ordering::Release),
        }
        can_resume.then(|| format!("elenchus run --resume {id}"))
    }

    /// Goes on with an experiment that is no run; returns the command that goes on with it after that.
    async fn resume_other(
        &self,
        context: ExperimentContext,
        experiment: &ListedExperiment,
        given: Ceilings,
    ) -> Option<String> {
        let (kind, again) = (experiment.summary.kind, experiment.resume_command());
        let Some(playing) = experiment.resume_experiment(context, given) else {
            self.send_end(BackgroundEvent::OtherEnded(reject(format!(
                "go on with: {again}"
            ))));
            return None;
        };
        self.watch.set_other(kind, experiment.summary.item_names.1);
        (self.report)(BackgroundEvent::Progress(self.watch.take_progress().0));
        let reporter = self.start_reporting();
        let end_result = playing.await;
        reporter.abort();
        let can_resume = !matches!(end_result, Ok(ExperimentEnd::Completed));
        self.send_end(BackgroundEvent::OtherEnded(match end_result {
            Ok(ExperimentEnd::Completed) => Ok(format!("{kind}: done")),
            Ok(ExperimentEnd::WithFailures(missing)) => {
                Ok(format!("{kind}: over, {missing} could not be had"))
            }
            Ok(ExperimentEnd::Paused(cause)) => Ok(format!("{kind}: paused, {cause}")),
            Err(error) => Err(error),
        }));
        can_resume.then_some(again)
    }

    /// Opens a run again, under the ceilings that it has, or that are given in their place.
    async fn resume_run(
        &self,
        context: &ExperimentContext,
        id: &RunId,
        given: Ceilings,
    ) -> Result<Run, WorkspaceError> {
        let seats = &context.seats;
        let state = read_run(&context.store.layout.run_path(id.as_str())?)?;
        if state.is_over() {
            let why = format!("run {id} is done: nothing of it is left to play");
            return Err(WorkspaceError::Invalid(why));
        }
        let manifest = state.manifest;
        if let Some(seat) = seat_of_person(manifest.casts.iter().flatten()) {
            return Err(human_seat_error(seat.as_str()));
        }
        check_run_models(&manifest, seats, manifest.ceilings.with_overrides(given))?;
        let players = models_of(manifest.casts.iter().flatten());
        let changes = seats.describe_changes(players);
        let run = Run::resume(context, id, given).await?;
        let repairs = run.log.notices.iter().map(ToString::to_string);
        for notice in changes.into_iter().chain(repairs).take(MAX_NOTICED) {
            (self.report)(BackgroundEvent::Notice(notice));
        }
        Ok(run)
    }

    /// Sends the last event; the next experiment can begin by then.
    fn send_end(&self, event: BackgroundEvent) {
        self.is_over.store(true, Ordering::Release);
        (self.report)(event);
    }

    /// Reports the progress when it changes, no more often than it can be read.
    fn start_reporting(&self) -> JoinHandle<()> {
        let (watch, report) = (Arc::clone(&self.watch), Arc::clone(&self.report));
        tokio::spawn(async move {
            loop {
                watch.changed.notified().await;
                let (words, notices) = watch.take_progress();
                for notice in notices {
                    report(BackgroundEvent::Notice(notice));
                }
                report(BackgroundEvent::Progress(words));
                tokio::time::sleep(SAID_EVERY).await;
            }
        })
    }
}

async fn begin_run(
    context: &ExperimentContext,
    defaults: &PlayDefaults,
    plan: RunPlan,
) -> Result<Run, WorkspaceError> {
    let (run, defaults) = (context.run.clone(), defaults.clone());
    let ready_run = tokio::task::spawn_blocking(move || prepare_run(&run, &defaults, plan)).await;
    let ready_run = ready_run
        .map_err(|_| WorkspaceError::Invalid("the run could not be planned".to_owned()))??;
    context.store.layout.create_missing_folders()?;
    Run::begin(context, ready_run.planned).await
}

/// Sums up a run that was left. Blocks while it reads its debates.
fn summarize_run(
    context: &RunContext,
    run: &Run,
    ended: Result<ExperimentEnd, WorkspaceError>,
) -> RunOver {
    let state = &run.log.state;
    let how = match ended {
        Ok(ExperimentEnd::Completed) => RunEndState::Completed,
        Ok(ExperimentEnd::WithFailures(_)) => {
            let first = state.failed.values().next().cloned();
            RunEndState::WithFailures(first.unwrap_or_default())
        }
        Ok(ExperimentEnd::Paused(cause)) => RunEndState::Paused(cause),
        Err(error) => RunEndState::Broke(error.to_string()),
    };
    // Findings are read only after a run has ended.
    let rows = match &how {
        RunEndState::Paused(_) | RunEndState::Broke(_) => Vec::new(),
        RunEndState::Completed | RunEndState::WithFailures(_) => {
            let families = context.library.read_families().unwrap_or_default();
            let index = StoreIndex::bypass(&context.store.layout);
            run_rows(&index, &state.manifest.run, &families).unwrap_or_default()
        }
    };
    let report = metrics::compute_report(&rows, &metrics::ReportSettings::default()).ok();
    RunOver {
        run: state.manifest.run.clone(),
        done: state.finished.len(),
        failed: state.failed.len(),
        debates: state.items.len(),
        end: how,
        first_figure: report.as_ref().and_then(metrics::first_figure),
        unsafe_turn: UnsafeTurn::from_rows(&rows),
    }
}

/// Counts debates of a run.
#[derive(Default)]
struct Watch {
    counts: Mutex<Counts>,
    changed: Notify,
}

#[derive(Default)]
struct Counts {
    /// Kind of an experiment that is no run, and what its items are called.
    other: Option<(&'static str, &'static str)>,
    debates: usize,
    done: usize,
    failed: usize,
    cost_usd: f64,
    unpriced: u64,
    /// Debates in which something happened: they are in the list of sessions from then on.
    begun_sessions: BTreeSet<SessionId>,
    noticed: BTreeSet<String>,
    pending_notices: Vec<String>,
}

impl Watch {
    fn lock_counts(&self) -> MutexGuard<'_, Counts> {
        self.counts.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn set_counts(&self, debates: usize, done: usize) {
        let mut counts = self.lock_counts();
        (counts.debates, counts.done) = (debates, done);
    }

    /// Counts what comes of an experiment that is no run.
    fn set_other(&self, kind: &'static str, items: &'static str) {
        self.lock_counts().other = Some((kind, items));
    }

    /// Returns the progress, and notices not yet reported.
    fn take_progress(&self) -> (String, Vec<String>) {
        let mut counts = self.lock_counts();
        let failure_text = match counts.failed {
            0 => String::new(),
            failed => format!(", {failed} failed"),
        };
        let (done_count, cost) = (
            counts.done,
            cost::format_cost_sum(counts.cost_usd, counts.unpriced),
        );
        let words = match counts.other {
            None => format!(
                "run: {done_count} of {} debates{failure_text}, {cost}",
                counts.debates
            ),
            // How many there are is in its journal.
            Some((kind, items)) => {
                format!("{kind}: {done_count} more {items}{failure_text}, {cost}")
            }
        };
        (words, std::mem::take(&mut counts.pending_notices))
    }
}

impl Observer for Watch {
    fn on_event(&self, session: &SessionId, _record: &Record, _state: &State) {
        if self.lock_counts().begun_sessions.insert(session.clone()) {
            self.changed.notify_one();
        }
    }

    fn on_notice(&self, notice: &str) {
        let mut counts = self.lock_counts();
        if counts.noticed.len() < MAX_NOTICED && counts.noticed.insert(notice.to_owned()) {
            counts.pending_notices.push(notice.to_owned());
        }
    }
}

impl ExperimentObserver for Watch {
    fn on_item_end(&self, item: &EndedItem<'_>) {
        let mut counts = self.lock_counts();
        match item.end {
            ItemEnd::Done(()) => counts.done += 1,
            ItemEnd::Failed(_) => counts.failed += 1,
            ItemEnd::Unfinished => {}
        }
        counts.cost_usd += item.spend.cost_usd;
        counts.unpriced += item.spend.unpriced_calls;
        self.changed.notify_one();
    }
}
