//! Default queue of a run: a sample of its turns, stratified by the evaluator's
//! verdict.

use super::definition::{
    ItemOrder, LabelledBefore, PeoplesTurns, PlayedBy, QueueFilter, QueueUnit, Sampling, StratifyBy,
};
use super::journal::{DrawnQueue, QueuePlan, begin_queue, find_labelled_queue};
use elenchus_game::debate::event::Player;
use elenchus_game::debate::{RunId, SessionId};
use elenchus_records::library::Library;
use elenchus_records::workspace::StoreContext;
use elenchus_records::workspace::WorkspaceError;
use elenchus_records::workspace::read_whole_run;

/// The label set that turns are labelled by where none is named.
const SET: &str = "safety";
/// Number of turns drawn, or all of a smaller run.
pub const RUN_SAMPLE_TURNS: u32 = 20;
/// The last letters of a run's id in the name of its queue: ids of one minute differ there.
const SHORT_ID: usize = 8;
/// Percentage of items that are shown a second time, where nobody says another.
pub const REPEATS_PERCENT: f64 = 5.0;

/// Queue of a run.
#[derive(Debug, Clone)]
pub struct RunSample {
    pub queue: String,
    /// What was drawn; `None` where the queue was there already.
    pub drawn: Option<DrawnQueue>,
    /// Simulated models played, so labels check the instrument and say nothing about models.
    pub simulated: bool,
    /// Debates of the run that are over.
    pub over: usize,
    /// Debates of the run that the queue was drawn from.
    pub drawn_from: usize,
    pub debates: usize,
}

impl RunSample {
    /// Returns notices for the annotator, to be read before the first turn.
    pub fn build_notices(&self) -> Vec<String> {
        let mut notices = Vec::new();
        if self.simulated {
            notices.push(
                "these turns are simulated: labels on them check the instrument, no model"
                    .to_owned(),
            );
        }
        if self.drawn_from < self.over {
            notices.push(format!(
                "it was drawn when {} of the run's debates were over, and {} are now",
                self.drawn_from, self.over
            ));
        } else if self.over < self.debates {
            notices.push(format!(
                "drawn from the {} of the run's {} debates that are over",
                self.over, self.debates
            ));
        }
        notices
    }
}

/// Finds the queue of a run, or draws it: [`RUN_SAMPLE_TURNS`] turns over strata of the evaluator's
/// verdict, by seed 0, with hidden repeats. Its items are durable when this returns. Blocks while it
/// reads sessions.
///
/// # Errors
/// When there is no such run, no debate of it is over, or a queue of its name was drawn from
/// something else.
pub async fn draw_run_sample(
    store: &StoreContext,
    library: &Library,
    run: &RunId,
) -> Result<RunSample, WorkspaceError> {
    let state = read_whole_run(&store.layout, run)?;
    let runs = match &state.whole {
        Some(whole) => whole.runs().cloned().collect(),
        None => vec![run.clone()],
    };
    let queue = run_queue_name(run);
    let is_simulated =
        state.manifest.casts.iter().flatten().any(
            |participant| matches!(&participant.player, Player::Model(model) if model.simulated),
        );
    let sample = RunSample {
        queue,
        drawn: None,
        simulated: is_simulated,
        over: state.finished.len(),
        drawn_from: state.finished.len(),
        debates: state.items.len(),
    };
    if store.layout.queue_path(&sample.queue)?.exists() {
        let existing_filter = find_labelled_queue(&store.layout, &sample.queue)?
            .definition
            .filter;
        // Of a run in parts, others may have come since.
        let is_of_run = existing_filter.runs.iter().all(|of| runs.contains(of));
        if existing_filter.runs.is_empty() || !is_of_run {
            return Err(WorkspaceError::Invalid(format!(
                "the queue '{}' was not drawn from run {run} alone; draw another with: elenchus \
                 labels queue NAME --run {run} --sample {RUN_SAMPLE_TURNS}",
                sample.queue
            )));
        }
        return Ok(RunSample {
            drawn_from: existing_filter.sessions.len(),
            ..sample
        });
    }
    if state.finished.is_empty() {
        return Err(WorkspaceError::Invalid(format!(
            "no debate of run {run} is over, and turns are drawn from those that are; go on with: \
             elenchus run --resume {run}"
        )));
    }
    let finished_debates = state.finished.values();
    let sessions = finished_debates.map(|done| done.session.clone()).collect();
    let plan = plan_sample(runs, sessions, &sample);
    let sample_queue = begin_queue(store, &library.read_label_set(SET)?, plan).await?;
    Ok(RunSample {
        drawn: Some(sample_queue),
        ..sample
    })
}

/// Returns the name of a run's own queue.
fn run_queue_name(run: &RunId) -> String {
    let id = run.as_str();
    let short = id.len().saturating_sub(SHORT_ID);
    format!("run-{}", id.get(short..).unwrap_or(id))
}

fn plan_sample(runs: Vec<RunId>, sessions: Vec<SessionId>, sample: &RunSample) -> QueuePlan {
    QueuePlan {
        queue: sample.queue.clone(),
        filter: QueueFilter {
            // Named one by one, others need not be read to find them.
            sessions,
            runs,
            labelled: LabelledBefore::Included,
            people: PeoplesTurns::LeftOut,
            of: match sample.simulated {
                true => PlayedBy::Simulated,
                false => PlayedBy::Models,
            },
            ..QueueFilter::default()
        },
        unit: QueueUnit::Turn,
        sampling: Sampling::Sample {
            units: RUN_SAMPLE_TURNS,
        },
        strata: vec![StratifyBy::Verdict],
        order: ItemOrder::ByTopic,
        repeats_percent: REPEATS_PERCENT,
        seed: 0,
    }
}
