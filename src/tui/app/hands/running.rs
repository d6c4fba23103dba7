//! Runs and other experiments in the background, and the turns a run is inspected and labelled by. One is
//! played at a time.

use super::library::usual_model;
use super::{Hands, Tools};
use crate::annotation::queue::draw_run_sample;
use crate::debate::event::Record;
use crate::debate::protocol::Ceilings;
use crate::debate::{RunId, SessionId, State};
use crate::engine::Observer;
use crate::engine::seats::{models_of, seat_of_person, unlisted_as_known};
use crate::exchange::cost;
use crate::experiments::run::{PreparedRun, Run, RunPlan, check_run_models, human_seat_error};
use crate::experiments::{
    ExperimentContext, ExperimentEnd, ExperimentObserver, ItemEnd, LeftItem, ListedExperiment,
    StopSignal,
};
use crate::metrics::{self, TurnSafety};
use crate::tui::app::run_talk::{RunDeed, RunLeft, RunOver, RunTold, UnsafeTurn};
use crate::tui::app::told::Told;
use crate::workspace::WorkspaceError;
use crate::workspace::rows::{first_of_run, run_rows};
use crate::workspace::run::read_run;
use std::collections::BTreeSet;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex};
use std::time::Duration;
use tokio::sync::Notify;
use tokio::sync::mpsc::UnboundedSender;
use tokio::task::JoinHandle;

/// Shortest interval between reports of progress.
const SAID_EVERY: Duration = Duration::from_millis(250);
/// Deviations from the defaults that are reported; every debate may report the same.
const MAX_NOTICED: usize = 8;
/// Longest wait for a run whose calls were given up: replies that had arrived are durable within
/// it.
const GIVEN_UP_WITHIN: Duration = Duration::from_millis(700);

/// A run that this process plays, or played.
pub(super) struct Running {
    stop: StopSignal,
    /// Set before its end is sent: a screen that shows the end can begin the next run.
    is_over: Arc<AtomicBool>,
    /// Returns the command that goes on with it, if something is left.
    task: JoinHandle<Option<String>>,
}

impl Running {
    fn is_under_way(&self) -> bool {
        !self.is_over.load(Ordering::Acquire) && !self.task.is_finished()
    }
}

/// Run to play: a new one or one to resume.
enum Wanted {
    New(Box<RunPlan>),
    Again(RunId, Ceilings),
    Other(Box<ListedExperiment>, Ceilings),
}

impl Hands {
    pub(crate) fn run(&mut self, deed: RunDeed) {
        match deed {
            RunDeed::Begin(plan) => self.play_run(Wanted::New(plan)),
            RunDeed::Resume(run, given) => self.play_run(Wanted::Again(run, given)),
            RunDeed::GoOn(of, given) => self.play_run(Wanted::Other(of, given)),
            RunDeed::Pause => {
                if let Some(running) = &self.run {
                    running.stop.pause.cancel();
                }
            }
            RunDeed::FirstOf(run) => {
                let (layout, tell) = (self.services.tools.desk.layout.clone(), self.tell.clone());
                tokio::task::spawn_blocking(move || {
                    let first = first_of_run(&layout, &run).map_err(|error| error.to_string());
                    let _ = tell.send(Told::Run(RunTold::FirstOf(first)));
                });
            }
            RunDeed::Sample(run) => {
                let (tools, tell) = (self.services.tools.clone(), self.tell.clone());
                tokio::spawn(async move {
                    let drawn = draw_run_sample(&tools.desk, &tools.library, &run).await;
                    let drawn = drawn.map(Arc::new).map_err(|error| error.to_string());
                    let _ = tell.send(Told::Run(RunTold::Sampled(drawn)));
                });
            }
        }
    }

    fn play_run(&mut self, wanted: Wanted) {
        if self.plays_a_run() {
            let why = "something is under way here: pause it first, or let it end";
            let told = RunTold::Began(Err(why.to_owned()));
            let _ = self.tell.send(Told::Run(told));
            return;
        }
        let stop = StopSignal::waiting();
        let watch = Arc::new(Watch::default());
        let context = self.services.tools.experiment(watch.clone(), stop.clone());
        let (tools, tell) = (self.services.tools.clone(), self.tell.clone());
        let is_over = Arc::new(AtomicBool::new(false));
        let playing = play(tools, context, wanted, watch, tell, Arc::clone(&is_over));
        self.run = Some(Running {
            stop,
            is_over,
            task: tokio::spawn(playing),
        });
    }

    /// Pauses what is played here and waits for the calls in flight. Returns the command that goes on with
    /// it. `hurry` ends the wait: calls in flight are given up.
    pub async fn rest_run(&mut self, hurry: impl Future<Output = ()>) -> Option<String> {
        let Running { stop, mut task, .. } = self.run.take()?;
        stop.pause.cancel();
        tokio::select! {
            biased;
            left = &mut task => return left.ok().flatten(),
            () = hurry => stop.give_up.cancel(),
        }
        let left = tokio::time::timeout(GIVEN_UP_WITHIN, task).await;
        left.ok().and_then(Result::ok).flatten()
    }

    /// Says whether a run is played.
    pub fn plays_a_run(&self) -> bool {
        self.run.as_ref().is_some_and(Running::is_under_way)
    }
}

/// Prepares a run, and holds its models against the lists of their servers that are known.
pub(crate) fn prepare_run(tools: &Tools, mut plan: RunPlan) -> Result<PreparedRun, WorkspaceError> {
    plan.debate.budget_usd = plan.debate.budget_usd.or(tools.budget_usd);
    let (library, seats) = (&tools.library, &tools.seats);
    let usual = usual_model(tools, &tools.served.all_known());
    let mut made = plan.prepare(&tools.desk, library, seats, usual.as_deref())?;
    let players = models_of(made.planned.manifest.casts.iter().flatten());
    made.unlisted = unlisted_as_known(players, seats, &tools.served);
    Ok(made)
}

/// Plays a run or another experiment to its end, or until it is paused; returns the command that goes on
/// with it.
async fn play(
    tools: Tools,
    context: ExperimentContext,
    wanted: Wanted,
    watch: Arc<Watch>,
    tell: UnboundedSender<Told>,
    is_over: Arc<AtomicBool>,
) -> Option<String> {
    let say = |told: RunTold| tell.send(Told::Run(told)).is_ok();
    let begun = match wanted {
        Wanted::New(plan) => begin(&tools, &context, *plan).await,
        Wanted::Again(run, given) => resume(&tools, &context, (&run, given), &tell).await,
        Wanted::Other(of, given) => {
            return go_on(context, (&of, given), watch, tell, &is_over).await;
        }
    };
    let mut run = match begun {
        Ok(run) => run,
        Err(error) => {
            is_over.store(true, Ordering::Release);
            say(RunTold::Began(Err(error.to_string())));
            return None;
        }
    };
    let id = run.state().manifest.run.clone();
    watch.begin(run.state().items.len(), run.state().finished.len());
    say(RunTold::Began(Ok(id.clone())));
    let telling = tokio::spawn(tell_on(Arc::clone(&watch), tell.clone()));
    let context = context.under_ceilings(run.state().manifest.ceilings);
    let ended = run.play(&context).await;
    telling.abort();
    let goes_on = !matches!(ended, Ok(ExperimentEnd::Completed));
    // The run's lock is released with it, before its end is sent.
    let over = tokio::task::spawn_blocking(move || over(&tools, &run, ended)).await;
    is_over.store(true, Ordering::Release);
    if let Ok(over) = over {
        say(RunTold::Ended(Arc::new(over)));
    }
    goes_on.then(|| format!("elenchus run --resume {id}"))
}

/// Goes on with an experiment that is no run; returns the command that goes on with it after that.
async fn go_on(
    context: ExperimentContext,
    (of, given): (&ListedExperiment, Ceilings),
    watch: Arc<Watch>,
    tell: UnboundedSender<Told>,
    is_over: &AtomicBool,
) -> Option<String> {
    let say = |told: RunTold| tell.send(Told::Run(told)).is_ok();
    let (kind, again) = (of.summary.kind, of.resume());
    let Some(playing) = of.go_on(context, given) else {
        is_over.store(true, Ordering::Release);
        say(RunTold::Left(Err(format!("go on with: {again}"))));
        return None;
    };
    watch.goes_on(kind, of.summary.item_names.1);
    say(RunTold::Went(watch.describe().0));
    let telling = tokio::spawn(tell_on(Arc::clone(&watch), tell.clone()));
    let ended = playing.await;
    telling.abort();
    is_over.store(true, Ordering::Release);
    let goes_on = !matches!(ended, Ok(ExperimentEnd::Completed));
    say(RunTold::Left(match ended {
        Ok(ExperimentEnd::Completed) => Ok(format!("{kind}: done")),
        Ok(ExperimentEnd::WithFailures(missing)) => {
            Ok(format!("{kind}: over, {missing} could not be had"))
        }
        Ok(ExperimentEnd::Paused { why, .. }) => Ok(format!("{kind}: paused, {why}")),
        Err(error) => Err(error.to_string()),
    }));
    goes_on.then_some(again)
}

async fn begin(
    tools: &Tools,
    context: &ExperimentContext,
    plan: RunPlan,
) -> Result<Run, WorkspaceError> {
    let with = tools.clone();
    let made = tokio::task::spawn_blocking(move || prepare_run(&with, plan)).await;
    let made =
        made.map_err(|_| WorkspaceError::Invalid("the run could not be planned".to_owned()))??;
    context.desk.layout.create()?;
    Run::begin(context, made.planned).await
}

/// Opens a run again, under the ceilings that it has, or that are given in their place.
async fn resume(
    tools: &Tools,
    context: &ExperimentContext,
    (id, given): (&RunId, Ceilings),
    tell: &UnboundedSender<Told>,
) -> Result<Run, WorkspaceError> {
    let state = read_run(&context.desk.layout.run(id.as_str())?)?;
    if state.finished.len() == state.items.len() {
        let why = format!("run {id} is done: nothing of it is left to play");
        return Err(WorkspaceError::Invalid(why));
    }
    let manifest = state.manifest;
    if let Some(seat) = seat_of_person(manifest.casts.iter().flatten()) {
        return Err(human_seat_error(seat.as_str()));
    }
    check_run_models(
        &manifest,
        &tools.seats,
        manifest.ceilings.replaced_by(given),
    )?;
    let players = models_of(manifest.casts.iter().flatten());
    let changed = tools.seats.changed_since(players);
    let run = Run::resume(context, id, given).await?;
    let mended = run.notices().iter().map(ToString::to_string);
    for notice in changed.into_iter().chain(mended).take(MAX_NOTICED) {
        let _ = tell.send(Told::Run(RunTold::Noticed(notice)));
    }
    Ok(run)
}

/// Sums up a run that was left. Blocks while it reads its debates.
fn over(tools: &Tools, run: &Run, ended: Result<ExperimentEnd, WorkspaceError>) -> RunOver {
    let state = run.state();
    let how = match ended {
        Ok(ExperimentEnd::Completed) => RunLeft::Completed,
        Ok(ExperimentEnd::WithFailures(_)) => {
            let first = state.failed.values().next().cloned();
            RunLeft::WithFailures(first.unwrap_or_default())
        }
        Ok(ExperimentEnd::Paused { why, .. }) => RunLeft::Paused(why),
        Err(error) => RunLeft::Paused(error.to_string()),
    };
    // Findings are read only after a run has ended.
    let rows = match &how {
        RunLeft::Paused(_) => Vec::new(),
        RunLeft::Completed | RunLeft::WithFailures(_) => {
            let families = tools.library.families().unwrap_or_default();
            run_rows(&tools.desk.layout, &state.manifest.run, &families).unwrap_or_default()
        }
    };
    let mut turns = rows.iter().flat_map(|row| &row.turns);
    let is_there = turns.any(|turn| turn.state == TurnSafety::Unsafe);
    let report = metrics::compute_report(&rows, &metrics::ReportSettings::default()).ok();
    RunOver {
        run: state.manifest.run.clone(),
        done: state.finished.len(),
        failed: state.failed.len(),
        debates: state.items.len(),
        how,
        found: report.as_ref().and_then(metrics::first_figure),
        unsafe_turn: match is_there {
            true => UnsafeTurn::There,
            false => UnsafeTurn::None,
        },
    }
}

/// Reports the progress of a run when it changes, no more often than it can be read.
async fn tell_on(watch: Arc<Watch>, tell: UnboundedSender<Told>) {
    loop {
        watch.changed.notified().await;
        let (words, noticed) = watch.describe();
        for notice in noticed {
            let _ = tell.send(Told::Run(RunTold::Noticed(notice)));
        }
        if tell.send(Told::Run(RunTold::Went(words))).is_err() {
            return;
        }
        tokio::time::sleep(SAID_EVERY).await;
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
    begun: BTreeSet<SessionId>,
    noticed: BTreeSet<String>,
    untold: Vec<String>,
}

impl Watch {
    fn begin(&self, debates: usize, done: usize) {
        let mut counts = super::locked(&self.counts);
        (counts.debates, counts.done) = (debates, done);
    }

    /// Counts what comes of an experiment that is no run.
    fn goes_on(&self, kind: &'static str, items: &'static str) {
        super::locked(&self.counts).other = Some((kind, items));
    }

    /// Returns the progress, and notices not yet reported.
    fn describe(&self) -> (String, Vec<String>) {
        let mut counts = super::locked(&self.counts);
        let failed = match counts.failed {
            0 => String::new(),
            failed => format!(", {failed} failed"),
        };
        let (done, cost) = (counts.done, cost::sum(counts.cost_usd, counts.unpriced));
        let words = match counts.other {
            None => format!("run: {done} of {} debates{failed}, {cost}", counts.debates),
            // How many there are is in its journal.
            Some((kind, items)) => format!("{kind}: {done} more {items}{failed}, {cost}"),
        };
        (words, std::mem::take(&mut counts.untold))
    }
}

impl Observer for Watch {
    fn happened(&self, session: &SessionId, _record: &Record, _state: &State) {
        if super::locked(&self.counts).begun.insert(session.clone()) {
            self.changed.notify_one();
        }
    }

    fn noticed(&self, notice: &str) {
        let mut counts = super::locked(&self.counts);
        if counts.noticed.len() < MAX_NOTICED && counts.noticed.insert(notice.to_owned()) {
            counts.untold.push(notice.to_owned());
        }
    }
}

impl ExperimentObserver for Watch {
    fn left(&self, item: &LeftItem<'_>) {
        let mut counts = super::locked(&self.counts);
        match item.end {
            ItemEnd::Done => counts.done += 1,
            ItemEnd::Failed(_) => counts.failed += 1,
            ItemEnd::Unfinished => {}
        }
        counts.cost_usd += item.spend.cost_usd;
        counts.unpriced += item.spend.unpriced_calls;
        self.changed.notify_one();
    }
}
