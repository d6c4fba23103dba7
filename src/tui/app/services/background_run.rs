//! Runs and other experiments in the background, and the turns a run is inspected and labelled by. One is
//! played at a time.

use super::library_list::usual_model;
use super::{Services, Tools};
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
use crate::tui::app::broadcast::Broadcast;
use crate::tui::app::run_commands::{RunCommand, RunEvent, RunLeft, RunOver, UnsafeTurn};
use crate::workspace::WorkspaceError;
use crate::workspace::rows::{first_of_run, run_rows};
use crate::workspace::run::read_run;
use std::collections::BTreeSet;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex};
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

/// The run that this process plays, or played last.
#[derive(Default)]
pub(in crate::tui::app) struct BackgroundRun(Option<Running>);

struct Running {
    stop: StopSignal,
    /// Set before its end is sent: a screen that shows the end can begin the next run.
    is_over: Arc<AtomicBool>,
    /// Returns the command that goes on with it, if something is left.
    task: JoinHandle<Option<String>>,
}

/// Run to play: a new one or one to resume.
enum Wanted {
    New(Box<RunPlan>),
    Again(RunId, Ceilings),
    Other(Box<ListedExperiment>, Ceilings),
}

impl BackgroundRun {
    /// Performs a command.
    pub(in crate::tui::app) fn command(&mut self, services: &Services, command: RunCommand) {
        match command {
            RunCommand::Begin(plan) => self.play(services, Wanted::New(plan)),
            RunCommand::Resume(run, given) => self.play(services, Wanted::Again(run, given)),
            RunCommand::GoOn(of, given) => self.play(services, Wanted::Other(of, given)),
            RunCommand::Pause => {
                if let Some(running) = &self.0 {
                    running.stop.pause.cancel();
                }
            }
            RunCommand::FirstOf(run) => {
                let services = services.clone();
                tokio::task::spawn_blocking(move || {
                    let first = first_of_run(&services.tools.desk.layout, &run);
                    let first = first.map_err(|error| error.to_string());
                    services.run_event(RunEvent::FirstOf(first));
                });
            }
            RunCommand::Sample(run) => {
                let services = services.clone();
                tokio::spawn(async move {
                    let tools = &services.tools;
                    let drawn = draw_run_sample(&tools.desk, &tools.library, &run).await;
                    let drawn = drawn.map(Arc::new).map_err(|error| error.to_string());
                    services.run_event(RunEvent::Sampled(drawn));
                });
            }
        }
    }

    fn play(&mut self, services: &Services, wanted: Wanted) {
        if self.is_under_way() {
            let why = "something is under way here: pause it first, or let it end";
            services.run_event(RunEvent::Began(Err(why.to_owned())));
            return;
        }
        let stop = StopSignal::waiting();
        let watch = Arc::new(Watch::default());
        let context = services.tools.experiment(watch.clone(), stop.clone());
        let is_over = Arc::new(AtomicBool::new(false));
        let playing = play(
            services.clone(),
            context,
            wanted,
            watch,
            Arc::clone(&is_over),
        );
        self.0 = Some(Running {
            stop,
            is_over,
            task: tokio::spawn(playing),
        });
    }

    /// Pauses what is played here and waits for the calls in flight. Returns the command that goes on with
    /// it. `hurry` ends the wait: calls in flight are given up.
    pub(in crate::tui::app) async fn rest(
        &mut self,
        hurry: impl Future<Output = ()>,
    ) -> Option<String> {
        let Running { stop, mut task, .. } = self.0.take()?;
        stop.pause.cancel();
        tokio::select! {
            biased;
            left = &mut task => return left.ok().flatten(),
            () = hurry => stop.give_up.cancel(),
        }
        let left = tokio::time::timeout(GIVEN_UP_WITHIN, task).await;
        left.ok().and_then(Result::ok).flatten()
    }

    /// Says whether something is played.
    pub(in crate::tui::app) fn is_under_way(&self) -> bool {
        self.0.as_ref().is_some_and(|running| {
            !running.is_over.load(Ordering::Acquire) && !running.task.is_finished()
        })
    }
}

impl Services {
    fn run_event(&self, event: RunEvent) {
        self.broadcast(Broadcast::Run(event));
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
    services: Services,
    context: ExperimentContext,
    wanted: Wanted,
    watch: Arc<Watch>,
    is_over: Arc<AtomicBool>,
) -> Option<String> {
    let say = |event: RunEvent| services.run_event(event);
    let tools = services.tools.clone();
    let begun = match wanted {
        Wanted::New(plan) => begin(&tools, &context, *plan).await,
        Wanted::Again(run, given) => resume(&services, &context, (&run, given)).await,
        Wanted::Other(of, given) => {
            return go_on(&services, context, (&of, given), watch, &is_over).await;
        }
    };
    let mut run = match begun {
        Ok(run) => run,
        Err(error) => {
            is_over.store(true, Ordering::Release);
            say(RunEvent::Began(Err(error.to_string())));
            return None;
        }
    };
    let id = run.log.state.manifest.run.clone();
    watch.begin(run.log.state.items.len(), run.log.state.finished.len());
    say(RunEvent::Began(Ok(id.clone())));
    let telling = tokio::spawn(tell_on(Arc::clone(&watch), services.clone()));
    let context = context.under_ceilings(run.log.state.manifest.ceilings);
    let ended = run.play(&context).await;
    telling.abort();
    let goes_on = !matches!(ended, Ok(ExperimentEnd::Completed));
    // The run's lock is released with it, before its end is sent.
    let over = tokio::task::spawn_blocking(move || over(&tools, &run, ended)).await;
    is_over.store(true, Ordering::Release);
    if let Ok(over) = over {
        say(RunEvent::Ended(Arc::new(over)));
    }
    goes_on.then(|| format!("elenchus run --resume {id}"))
}

/// Goes on with an experiment that is no run; returns the command that goes on with it after that.
async fn go_on(
    services: &Services,
    context: ExperimentContext,
    (of, given): (&ListedExperiment, Ceilings),
    watch: Arc<Watch>,
    is_over: &AtomicBool,
) -> Option<String> {
    let say = |event: RunEvent| services.run_event(event);
    let (kind, again) = (of.summary.kind, of.resume());
    let Some(playing) = of.go_on(context, given) else {
        is_over.store(true, Ordering::Release);
        say(RunEvent::Left(Err(format!("go on with: {again}"))));
        return None;
    };
    watch.goes_on(kind, of.summary.item_names.1);
    say(RunEvent::Went(watch.describe().0));
    let telling = tokio::spawn(tell_on(Arc::clone(&watch), services.clone()));
    let ended = playing.await;
    telling.abort();
    is_over.store(true, Ordering::Release);
    let goes_on = !matches!(ended, Ok(ExperimentEnd::Completed));
    say(RunEvent::Left(match ended {
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
    services: &Services,
    context: &ExperimentContext,
    (id, given): (&RunId, Ceilings),
) -> Result<Run, WorkspaceError> {
    let tools = &services.tools;
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
    let mended = run.log.notices.iter().map(ToString::to_string);
    for notice in changed.into_iter().chain(mended).take(MAX_NOTICED) {
        services.run_event(RunEvent::Noticed(notice));
    }
    Ok(run)
}

/// Sums up a run that was left. Blocks while it reads its debates.
fn over(tools: &Tools, run: &Run, ended: Result<ExperimentEnd, WorkspaceError>) -> RunOver {
    let state = &run.log.state;
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
async fn tell_on(watch: Arc<Watch>, services: Services) {
    loop {
        watch.changed.notified().await;
        let (words, noticed) = watch.describe();
        for notice in noticed {
            services.run_event(RunEvent::Noticed(notice));
        }
        services.run_event(RunEvent::Went(words));
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
            ItemEnd::Done(()) => counts.done += 1,
            ItemEnd::Failed(_) => counts.failed += 1,
            ItemEnd::Unfinished => {}
        }
        counts.cost_usd += item.spend.cost_usd;
        counts.unpriced += item.spend.unpriced_calls;
        self.changed.notify_one();
    }
}
