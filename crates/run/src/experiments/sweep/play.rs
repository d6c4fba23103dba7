//! Play of a sweep: its points one after the other, each a run under the sweep's budget.

use crate::experiments::engine::{
    Experiment, ExperimentContext, ExperimentEnd, ExperimentLog, ItemEnd, ItemReport, OpenedItem,
    Recorded, Stage,
};
use crate::experiments::run::{self, Run};
use elenchus_game::debate::protocol::Ceilings;
use elenchus_game::debate::{Expense, RunId, Spend};
use elenchus_records::workspace::Result;
use elenchus_records::workspace::run::read_run;
use elenchus_records::workspace::sweep::{PointStanding, SweepEvent, SweepState};
use futures_util::FutureExt;
use std::collections::VecDeque;

/// Points of a sweep that are not finished.
pub(super) struct OpenPoints<'s> {
    /// What runs are played with.
    run_context: ExperimentContext,
    waiting: VecDeque<u32>,
    tell: PointCallback<'s>,
}

/// Called with the point that begins.
pub type PointCallback<'a> = &'a (dyn Fn(&str) + Send + Sync);

/// A point that was played, and the event that keeps it.
type PlayedPoint = (u32, Option<SweepEvent>);

impl<'s> OpenPoints<'s> {
    pub(super) fn new(
        state: &SweepState,
        context: &ExperimentContext,
        tell: PointCallback<'s>,
    ) -> Self {
        let count = u32::try_from(state.manifest.points.len()).unwrap_or(u32::MAX);
        let waiting = (0..count).filter(|point| !state.is_finished(*point));
        Self {
            waiting: waiting.collect(),
            run_context: context.clone(),
            tell,
        }
    }
}

impl Experiment<'static> for OpenPoints<'_> {
    type Event = SweepEvent;
    type Outcome = PlayedPoint;

    fn sum_earlier_expense(
        &self,
        state: &SweepState,
        context: &ExperimentContext,
    ) -> Result<Expense> {
        let mut expense = Expense::default();
        for (number, point) in (0..).zip(&state.manifest.points) {
            let point_expense = match state.tried.get(&number) {
                Some(PointStanding::Finished { used, .. }) => *used,
                Some(PointStanding::Failed { .. }) | None => {
                    let path = context.store.layout.run_path(point.run.as_str())?;
                    run::sum_run_expense(&read_run(&path)?, context)?
                }
            };
            expense = expense.plus(point_expense);
        }
        Ok(expense)
    }

    fn open_next_item<'o>(
        &'o mut self,
        log: &'o mut ExperimentLog<SweepEvent>,
        stage: &'o Stage,
    ) -> OpenedItem<'o, 'static, PlayedPoint> {
        let manifest = &log.state.manifest;
        let point = self.waiting.pop_front();
        let point = point.and_then(|number| Some((number, manifest.points.get(number as usize)?)));
        let point_task = point.map(|(number, point)| {
            (self.tell)(&format!(
                "point {} of {}: {}, run {}",
                number + 1,
                manifest.points.len(),
                manifest.name_of(point),
                point.run
            ));
            let context = self.run_context.with_budget(&stage.budget);
            let (run, ceilings) = (point.run.clone(), manifest.ceilings);
            async move { play_point(&context, (number, run), ceilings).await }.boxed()
        });
        Box::pin(async move { Ok(point_task) })
    }

    fn record_outcome<'o>(
        &'o mut self,
        log: &'o mut ExperimentLog<SweepEvent>,
        _: &'o Stage,
        (point, end): PlayedPoint,
    ) -> Recorded<'o> {
        let item_left = ItemReport {
            name: format!("point {}", point + 1),
            end: match &end {
                Some(SweepEvent::Failed { why, .. }) => ItemEnd::Failed(why.clone()),
                Some(_) => ItemEnd::Done(()),
                None => ItemEnd::Unfinished,
            },
            spend: Spend::default(),
        };
        Box::pin(async move {
            if let Some(event) = end {
                log.record_event(event).await?;
            }
            Ok(Some(item_left))
        })
    }

    fn count_missing(&self, state: &SweepState) -> usize {
        let points = (0..).zip(&state.manifest.points);
        points
            .filter(|(number, _)| !state.is_finished(*number))
            .count()
    }
}

/// Plays a point and says what its journal keeps of that; nothing where it can be resumed: a ceiling was
/// reached, or the sweep was stopped.
async fn play_point(
    context: &ExperimentContext,
    (point, id): (u32, RunId),
    ceilings: Ceilings,
) -> Result<PlayedPoint> {
    let mut run = Run::resume_point(context, &id, ceilings).await?;
    let end = run.play_debates(context).await?;
    let summary = run.log.summarize();
    let event = match end {
        ExperimentEnd::Completed => {
            let expense = run::sum_run_expense(&run.log.state, context)?;
            Some(SweepEvent::Finished {
                point,
                run: id,
                committed_usd: expense.usd,
                committed_calls: expense.calls,
                committed_tokens: expense.tokens,
                priced: Some(summary.committed_usd.is_some()),
            })
        }
        ExperimentEnd::WithFailures(missing) => {
            let first = summary.failures.into_iter().next();
            Some(SweepEvent::Failed {
                point,
                run: id,
                debates: missing as u64,
                why: first.map_or_else(String::new, |(topic, why)| format!("{topic}: {why}")),
            })
        }
        ExperimentEnd::Paused { .. } => None,
    };
    Ok((point, event))
}
