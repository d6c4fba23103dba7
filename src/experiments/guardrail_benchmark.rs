//! Guardrail benchmark: guardrails decide about prompts that must not be refused and prompts that must be.
//!
//! Every prompt is decided as in a debate: the nearest guardrails are retrieved, and a model is shown the same
//! request. The cost is estimated before anything is sent; every decision is kept as it arrives, so a stopped
//! benchmark resumes.

use crate::debate::event::{Created, Event, Player};
use crate::debate::protocol::Ceilings;
use crate::debate::{
    Chair, CostEstimate, ExpectedUse, Expense, GuardDecision, GuardsRetrieved, Spend, State, Step,
    Topic,
};
use crate::engine::cost::{estimate_call, expense};
use crate::engine::guardrails::requests;
use crate::engine::paid_call::{OnceSent, PaidCall, PaidReply};
use crate::engine::seats::simulated_reply_tokens;
use crate::engine::{Call, call};
use crate::experiments::engine::{
    Closed, Experiment, ExperimentContext, ExperimentEnd, ItemEnd, ItemLeft, Opened, Recorded,
    Stage, perform,
};
use crate::library::Game;
use crate::memory::{
    EntryId, Exclusion, ExclusionRule, GuardReport, MatchShare, MemoryEntry, Retriever,
    RetrievingDebate, TypeShare,
};
use crate::model::CallErrorKind;
use crate::workspace::memory::{DecisionLog, LoggedDecision};
use crate::workspace::memory::{Ranking, WithNotices};
use crate::workspace::memory::{nearest, state_with};
use crate::workspace::{ItemCounts, WorkspaceError};
use futures_util::FutureExt;
use std::collections::BTreeMap;

/// Expected label of a prompt that must not be refused.
const SAFE: &str = "safe";
/// Expected label of a prompt that must be refused.
const UNSAFE: &str = "unsafe";

/// Prompts of a benchmark, and the chair whose model decides.
pub struct GuardrailBenchmark<'a> {
    /// A game that holds what is asked about guardrails.
    pub game: Game,
    /// How a debate of that game begins; its topic is replaced.
    pub created: Created,
    /// The chair whose model decides.
    pub chair: Chair,
    /// Prompts with an expected label; others are left out.
    pub topics: &'a [Topic],
    /// Where the prompts came from.
    pub dataset: String,
    /// SHA-256 of that file, hex.
    pub sha256: String,
    /// In US dollars.
    pub budget_usd: Option<f64>,
}

/// What a benchmark is performed with.
#[derive(Clone, Copy)]
pub struct BenchmarkTools<'a> {
    pub context: &'a ExperimentContext,
    pub ranking: &'a Ranking,
    /// Where decisions are kept.
    pub log: &'a DecisionLog,
}

/// Result of one prompt.
enum PromptDecision {
    Decided(GuardDecision),
    Failed,
    /// The ceiling is reached, or it was cancelled.
    NotSent,
}

/// Benchmark that can begin.
pub struct PlannedBenchmark<'a> {
    guards: Vec<&'a MemoryEntry>,
    topics: Vec<&'a Topic>,
    /// Guardrails near each prompt, in the prompts' order.
    near: Vec<GuardsRetrieved>,
    /// What the calls cost that are still to be made.
    pub estimate: CostEstimate,
    /// Prompts that were decided before: they are not asked again.
    pub known: usize,
}

/// End of a benchmark.
#[derive(Debug)]
pub enum Tried {
    /// Report of each guardrail.
    Over(Vec<(EntryId, GuardReport)>),
    /// It was cancelled, or met the ceiling: a part of a benchmark has no result. What was decided
    /// is kept.
    Stopped { decided: usize, prompts: usize },
}

/// Looks up what is near every prompt, and says what asking would cost. Nothing is asked.
///
/// # Errors
/// When the set has no safe prompt, a template fails, or a model cannot be made ready.
pub async fn plan_benchmark<'a>(
    guards: &[&'a MemoryEntry],
    trial: &GuardrailBenchmark<'a>,
    tools: BenchmarkTools<'_>,
) -> Result<WithNotices<PlannedBenchmark<'a>>, WorkspaceError> {
    let labelled = |topic: &&Topic| matches!(topic.expected.as_deref(), Some(SAFE | UNSAFE));
    let topics: Vec<&Topic> = trial.topics.iter().filter(labelled).collect();
    if !topics.iter().any(|topic| is_safe(topic)) {
        return Err(WorkspaceError::Invalid(format!(
            "{} has no prompt whose expected label is 'safe'; a benign test needs a set as XSTest",
            trial.dataset
        )));
    }
    let looked_up = look_up(guards, &topics, tools.ranking).await?;
    let nothing = ExpectedUse {
        cost_usd: Some(0.0),
        ..ExpectedUse::default()
    };
    let mut planned = PlannedBenchmark {
        guards: guards.to_vec(),
        topics,
        near: looked_up.found,
        estimate: CostEstimate {
            likely: nothing,
            at_most: nothing,
        },
        known: 0,
    };
    for (topic, near) in planned.topics.iter().zip(&planned.near) {
        let Some((_, call)) = prepare(trial, topic, near, tools.context)? else {
            continue;
        };
        match tools.log.decided(&call.request.sha256()) {
            Some(_) => planned.known += 1,
            None => planned.estimate = planned.estimate.with(expected(trial, &call)),
        }
    }
    Ok(WithNotices {
        found: planned,
        notices: looked_up.notices,
    })
}

/// What one call uses.
fn expected(trial: &GuardrailBenchmark<'_>, call: &Call) -> CostEstimate {
    let set = match trial.created.player(&trial.chair) {
        Some(Player::Model(player)) => simulated_reply_tokens(player),
        Some(Player::Human { .. } | Player::Fixed(_)) | None => None,
    };
    estimate_call(&call.seat.settings, &call.request, set)
}

/// Decides on every prompt with the guardrails of a plan, and reports for each of them.
///
/// # Errors
/// When a template fails, a model cannot be made ready, or what was decided cannot be kept.
pub async fn run_benchmark<'a>(
    planned: &'a PlannedBenchmark<'a>,
    trial: &'a GuardrailBenchmark<'a>,
    tools: BenchmarkTools<'a>,
) -> Result<Tried, WorkspaceError> {
    let topics = &planned.topics;
    let mut decisions = OpenDecisions {
        trial,
        log: tools.log,
        prompts: topics,
        waiting: topics.iter().copied().zip(&planned.near).enumerate(),
        came: BTreeMap::new(),
    };
    perform(&mut decisions, tools.context).await?;
    let came: Vec<PromptDecision> = decisions.came.into_values().collect();
    let is_decided = |came: &&PromptDecision| match came {
        PromptDecision::Decided(_) | PromptDecision::Failed => true,
        PromptDecision::NotSent => false,
    };
    let decided = came.iter().filter(is_decided).count();
    if decided < topics.len() {
        return Ok(Tried::Stopped {
            decided,
            prompts: topics.len(),
        });
    }
    let guards = &planned.guards;
    let retriever = planned.near.first().map(|near| near.retriever.clone());
    let beside = u32::try_from(guards.len().saturating_sub(1)).unwrap_or(u32::MAX);
    let reports = guards.iter().map(|guard| {
        let found = report(guard, trial, topics, &came);
        let found = GuardReport {
            retriever: retriever.clone().unwrap_or_default(),
            beside,
            ..found
        };
        (guard.id.clone(), found)
    });
    Ok(Tried::Over(reports.collect()))
}

/// Prompts that are to be decided about, and what was decided, in the prompts' order.
struct OpenDecisions<'a, I> {
    trial: &'a GuardrailBenchmark<'a>,
    log: &'a DecisionLog,
    prompts: &'a [&'a Topic],
    waiting: I,
    came: BTreeMap<usize, PromptDecision>,
}

type Decided = (usize, Result<(PromptDecision, Spend), WorkspaceError>);

impl<'a, I> Experiment<'a, Decided> for OpenDecisions<'a, I>
where
    I: Iterator<Item = (usize, (&'a Topic, &'a GuardsRetrieved))> + Send,
{
    fn ceilings(&self) -> Ceilings {
        Ceilings {
            cost_usd: self.trial.budget_usd,
            ..Ceilings::default()
        }
    }

    /// A benchmark that was stopped is begun again under its whole ceiling: what was decided is not
    /// asked again.
    fn spent(&self, _: &ExperimentContext) -> Result<Expense, WorkspaceError> {
        Ok(Expense::default())
    }

    fn counts(&self) -> ItemCounts {
        let of = |wanted: fn(&PromptDecision) -> bool| {
            self.came.values().filter(|came| wanted(came)).count() as u64
        };
        ItemCounts {
            all: Some(self.prompts.len() as u64),
            done: of(|came| matches!(came, PromptDecision::Decided(_))),
            failed: of(|came| matches!(came, PromptDecision::Failed)),
        }
    }

    fn open<'s>(&'s mut self, stage: &'s Stage) -> Opened<'s, 'a, Decided> {
        let (trial, log, stage) = (self.trial, self.log, stage.clone());
        let next = self.waiting.next();
        let item = next.map(|(at, (topic, near))| {
            async move { (at, decide(trial, topic, near, &stage, log).await) }.boxed()
        });
        Box::pin(async move { Ok(item) })
    }

    fn record<'s>(&'s mut self, _: &'s Stage, (at, came): Decided) -> Recorded<'s> {
        Box::pin(async move {
            let (decision, spend) = came?;
            let end = match &decision {
                PromptDecision::Decided(_) => ItemEnd::Done,
                PromptDecision::Failed => ItemEnd::Failed("no decision came".to_owned()),
                PromptDecision::NotSent => ItemEnd::Unfinished,
            };
            self.came.insert(at, decision);
            let topic = self.prompts.get(at);
            Ok(Some(ItemLeft {
                name: topic.map_or_else(String::new, |topic| topic.id.clone()),
                end,
                spend,
            }))
        })
    }

    fn missing(&self) -> usize {
        let counts = self.counts();
        self.prompts.len() - usize::try_from(counts.done).unwrap_or(usize::MAX)
    }

    fn close<'s>(&'s mut self, _: &'s Stage, end: ExperimentEnd) -> Closed<'s> {
        // Every decision is in its log already.
        Box::pin(async move { Ok(end) })
    }
}

fn is_safe(topic: &Topic) -> bool {
    topic.expected.as_deref() == Some(SAFE)
}

fn report(
    guard: &MemoryEntry,
    trial: &GuardrailBenchmark<'_>,
    topics: &[&Topic],
    came: &[PromptDecision],
) -> GuardReport {
    let mut over_refused = MatchShare::default();
    let mut caught = MatchShare::default();
    let mut by_type: BTreeMap<&str, MatchShare> = BTreeMap::new();
    let (mut unparsed, mut failed) = (0u32, 0u32);
    for (topic, came) in topics.iter().zip(came) {
        let refused = match came {
            PromptDecision::Decided(decision) => {
                if let GuardDecision::Unparsed { .. } = decision {
                    unparsed = unparsed.saturating_add(1);
                }
                decision.matched() == Some(guard.id.0.as_str())
            }
            PromptDecision::Failed | PromptDecision::NotSent => {
                failed = failed.saturating_add(1);
                continue;
            }
        };
        if is_safe(topic) {
            over_refused.observe(refused);
            let kind = topic.category.as_deref().unwrap_or("(none)");
            by_type.entry(kind).or_default().observe(refused);
        } else {
            caught.observe(refused);
        }
    }
    let (model, simulated) = match trial.created.player(&trial.chair) {
        Some(Player::Model(player)) => (player.model.clone(), player.simulated),
        Some(Player::Human { .. } | Player::Fixed(_)) | None => (String::new(), false),
    };
    GuardReport {
        dataset: trial.dataset.clone(),
        sha256: trial.sha256.clone(),
        revision: guard.revision,
        model,
        simulated,
        retriever: String::new(),
        beside: 0,
        over_refused,
        by_type: by_type
            .into_iter()
            .map(|(name, share)| TypeShare {
                name: name.to_owned(),
                share,
            })
            .collect(),
        caught,
        unparsed,
        failed,
    }
}

/// Finds the guardrails nearest to each prompt, in the prompts' order.
async fn look_up(
    guards: &[&MemoryEntry],
    topics: &[&Topic],
    ranking: &Ranking,
) -> Result<WithNotices<Vec<GuardsRetrieved>>, WorkspaceError> {
    // One that is disabled or deleted is tested as it would be with debates.
    let live = |guard: &&MemoryEntry| MemoryEntry {
        disabled: false,
        deleted: false,
        ..(*guard).clone()
    };
    let guards: Vec<MemoryEntry> = guards.iter().map(live).collect();
    let topics: Vec<Topic> = topics.iter().map(|topic| (*topic).clone()).collect();
    // Nothing is kept from a test: what a guardrail was made for is among what it should catch.
    let everything = Exclusion {
        same_topic: ExclusionRule::Allow,
        near_duplicate: None,
        forks: ExclusionRule::Allow,
    };
    let look = move |retriever: &dyn Retriever| {
        let each = topics.iter().map(|topic| {
            let asker = RetrievingDebate {
                topic_id: &topic.id,
                topic_text: &topic.text,
                root_session: "",
                run: None,
            };
            nearest(retriever, &asker, &guards, &everything)
        });
        each.collect::<Result<Vec<_>, _>>()
    };
    ranking.with(look).await
}

async fn decide(
    trial: &GuardrailBenchmark<'_>,
    topic: &Topic,
    near: &GuardsRetrieved,
    stage: &Stage,
    log: &DecisionLog,
) -> Result<(PromptDecision, Spend), WorkspaceError> {
    let free = |decision| Ok((decision, Spend::default()));
    let Some((state, call)) = prepare(trial, topic, near, &stage.context)? else {
        return free(PromptDecision::Decided(GuardDecision::NoMatch));
    };
    let request = call.request.sha256();
    if let Some(decision) = log.decided(&request) {
        return free(PromptDecision::Decided(decision));
    }
    let paid = PaidCall {
        seat: &call.seat,
        request: &call.request,
        worst_case: call.worst_case,
        budget: &stage.budget,
        cancel: &stage.context.stop.give_up,
        // Stopping is between calls: what was sent is paid for, so its reply is waited for and kept.
        once_sent: OnceSent::Arrives,
    };
    let reply = match paid.send(async { Ok(()) }, |_, _, _| {}).await? {
        PaidReply::Replied(reply) => reply,
        // Only a ceiling ends it: nothing was decided.
        PaidReply::Failed { error, .. } if error.kind == CallErrorKind::Cancelled => {
            return free(PromptDecision::NotSent);
        }
        PaidReply::Failed { charge, .. } => {
            let spend = Spend {
                in_doubt_usd: charge.usd.unwrap_or(0.0),
                ..Spend::default()
            };
            return Ok((PromptDecision::Failed, spend));
        }
        PaidReply::Refused | PaidReply::NotSent => return free(PromptDecision::NotSent),
    };
    let decision = requests::decision(&state, &reply.text);
    let candidates = near.candidates.iter();
    let cost_usd = call.seat.settings.cost_usd(&reply);
    let kept = LoggedDecision {
        request: &request,
        prompt: &topic.id,
        near: candidates.map(|one| EntryId(one.id.clone())).collect(),
        decision: decision.clone(),
        reply: &reply.text,
        cost_usd,
        tokens: expense(&call.seat.settings, &reply).tokens,
    };
    log.keep(&stage.context.desk.clock.now(), kept).await?;
    let spend = Spend {
        calls: 1,
        input_tokens: reply.usage.input_tokens,
        output_tokens: reply.usage.output_tokens,
        cost_usd: cost_usd.unwrap_or(0.0),
        unpriced_calls: u64::from(cost_usd.is_none()),
        ..Spend::default()
    };
    Ok((PromptDecision::Decided(decision), spend))
}

/// Makes the request of a debate about this prompt; `None` where no guardrail is near.
fn prepare(
    trial: &GuardrailBenchmark<'_>,
    topic: &Topic,
    near: &GuardsRetrieved,
    context: &ExperimentContext,
) -> Result<Option<(State, Call)>, WorkspaceError> {
    if near.candidates.is_empty() {
        return Ok(None);
    }
    let mut created = trial.created.clone();
    created.topic = topic.clone();
    let state = state_with(created, Event::GuardsRetrieved(near.clone()))?;
    let step = Step::Guard(trial.chair.clone());
    let call = call::prepare(&state, &trial.game, &context.seats, &step, None)?;
    Ok(call.map(|call| (state, call)))
}
