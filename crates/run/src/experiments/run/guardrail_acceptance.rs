//! Acceptance of proposed guardrails between the batches of a run: each is tested, and accepted if it refuses few
//! enough of the prompts that must not be refused.

use crate::experiments::engine::Stage;
use crate::experiments::guardrail_benchmark::{
    BenchmarkRequest, perform_benchmark, plan_benchmark,
};
use elenchus_game::debate::Chair;
use elenchus_game::debate::event::{Created, Player};
use elenchus_memory::{EntryStatus, GuardAcceptance, GuardStatus, MemoryEntry, MemoryEvent};
use elenchus_records::workspace::memory::{
    DecisionLog, DecisionLogKey, EarlierDecisions, MemoryBook,
};
use elenchus_records::workspace::run::AcceptRule;
use elenchus_records::workspace::{Result, reject};
use std::collections::BTreeSet;
use std::sync::Arc;

/// What guardrails are accepted with.
pub(super) struct GuardrailAcceptance<'a> {
    pub stage: &'a Stage,
    pub memory: &'a MemoryBook,
    pub rule: &'a AcceptRule,
    /// How a debate of the run begins.
    pub created: Created,
    /// Only what was proposed in this batch or an earlier one: those are over.
    pub up_to: Option<u32>,
}

impl GuardrailAcceptance<'_> {
    /// Tests every proposal that has no test yet, each alone and by every debater's model, and accepts
    /// those whose over-refusal is at most the rule's share by all of them.
    ///
    /// # Errors
    /// When the set has no safe prompt, a call cannot be made, the test was stopped, or the journal
    /// cannot be written. What was tested before is kept.
    pub(crate) async fn test_and_accept(&self) -> Result<()> {
        let chairs = list_model_chairs(&self.created);
        let place = self.created.run.as_ref();
        let run = place.map_or("", |place| place.run.as_str());
        let is_untested = |guard: &&MemoryEntry| {
            guard.acceptance() == Some(GuardStatus::Proposed)
                && guard.current_report().is_none()
                && guard.availability() == EntryStatus::Live
                && first_batch(guard) <= self.up_to
                && guard
                    .origins
                    .iter()
                    .any(|origin| origin.run.as_deref() == Some(run))
        };
        let fold = self.memory.fold_guardrails()?;
        let guards: Vec<&MemoryEntry> = fold.entries.iter().filter(is_untested).collect();
        if guards.is_empty() {
            return Ok(());
        }
        let context = &self.stage.context;
        let (observer, clock) = (&context.observer, context.store.clock);
        let mut deciding = Vec::new();
        for chair in chairs {
            let decision_log = self.open_decision_log(run, &chair)?;
            for notice in decision_log.notices() {
                observer.on_tail_repair(notice);
            }
            deciding.push((chair, Arc::new(decision_log)));
        }
        for guard in guards {
            let mut events = Vec::new();
            let mut holds = !deciding.is_empty();
            for (chair, kept) in &deciding {
                let request = BenchmarkRequest {
                    tests: &[vec![guard]],
                    created: self.created.clone(),
                    chair: chair.clone(),
                    topics: &self.rule.topics,
                    dataset: self.rule.dataset.clone(),
                    sha256: self.rule.sha256.clone(),
                    earlier: EarlierDecisions::Reuse,
                    // The run's hold.
                    ceilings: Default::default(),
                };
                // A server may hold the search up, which is no call that was paid for.
                let plan = tokio::select! {
                    biased;
                    plan = plan_benchmark(request, self.memory.ranking(), clock) => Some(plan?.found),
                    () = context.stop.pause.cancelled() => None,
                };
                let reports = match &plan {
                    Some(plan) => perform_benchmark(plan, kept, self.stage).await?,
                    None => Vec::new(),
                };
                if reports.is_empty() {
                    return reject(format!(
                        "the test of guardrail {} was stopped; what was decided is kept",
                        guard.id
                    ));
                }
                for (id, report) in reports {
                    let share = report.over_refused.ratio();
                    // What failed was not tested: a share of few prompts proves little.
                    holds &= report.failed == 0
                        && share.is_some_and(|share| share <= self.rule.max_over_refusal);
                    events.push(MemoryEvent::GuardTested {
                        id,
                        report: Box::new(report),
                        at: clock.now(),
                    });
                }
            }
            if holds {
                events.push(MemoryEvent::GuardAccepted {
                    id: guard.id.clone(),
                    how: GuardAcceptance::Threshold {
                        max_over_refusal: self.rule.max_over_refusal,
                    },
                    // Whenever it is tested, it counts from the batch after its own.
                    batch: first_batch(guard),
                    at: clock.now(),
                });
            }
            for notice in &self.memory.add_guard_events(events).await? {
                observer.on_tail_repair(notice);
            }
        }
        Ok(())
    }
}

impl GuardrailAcceptance<'_> {
    /// Where the run keeps what a chair's model decides.
    fn open_decision_log(&self, run: &str, chair: &Chair) -> Result<DecisionLog> {
        let player = self.created.player_of(chair).and_then(Player::as_model);
        let store = &self.stage.context.store;
        let place = DecisionLogKey {
            namespace: &self.created.memory.namespace,
            writer: run,
            dataset: &self.rule.dataset,
            sha256: &self.rule.sha256,
            model: player.map_or("", |player| &player.model),
            at: &store.clock.now(),
        };
        DecisionLog::open(&store.layout, &store.fsync, &place)
    }
}

/// The batch in which a guardrail was proposed first.
fn first_batch(guard: &MemoryEntry) -> Option<u32> {
    guard.origins.first()?.batch
}

fn list_model_chairs(created: &Created) -> Vec<Chair> {
    let mut models = BTreeSet::new();
    let mut chairs = created.guarded_chairs();
    chairs.retain(|chair| {
        let player = created.player_of(chair).and_then(Player::as_model);
        player.is_some_and(|player| models.insert(&player.model))
    });
    chairs
}
