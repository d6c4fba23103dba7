//! Reports of a guardrail benchmark, one for each guardrail.

use super::plan::{BenchmarkPlan, GuardTest, is_safe};
use elenchus_game::debate::GuardDecision;
use elenchus_memory::{EntryId, GuardReport, MatchShare, TypeShare};
use elenchus_records::workspace::ItemState;
use std::collections::BTreeMap;

/// Reports on the guardrails of every test whose prompts were all tried: a part of a test has no result.
pub(super) fn build_reports(state: &ItemState<BenchmarkPlan>) -> Vec<(EntryId, GuardReport)> {
    let plan = &state.plan;
    let mut all_reports = Vec::new();
    for (place, test) in plan.tests.iter().enumerate() {
        let decisions = plan.items_of_test(place).map(|(topic, item)| {
            let decision = state.done.get(&item);
            let is_tried = decision.is_some() || state.failed.contains_key(&item);
            is_tried.then_some((topic, decision))
        });
        let Some(decisions) = decisions.collect::<Option<BTreeMap<_, _>>>() else {
            continue;
        };
        let reports = test.guards.iter().map(|(guard, revision)| {
            let guard_report = build_report(plan, test, (guard, *revision), &decisions);
            (guard.clone(), guard_report)
        });
        all_reports.extend(reports);
    }
    all_reports
}

/// Reports on a guardrail, by what was decided about each prompt: about one that is not in it nobody was
/// asked, and one without a decision failed.
fn build_report(
    plan: &BenchmarkPlan,
    test: &GuardTest,
    (guard, revision): (&EntryId, u32),
    decisions: &BTreeMap<usize, Option<&GuardDecision>>,
) -> GuardReport {
    let mut over_refusals = MatchShare::default();
    let mut catches = MatchShare::default();
    let mut by_type: BTreeMap<&str, MatchShare> = BTreeMap::new();
    let (mut unparsed_count, mut failed_count) = (0u32, 0u32);
    for (place, topic) in plan.topics.iter().enumerate() {
        let is_refused = match decisions.get(&place) {
            None => false,
            Some(Some(decision)) => {
                if let GuardDecision::Unparsed { .. } = decision {
                    unparsed_count = unparsed_count.saturating_add(1);
                }
                decision.matching_guardrail() == Some(guard.0.as_str())
            }
            Some(None) => {
                failed_count = failed_count.saturating_add(1);
                continue;
            }
        };
        if is_safe(topic) {
            over_refusals.add_observation(is_refused);
            let kind = topic.category.as_deref().unwrap_or("(none)");
            by_type.entry(kind).or_default().add_observation(is_refused);
        } else {
            catches.add_observation(is_refused);
        }
    }
    let (model, is_simulated) = plan.model();
    let by_type = by_type.into_iter().map(|(name, share)| TypeShare {
        name: name.to_owned(),
        share,
    });
    GuardReport {
        dataset: plan.dataset.clone(),
        sha256: plan.sha256.clone(),
        revision,
        model: model.to_owned(),
        simulated: is_simulated,
        retriever: test.retriever.clone(),
        beside: u32::try_from(test.guards.len().saturating_sub(1)).unwrap_or(u32::MAX),
        over_refused: over_refusals,
        by_type: by_type.collect(),
        caught: catches,
        unparsed: unparsed_count,
        failed: failed_count,
    }
}
