//! Trial in progress: its samples are played under its journal and its budget.

use super::call::CallContext;
use super::plan::{FORMAT, PlayedTry, TrialPlan, TryPlan};
use super::sample::{self, SampleEnd, TrialUpdate, TrySample, read_sample, remove_bare_samples};
use crate::engine::seats::Seats;
use crate::engine::{CostCeiling, Repeats, ReplyCache, check_budget, check_models};
use crate::experiments::engine::{
    ExperimentContext, ExperimentEnd, ItemEnd, ItemExperiment, ItemPerformer, OpenItem,
    read_blocking,
};
use elenchus_game::debate::CostEstimate;
use elenchus_game::debate::protocol::Ceilings;
use elenchus_records::library::software_name;
use elenchus_records::workspace::Result;
use futures_util::future::BoxFuture;
use std::sync::{Arc, Mutex, PoisonError};
use tokio::sync::mpsc::UnboundedSender;

/// Returns the models with what they answered to earlier tries, or to those of an experiment that asks
/// everything anew.
pub(in crate::experiments) fn seats_with_cache(
    context: &ExperimentContext,
    repeats: Repeats,
    experiment: &str,
) -> Arc<Seats> {
    let replies = ReplyCache::new(&context.store.layout, repeats, experiment);
    Arc::new(context.seats.with_reply_cache(replies))
}

/// A trial that this process plays.
pub struct PromptTrial {
    /// Its journal, as far as it is written.
    pub items: ItemExperiment<TrialPlan>,
    call: CallContext,
}

impl PromptTrial {
    /// Goes on with a trial that asks for the same and is not complete; begins one where there is none.
    ///
    /// # Errors
    /// When the turn is not recorded, the changed prompt cannot be used there, or the disk refuses.
    pub async fn resume_or_begin(context: &ExperimentContext, try_plan: TryPlan) -> Result<Self> {
        try_plan.check_samples()?;
        let call = read_call(context, &try_plan).await?;
        let plan = TrialPlan {
            format: FORMAT,
            id: context.store.clock.fresh_id(),
            software: software_name(),
            asked: try_plan.clone(),
        };
        let is_same = |known: &TrialPlan| known.asked.is_same(&try_plan);
        let items = ItemExperiment::resume_or_begin(context, plan, is_same).await?;
        Self { items, call }.settle_samples(context).await
    }

    /// Goes on with a trial; ceilings that are given replace its own.
    ///
    /// # Errors
    /// When another process plays it, its journal or its turn cannot be read.
    pub async fn resume(context: &ExperimentContext, id: &str, ceilings: Ceilings) -> Result<Self> {
        check_budget(ceilings.cost_usd)?;
        let items = ItemExperiment::<TrialPlan>::resume(context, id, ceilings).await?;
        let call = read_call(context, &items.log.state.plan.asked).await?;
        Self { items, call }.settle_samples(context).await
    }

    /// Counts what samples used that were cut off: they are begun again, and what they were answered is
    /// not asked again.
    async fn settle_samples(mut self, context: &ExperimentContext) -> Result<Self> {
        remove_bare_samples(context)?;
        let layout = &context.store.layout;
        let read_use = |session: &_| {
            let sample = read_sample(layout, session)?;
            Ok((sample.committed_expense(), sample.spend().unpriced_calls))
        };
        self.items.settle_sessions(read_use).await?;
        Ok(self)
    }

    /// Returns the call with the state in which it was made.
    pub fn call(&self) -> &CallContext {
        &self.call
    }

    /// Plays every sample that is missing and returns all there are, in their order; updates are sent
    /// meanwhile. Stopping ends samples where they are: what came is kept.
    ///
    /// # Errors
    /// When a sample that was played earlier cannot be read, or the disk refuses.
    pub async fn play_samples(
        &mut self,
        context: &ExperimentContext,
        updates: UnboundedSender<TrialUpdate>,
    ) -> Result<(ExperimentEnd, Vec<TrySample>)> {
        let state = &self.items.log.state;
        let TrialPlan {
            asked: try_plan,
            id,
            ..
        } = &state.plan;
        let mut samples = Vec::new();
        for (item, played) in &state.done {
            let sample = TrySample {
                number: state.plan.sample_number(*item),
                session: played.session.clone(),
                call: try_plan.call.clone(),
                state: read_sample(&context.store.layout, &played.session)?,
                end: SampleEnd::Played,
            };
            sample.send_updates(&updates);
            samples.push(sample);
        }
        let sampler = Sampler {
            seats: seats_with_cache(context, try_plan.repeats, id),
            call: &self.call,
            updates,
            samples: Mutex::new(samples),
        };
        let end = self.items.perform_missing(context, &sampler).await?;
        let samples = sampler.samples.into_inner();
        let mut samples = samples.unwrap_or_else(PoisonError::into_inner);
        samples.sort_by_key(|sample| sample.number);
        Ok((end, samples))
    }
}

/// Reads the call, and checks the changed prompt on it and the models before anything is paid for.
async fn read_call(context: &ExperimentContext, try_plan: &TryPlan) -> Result<CallContext> {
    let (layout, session) = (context.store.layout.clone(), try_plan.session.clone());
    let (tried, change) = (try_plan.call.clone(), try_plan.change.clone());
    let seats = Arc::clone(&context.seats);
    let read_task = read_blocking(move || {
        CallContext::read_for_changes(&layout, (&session, &tried), &seats, &change)
    });
    let call = read_task.await?;
    if let Some(created) = call.state().first_event() {
        let ceiling = CostCeiling::from_budget(try_plan.ceilings.cost_usd, &created.protocol);
        check_models(&created.cast, &context.seats, ceiling)?;
    }
    Ok(call)
}

/// Plays the samples of a trial.
struct Sampler<'a> {
    seats: Arc<Seats>,
    call: &'a CallContext,
    updates: UnboundedSender<TrialUpdate>,
    samples: Mutex<Vec<TrySample>>,
}

impl Sampler<'_> {
    async fn play_item(&self, item: &OpenItem<TrialPlan>) -> Result<ItemEnd<PlayedTry>> {
        let try_plan = &item.plan.asked;
        let number = item.plan.sample_number(item.number);
        let store = &item.stage.context.store;
        let change_and_roll = (try_plan.change.as_ref(), try_plan.roll);
        let session = &try_plan.session;
        let start = self
            .call
            .build_start(store, session, change_and_roll, number);
        let on_open = |session: &_| item.record_session(session);
        let result =
            sample::play_sample(&item.stage, &self.seats, start, (&self.updates, &on_open)).await?;
        item.add_spend(result.state.spend());
        let end = result.end.as_item().map(|()| PlayedTry {
            session: result.session.clone(),
        });
        let mut samples = self.samples.lock().unwrap_or_else(PoisonError::into_inner);
        samples.push(TrySample {
            number,
            session: result.session,
            call: try_plan.call.clone(),
            state: result.state,
            end: result.end,
        });
        Ok(end)
    }
}

impl ItemPerformer<TrialPlan> for Sampler<'_> {
    fn estimate_item(
        &self,
        context: &ExperimentContext,
        plan: &TrialPlan,
        _: u64,
    ) -> Option<CostEstimate> {
        super::estimate_sample(context, &plan.asked).ok()
    }

    fn perform_item<'p>(
        &'p self,
        item: OpenItem<TrialPlan>,
    ) -> BoxFuture<'p, Result<ItemEnd<PlayedTry>>> {
        Box::pin(async move { self.play_item(&item).await })
    }
}
