//! Play of a sweep: its points one after the other, each a run under the sweep's budget.

use crate::debate::protocol::Ceilings;
use crate::debate::{Expense, RunId, Spend};
use crate::experiments::engine::{
    Closed, Experiment, ExperimentContext, ExperimentEnd, ExperimentLog, ItemEnd, ItemLeft, Opened,
    Recorded, Stage,
};
use crate::experiments::run::{self, Run};
use crate::workspace::run::{RunEvent, read_run};
use crate::workspace::sweep::{PointStanding, SweepEvent};
use crate::workspace::{ExperimentEvent, ExperimentSummary, Result};
use futures_util::FutureExt;
use std::collections::VecDeque;

/// Points of a sweep that are not finished.
pub(super) struct OpenPoints<'s> {
    log: &'s mut ExperimentLog<SweepEvent>,
    /// What runs are played with.
    of_runs: ExperimentContext,
    waiting: VecDeque<u32>,
    tell: TellPoint<'s>,
}

/// Called with the point that begins.
pub type TellPoint<'a> = &'a (dyn Fn(&str) + Send + Sync);

/// A point that was played.
pub(super) struct PlayedPoint {
    point: u32,
    run: RunId,
    played: Result<PointEnd>,
}

/// End of a point.
enum PointEnd {
    Finished {
        used: Expense,
        priced: bool,
    },
    Failed {
        debates: u64,
        why: String,
    },
    /// A ceiling was reached, or the sweep was stopped.
    Unfinished,
}

impl<'s> OpenPoints<'s> {
    pub(super) fn new(
        log: &'s mut ExperimentLog<SweepEvent>,
        context: &ExperimentContext,
        tell: TellPoint<'s>,
    ) -> Self {
        let count = u32::try_from(log.state.manifest.points.len()).unwrap_or(u32::MAX);
        let waiting = (0..count).filter(|point| !log.state.is_finished(*point));
        Self {
            waiting: waiting.collect(),
            of_runs: context.clone(),
            log,
            tell,
        }
    }
}

impl Experiment<'static, PlayedPoint> for OpenPoints<'_> {
    fn summary(&self) -> ExperimentSummary {
        SweepEvent::summary(&self.log.state)
    }

    fn spent(&self, context: &ExperimentContext) -> Result<Expense> {
        let mut spent = Expense::default();
        for (number, point) in (0..).zip(&self.log.state.manifest.points) {
            let used = match self.log.state.tried.get(&number) {
                Some(PointStanding::Finished { used, .. }) => *used,
                Some(PointStanding::Failed { .. }) | None => {
                    let path = context.desk.layout.run(point.run.as_str())?;
                    run::spent(&read_run(&path)?, context)?
                }
            };
            spent = spent.plus(used);
        }
        Ok(spent)
    }

    fn open<'o>(&'o mut self, stage: &'o Stage) -> Opened<'o, 'static, PlayedPoint> {
        Box::pin(async move {
            let Some(number) = self.waiting.pop_front() else {
                return Ok(None);
            };
            let manifest = &self.log.state.manifest;
            let Some(point) = manifest.points.get(number as usize) else {
                return Ok(None);
            };
            let of = manifest.points.len();
            (self.tell)(&format!(
                "point {} of {of}: {}, run {}",
                number + 1,
                manifest.name_of(point),
                point.run
            ));
            let context = self.of_runs.under(&stage.budget);
            let (run, ceilings) = (point.run.clone(), manifest.ceilings);
            let playing = async move {
                PlayedPoint {
                    point: number,
                    played: play(&context, &run, ceilings).await,
                    run,
                }
            };
            Ok(Some(playing.boxed()))
        })
    }

    fn record<'o>(&'o mut self, _: &'o Stage, came: PlayedPoint) -> Recorded<'o> {
        Box::pin(async move {
            let PlayedPoint { point, run, played } = came;
            let (end, event) = match played? {
                PointEnd::Finished { used, priced } => (
                    ItemEnd::Done,
                    SweepEvent::Finished {
                        point,
                        run,
                        committed_usd: used.usd,
                        committed_calls: used.calls,
                        committed_tokens: used.tokens,
                        priced: Some(priced),
                    },
                ),
                PointEnd::Failed { debates, why } => (
                    ItemEnd::Failed(why.clone()),
                    SweepEvent::Failed {
                        point,
                        run,
                        debates,
                        why,
                    },
                ),
                PointEnd::Unfinished => return Ok(None),
            };
            self.log.note(event).await?;
            Ok(Some(ItemLeft {
                name: format!("point {}", point + 1),
                end,
                spend: Spend::default(),
            }))
        })
    }

    fn missing(&self) -> usize {
        let state = &self.log.state;
        let finished = (0..).zip(&state.manifest.points);
        let finished = finished.filter(|(number, _)| state.is_finished(*number));
        state.manifest.points.len() - finished.count()
    }

    fn close<'o>(&'o mut self, end: &'o ExperimentEnd) -> Closed<'o> {
        Box::pin(self.log.close(end))
    }
}

async fn play(context: &ExperimentContext, id: &RunId, ceilings: Ceilings) -> Result<PointEnd> {
    let mut run = Run::resume_point(context, id, ceilings).await?;
    Ok(match run.play(context).await? {
        ExperimentEnd::Completed => PointEnd::Finished {
            used: run::spent(run.state(), context)?,
            priced: RunEvent::summary(run.state()).committed_usd.is_some(),
        },
        ExperimentEnd::WithFailures(missing) => {
            let failures = RunEvent::summary(run.state()).failures;
            let first = failures.into_iter().next();
            PointEnd::Failed {
                debates: missing as u64,
                why: first.map_or_else(String::new, |(topic, why)| format!("{topic}: {why}")),
            }
        }
        ExperimentEnd::Paused { .. } => PointEnd::Unfinished,
    })
}
