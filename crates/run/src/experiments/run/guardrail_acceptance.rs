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
use elenchus_records::workspace::{Result, invalid};
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
        let chairs = one_chair_a_model(&self.created);
        let place = self.created.run.as_ref();
        let run = place.map_or("", |place| place.run.as_str());
        let untested = |guard: &&MemoryEntry| {
            guard.acceptance() == Some(GuardStatus::Proposed)
                && guard.report().is_none()
                && guard.standing() == EntryStatus::Live
                && batch_of(guard) <= self.up_to
                && guard
                    .origins
                    .iter()
                    .any(|origin| origin.run.as_deref() == Some(run))
        };
        let fold = self.memory.guardrails()?;
        let guards: Vec<&MemoryEntry> = fold.entries.iter().filter(untested).collect();
        if guards.is_empty() {
            return Ok(());
        }
        let context = &self.stage.context;
        let (observer, clock) = (&context.observer, context.desk.clock);
        let mut deciding = Vec::new();
        for chair in chairs {
            let kept = self.trial_book(run, &chair)?;
            for notice in kept.notices() {
                observer.mended(notice);
            }
            deciding.push((chair, Arc::new(kept)));
        }
        for guard in guards {
            let mut events = Vec::new();
            let mut holds = !deciding.is_empty();
            for (chair, kept) in &deciding {
                let asked = BenchmarkRequest {
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
                let plan = plan_benchmark(asked, self.memory.ranking(), clock).await?;
                let found = perform_benchmark(&plan.found, kept, self.stage).await?;
                if found.is_empty() {
                    return invalid(format!(
                        "the test of guardrail {} was stopped; what was decided is kept",
                        guard.id
                    ));
                }
                for (id, report) in found {
                    let share = report.over_refused.value();
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
                    batch: batch_of(guard),
                    at: clock.now(),
                });
            }
            for notice in &self.memory.add(events).await? {
                observer.mended(notice);
            }
        }
        Ok(())
    }
}

impl GuardrailAcceptance<'_> {
    /// Where the run keeps what a chair's model decides.
    fn trial_book(&self, run: &str, chair: &Chair) -> Result<DecisionLog> {
        let player = self.created.player(chair).and_then(Player::model);
        let desk = &self.stage.context.desk;
        let place = DecisionLogKey {
            namespace: &self.created.memory.namespace,
            writer: run,
            dataset: &self.rule.dataset,
            sha256: &self.rule.sha256,
            model: player.map_or("", |player| &player.model),
            at: &desk.clock.now(),
        };
        DecisionLog::open(&desk.layout, &desk.fsync, &place)
    }
}

/// The batch in which a guardrail was proposed first.
fn batch_of(guard: &MemoryEntry) -> Option<u32> {
    guard.origins.first()?.batch
}

fn one_chair_a_model(created: &Created) -> Vec<Chair> {
    let mut models = BTreeSet::new();
    let mut chairs = created.guarded_chairs();
    chairs.retain(|chair| {
        let player = created.player(chair).and_then(Player::model);
        player.is_some_and(|player| models.insert(&player.model))
    });
    chairs
}
