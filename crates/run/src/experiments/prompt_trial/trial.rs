//! Trial in progress: its samples are played under its journal and its budget.

use super::context::TurnContext;
use super::plan::{FORMAT, PlayedTry, TrialPlan, TryPlan};
use super::sample::{
    self, SampleEnd, SampleStart, TrialUpdate, TrySample, read_sample, sweep_samples,
};
use crate::engine::seats::Seats;
use crate::engine::{CostCeiling, Repeats, ReplyCache, check_budget, check_models};
use crate::experiments::engine::{
    ExperimentContext, ExperimentEnd, ItemEnd, ItemExperiment, ItemPerformer, OpenItem, read_apart,
};
use elenchus_game::debate::CostEstimate;
use elenchus_game::debate::protocol::Ceilings;
use elenchus_records::library::software;
use elenchus_records::workspace::Result;
use futures_util::future::BoxFuture;
use std::sync::{Arc, Mutex, PoisonError};
use tokio::sync::mpsc::UnboundedSender;

/// Returns the models with what they answered to earlier tries, or to those of an experiment that asks
/// everything anew.
pub(in crate::experiments) fn seats_that(
    context: &ExperimentContext,
    repeats: Repeats,
    experiment: &str,
) -> Arc<Seats> {
    let replies = ReplyCache::new(&context.desk.layout, repeats, experiment);
    Arc::new(context.seats.remembering(replies))
}

/// A trial that this process plays.
pub struct PromptTrial {
    /// Its journal, as far as it is written.
    pub items: ItemExperiment<TrialPlan>,
    turn: TurnContext,
}

impl PromptTrial {
    /// Goes on with a trial that asks for the same and is not complete; begins one where there is none.
    ///
    /// # Errors
    /// When the turn is not recorded, the changed prompt cannot be used there, or the disk refuses.
    pub async fn go_on_or_begin(context: &ExperimentContext, asked: TryPlan) -> Result<Self> {
        asked.check()?;
        let turn = read_turn(context, &asked).await?;
        let plan = TrialPlan {
            format: FORMAT,
            id: context.desk.clock.fresh_id(),
            software: software(),
            asked: asked.clone(),
        };
        let is_same = |known: &TrialPlan| known.asked.is_same(&asked);
        let items = ItemExperiment::go_on_or_begin(context, plan, is_same).await?;
        Self { items, turn }.settled(context).await
    }

    /// Goes on with a trial; ceilings that are given replace its own.
    ///
    /// # Errors
    /// When another process plays it, its journal or its turn cannot be read.
    pub async fn resume(context: &ExperimentContext, id: &str, ceilings: Ceilings) -> Result<Self> {
        check_budget(ceilings.cost_usd)?;
        let items = ItemExperiment::<TrialPlan>::resume(context, id, ceilings).await?;
        let turn = read_turn(context, &items.log.state.plan.asked).await?;
        Self { items, turn }.settled(context).await
    }

    /// Counts what samples used that were cut off: they are begun again, and what they were answered is
    /// not asked again.
    async fn settled(mut self, context: &ExperimentContext) -> Result<Self> {
        sweep_samples(context)?;
        let layout = &context.desk.layout;
        let used = |session: &_| {
            let sample = read_sample(layout, session)?;
            Ok((sample.committed(), sample.spend().unpriced_calls))
        };
        self.items.settle_sessions(used).await?;
        Ok(self)
    }

    /// Returns the turn with the state in which it was asked for.
    pub fn turn(&self) -> &TurnContext {
        &self.turn
    }

    /// Plays every sample that is missing and returns all there are, in their order; updates are sent
    /// meanwhile. Stopping ends samples where they are: what came is kept.
    ///
    /// # Errors
    /// When a sample that was played earlier cannot be read, or the disk refuses.
    pub async fn play(
        &mut self,
        context: &ExperimentContext,
        tell: UnboundedSender<TrialUpdate>,
    ) -> Result<(ExperimentEnd, Vec<TrySample>)> {
        let state = &self.items.log.state;
        let TrialPlan { asked, id, .. } = &state.plan;
        let mut samples = Vec::new();
        for (item, played) in &state.done {
            let sample = TrySample {
                number: state.plan.number(*item),
                session: played.session.clone(),
                turn: asked.turn.clone(),
                state: read_sample(&context.desk.layout, &played.session)?,
                end: SampleEnd::Played,
            };
            sample.tell(&tell);
            samples.push(sample);
        }
        let sampler = Sampler {
            seats: seats_that(context, asked.repeats, id),
            turn: &self.turn,
            tell,
            samples: Mutex::new(samples),
        };
        let end = self.items.play(context, &sampler).await?;
        let samples = sampler.samples.into_inner();
        let mut samples = samples.unwrap_or_else(PoisonError::into_inner);
        samples.sort_by_key(|sample| sample.number);
        Ok((end, samples))
    }
}

/// Reads the turn, and checks the changed prompt on it and the models before anything is paid for.
async fn read_turn(context: &ExperimentContext, asked: &TryPlan) -> Result<TurnContext> {
    let path = context.desk.layout.session(asked.session.as_str())?;
    let (turn, change) = (asked.turn.clone(), asked.change.clone());
    let read = read_apart(move || {
        let turn = TurnContext::read(&path, &turn)?;
        if let Some(change) = &change {
            turn.rendered(change)?;
        }
        Ok(turn)
    });
    let turn = read.await?;
    if let Some(created) = turn.state.created() {
        let ceiling = CostCeiling::from_budget(asked.ceilings.cost_usd, &created.protocol);
        check_models(&created.cast, &context.seats, ceiling)?;
    }
    Ok(turn)
}

/// Plays the samples of a trial.
struct Sampler<'a> {
    seats: Arc<Seats>,
    turn: &'a TurnContext,
    tell: UnboundedSender<TrialUpdate>,
    samples: Mutex<Vec<TrySample>>,
}

impl Sampler<'_> {
    async fn play(&self, item: &OpenItem<TrialPlan>) -> Result<ItemEnd<PlayedTry>> {
        let asked = &item.plan.asked;
        let number = item.plan.number(item.number);
        let desk = &item.stage.context.desk;
        let start = SampleStart {
            change: asked.change.as_ref(),
            roll: asked.roll,
            ..self.turn.start(desk, &asked.session, number)
        };
        let opened = |session: &_| item.opened(session);
        let left = sample::play(&item.stage, &self.seats, start, (&self.tell, &opened)).await?;
        item.count(left.state.spend());
        let end = left.end.as_item().map(|()| PlayedTry {
            session: left.session.clone(),
        });
        let mut samples = self.samples.lock().unwrap_or_else(PoisonError::into_inner);
        samples.push(TrySample {
            number,
            session: left.session,
            turn: asked.turn.clone(),
            state: left.state,
            end: left.end,
        });
        Ok(end)
    }
}

impl ItemPerformer<TrialPlan> for Sampler<'_> {
    fn estimate(
        &self,
        context: &ExperimentContext,
        plan: &TrialPlan,
        _: u64,
    ) -> Option<CostEstimate> {
        super::estimate_sample(context, &plan.asked).ok()
    }

    fn perform<'p>(
        &'p self,
        item: OpenItem<TrialPlan>,
    ) -> BoxFuture<'p, Result<ItemEnd<PlayedTry>>> {
        Box::pin(async move { self.play(&item).await })
    }
}
