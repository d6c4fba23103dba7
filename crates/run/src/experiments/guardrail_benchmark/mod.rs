//! Guardrail benchmark: guardrails decide about prompts that must not be refused and prompts that must be.
//!
//! Every prompt is decided as in a debate: the nearest guardrails are retrieved, and a model is shown the same
//! request. A decision is kept by its exact request in a log of its own as it arrives, so that no benchmark of
//! one person, file and model buys it twice.

mod decide;
mod plan;
mod report;

pub use decide::Decider;
pub use plan::{BenchmarkPlan, BenchmarkRequest, plan_benchmark};

use crate::engine::{CostCeiling, check_budget, check_models};
use crate::experiments::engine::{
    ExperimentContext, ExperimentEnd, ItemExperiment, Stage, perform_part,
};
use elenchus_game::debate::protocol::Ceilings;
use elenchus_memory::{EntryId, GuardReport};
use elenchus_records::workspace::Result;
use elenchus_records::workspace::memory::DecisionLog;
use std::sync::Arc;

/// A benchmark that this process carries out.
pub struct GuardrailBenchmark {
    /// Its journal, as far as it is written.
    pub items: ItemExperiment<BenchmarkPlan>,
    log: Arc<DecisionLog>,
}

impl GuardrailBenchmark {
    /// Goes on with a benchmark that asks for the same and is not complete; begins one where there is none.
    ///
    /// # Errors
    /// When the journal cannot be written.
    pub async fn resume_or_begin(
        context: &ExperimentContext,
        plan: BenchmarkPlan,
        log: Arc<DecisionLog>,
    ) -> Result<Self> {
        let new_plan = plan.clone();
        let is_same = |known: &BenchmarkPlan| new_plan.is_same(known);
        let items = ItemExperiment::resume_or_begin(context, plan, is_same).await?;
        Ok(Self { items, log })
    }

    /// Goes on with a benchmark; ceilings that are given replace its own.
    ///
    /// # Errors
    /// When another process carries it out, its journal cannot be read, or a model has no price under a
    /// ceiling.
    pub async fn resume(
        context: &ExperimentContext,
        id: &str,
        ceilings: Ceilings,
        log: Arc<DecisionLog>,
    ) -> Result<Self> {
        check_budget(ceilings.cost_usd)?;
        let items = ItemExperiment::<BenchmarkPlan>::resume(context, id, ceilings).await?;
        let plan = &items.log.state.plan;
        let ceiling = CostCeiling::from_budget(plan.ceilings.cost_usd, &plan.created.protocol);
        check_models(&plan.created.cast, &context.seats, ceiling)?;
        Ok(Self { items, log })
    }

    /// Asks for every decision that is missing.
    ///
    /// # Errors
    /// When a template fails, a model cannot be made ready, or what was decided cannot be kept.
    pub async fn decide_missing(&mut self, context: &ExperimentContext) -> Result<ExperimentEnd> {
        let state = &self.items.log.state;
        let log = Arc::clone(&self.log);
        let decider = Decider::new(&state.plan, log, &state.begun_at)?;
        self.items.perform_missing(context, &decider).await
    }

    /// Returns the report of each guardrail whose prompts were all tried.
    pub fn build_reports(&self) -> Vec<(EntryId, GuardReport)> {
        report::build_reports(&self.items.log.state)
    }
}

/// Carries out a benchmark as a part of another experiment, and reports as far as everything was tried.
///
/// # Errors
/// As [`GuardrailBenchmark::decide_missing`].
pub(super) async fn perform_benchmark(
    plan: &BenchmarkPlan,
    log: &Arc<DecisionLog>,
    stage: &Stage,
) -> Result<Vec<(EntryId, GuardReport)>> {
    let decider = Decider::new(plan, Arc::clone(log), "")?;
    let state = perform_part(plan.clone(), stage, &decider).await?;
    Ok(report::build_reports(&state))
}
