//! The queue that a run is labelled from when nobody says how: a few of its turns, over what the
//! evaluator found.

use super::super::error::DriverError;
use super::super::library::Library;
use super::super::run_state::read_run;
use super::book::{Extended, QueuePlan, begin_queue, find_queue};
use super::definition::{
    ItemOrder, LabelledBefore, PeoplesTurns, QueueFilter, QueueUnit, Sampling, SessionsOf,
    StratifyBy,
};
use crate::debate::event::Player;
use crate::debate::{RunId, SessionId};
use crate::driver::desk::Desk;

/// The label set that turns are labelled by where none is named.
const SET: &str = "safety";
/// How many turns are drawn, of a run that has so many.
pub const SAMPLE_OF_RUN: u32 = 20;
/// The last letters of a run's id in the name of its queue: ids of one minute differ there.
const SHORT_ID: usize = 8;
/// How many of a hundred turns are shown a second time.
const REPEATS_PERCENT: f64 = 5.0;

/// A run's own queue.
#[derive(Debug, Clone)]
pub struct SampleOfRun {
    pub queue: String,
    /// What was drawn; `None` where the queue was there already.
    pub drawn: Option<Extended>,
    /// Simulated models played, so labels check the instrument and say nothing about models.
    pub simulated: bool,
    /// Debates of the run that are over.
    pub over: usize,
    /// Debates of the run that the queue was drawn from.
    pub drawn_from: usize,
    pub debates: usize,
}

impl SampleOfRun {
    /// Returns what whoever labels should know before the first turn.
    pub fn notices(&self) -> Vec<String> {
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

/// Takes the queue of a run, or draws it: [`SAMPLE_OF_RUN`] turns over strata of the evaluator's
/// verdict, by seed 0, with hidden repeats. Its items are durable when this returns. Blocks while it
/// reads sessions.
///
/// # Errors
/// When there is no such run, no debate of it is over, or a queue of its name was drawn from
/// something else.
pub async fn sample_of_run(
    desk: &Desk,
    library: &Library,
    run: &RunId,
) -> Result<SampleOfRun, DriverError> {
    let state = read_run(&desk.layout.run(run.as_str())?)?;
    let queue = queue_of_run(run);
    let simulated =
        state.manifest.casts.iter().flatten().any(
            |participant| matches!(&participant.player, Player::Model(model) if model.simulated),
        );
    let sample = SampleOfRun {
        queue,
        drawn: None,
        simulated,
        over: state.finished.len(),
        drawn_from: state.finished.len(),
        debates: state.items.len(),
    };
    if desk.layout.queue(&sample.queue)?.exists() {
        let there = find_queue(&desk.layout, &sample.queue)?.definition.filter;
        if there.runs != [run.clone()] {
            return Err(DriverError::Invalid(format!(
                "the queue '{}' was not drawn from run {run} alone; draw another with: elenchus \
                 labels queue NAME --run {run} --sample {SAMPLE_OF_RUN}",
                sample.queue
            )));
        }
        return Ok(SampleOfRun {
            drawn_from: there.sessions.len(),
            ..sample
        });
    }
    if state.finished.is_empty() {
        return Err(DriverError::Invalid(format!(
            "no debate of run {run} is over, and turns are drawn from those that are; go on with: \
             elenchus run --resume {run}"
        )));
    }
    let done = state.finished.values();
    let sessions = done.map(|done| done.session.clone()).collect();
    let plan = plan(run, sessions, &sample);
    let drawn = begin_queue(desk, &library.label_set(SET)?, plan).await?;
    Ok(SampleOfRun {
        drawn: Some(drawn),
        ..sample
    })
}

/// Returns the name of a run's own queue.
pub fn queue_of_run(run: &RunId) -> String {
    let id = run.as_str();
    let short = id.len().saturating_sub(SHORT_ID);
    format!("run-{}", id.get(short..).unwrap_or(id))
}

fn plan(run: &RunId, sessions: Vec<SessionId>, sample: &SampleOfRun) -> QueuePlan {
    QueuePlan {
        queue: sample.queue.clone(),
        filter: QueueFilter {
            // Named one by one, others need not be read to find them.
            sessions,
            runs: vec![run.clone()],
            labelled: LabelledBefore::Included,
            people: PeoplesTurns::LeftOut,
            of: match sample.simulated {
                true => SessionsOf::Simulated,
                false => SessionsOf::Models,
            },
            ..QueueFilter::default()
        },
        unit: QueueUnit::Turn,
        sampling: Sampling::Sample {
            units: SAMPLE_OF_RUN,
        },
        strata: vec![StratifyBy::Verdict],
        order: ItemOrder::ByTopic,
        repeats_percent: REPEATS_PERCENT,
        seed: 0,
    }
}
