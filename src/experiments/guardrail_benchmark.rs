//! A benign test: guardrails asked about prompts that must not be refused, and about those that must.
//!
//! Every prompt is decided as in a debate: the nearest guardrails are looked up, and a model is shown
//! the same request. What it costs is known before anything is asked; every decision is kept as it
//! arrives, so a test that was stopped goes on where it stopped.

use super::budget::Budget;
use super::call::{self, Call};
use super::charge::expense;
use super::clock::Clock;
use super::derive::Charging;
use super::error::DriverError;
use super::game::Game;
use super::guard_book::nearest;
use super::guard_call;
use super::kept_model::simulated_reply_tokens;
use super::ranking::{Ordered, Ranking};
use super::seats::Seats;
use super::trial_book::{Kept, TrialBook};
use super::walk::LIKELY_SHARE;
use crate::debate::event::{Author, Created, Event, Player, Record};
use crate::debate::{
    Chair, Estimate, ExpectedUse, GuardDecision, GuardsRetrieved, State, Step, Topic,
};
use crate::memory::{
    Asker, Exclusion, Guard, GuardId, GuardReport, Retriever, Rule, Share, TypeShare,
};
use crate::model::settings::input_tokens_bound;
use crate::model::{CHARS_PER_TOKEN, CallError};
use futures_util::FutureExt;
use futures_util::future::BoxFuture;
use futures_util::stream::{self, StreamExt};
use std::collections::BTreeMap;
use tokio_util::sync::CancellationToken;

/// What a dataset says of a prompt that must not be refused.
const SAFE: &str = "safe";
/// What it says of one that must.
const UNSAFE: &str = "unsafe";

/// What guardrails are tried on, and by whom.
pub struct Trial<'a> {
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
}

/// What a trial is carried out with.
#[derive(Clone, Copy)]
pub struct TrialFloor<'a> {
    pub seats: &'a Seats,
    pub budget: &'a Budget,
    pub ranking: &'a Ranking,
    pub clock: Clock,
    /// Where decisions are kept.
    pub book: &'a TrialBook,
    pub cancel: &'a CancellationToken,
    /// Prompts decided side by side.
    pub concurrency: usize,
}

/// What came of one prompt.
enum Came {
    Decided(GuardDecision),
    Failed,
    /// The ceiling is reached, or somebody stopped it.
    NotSent,
}

/// A test that can begin.
pub struct PlannedTrial<'a> {
    guards: Vec<&'a Guard>,
    topics: Vec<&'a Topic>,
    /// What is near each prompt, in their order.
    near: Vec<GuardsRetrieved>,
    /// What the calls cost that are still to be made.
    pub estimate: Estimate,
    /// Prompts that were decided before: they are not asked again.
    pub known: usize,
}

/// What came of a test.
#[derive(Debug)]
pub enum Tried {
    /// What each guardrail did.
    Over(Vec<(GuardId, GuardReport)>),
    /// It was stopped, by somebody or by the ceiling: a part of a test is no test. What was decided
    /// is kept.
    Stopped { decided: usize, prompts: usize },
}

/// Looks up what is near every prompt, and says what asking would cost. Nothing is asked.
///
/// # Errors
/// When the set has no safe prompt, a template fails, or a model cannot be made ready.
pub async fn plan_trial<'a>(
    guards: &[&'a Guard],
    trial: &Trial<'a>,
    floor: TrialFloor<'_>,
) -> Result<Ordered<PlannedTrial<'a>>, DriverError> {
    let labelled = |topic: &&Topic| matches!(topic.expected.as_deref(), Some(SAFE | UNSAFE));
    let topics: Vec<&Topic> = trial.topics.iter().filter(labelled).collect();
    if !topics.iter().any(|topic| is_safe(topic)) {
        return Err(DriverError::Invalid(format!(
            "{} has no prompt whose expected label is 'safe'; a benign test needs a set as XSTest",
            trial.dataset
        )));
    }
    let looked_up = look_up(guards, &topics, floor.ranking).await?;
    let nothing = ExpectedUse {
        cost_usd: Some(0.0),
        ..ExpectedUse::default()
    };
    let mut planned = PlannedTrial {
        guards: guards.to_vec(),
        topics,
        near: looked_up.found,
        estimate: Estimate {
            likely: nothing,
            at_most: nothing,
        },
        known: 0,
    };
    for (topic, near) in planned.topics.iter().zip(&planned.near) {
        let Some((_, call)) = prepare(trial, topic, near, floor)? else {
            continue;
        };
        match floor.book.decided(&call.request.sha256()) {
            Some(_) => planned.known += 1,
            None => planned.estimate = planned.estimate.with(expected(trial, &call)),
        }
    }
    Ok(Ordered {
        found: planned,
        notices: looked_up.notices,
    })
}

/// What one call uses: as long a reply as is likely, and as its limit allows.
fn expected(trial: &Trial<'_>, call: &Call) -> Estimate {
    let request = &call.request;
    let limit = u64::from(request.sampling.max_tokens.unwrap_or(0));
    let set = match trial.created.player(&trial.chair) {
        Some(Player::Model(player)) => simulated_reply_tokens(player),
        Some(Player::Human { .. } | Player::Fixed(_)) | None => None,
    };
    let chars: usize = request
        .messages
        .iter()
        .map(|message| message.content.chars().count())
        .sum();
    let input_tokens = (chars as u64).div_ceil(CHARS_PER_TOKEN);
    let output_tokens = set.unwrap_or((limit as f64 * LIKELY_SHARE).ceil() as u64);
    Estimate {
        likely: ExpectedUse {
            calls: 1,
            input_tokens,
            output_tokens,
            cost_usd: call.seat.settings.price(input_tokens, output_tokens),
        },
        at_most: ExpectedUse {
            calls: 1,
            input_tokens: input_tokens_bound(request),
            output_tokens: limit,
            cost_usd: call.worst_case.usd,
        },
    }
}

/// Decides on every prompt with the guardrails of a plan, and reports for each of them.
///
/// # Errors
/// When a template fails, a model cannot be made ready, or what was decided cannot be kept.
pub async fn try_guards(
    planned: &PlannedTrial<'_>,
    trial: &Trial<'_>,
    floor: TrialFloor<'_>,
) -> Result<Tried, DriverError> {
    let topics = &planned.topics;
    let deciding: Vec<BoxFuture<'_, _>> = topics
        .iter()
        .zip(&planned.near)
        .map(|(topic, near)| decide(trial, topic, near, floor).boxed())
        .collect();
    let mut doing = stream::iter(deciding).buffered(floor.concurrency.max(1));
    let mut came = Vec::with_capacity(topics.len());
    // When it is stopped, what is under way still arrives: it is paid for.
    while let Some(one) = doing.next().await {
        came.push(one?);
    }
    drop(doing);
    let is_decided = |came: &&Came| match came {
        Came::Decided(_) | Came::Failed => true,
        Came::NotSent => false,
    };
    let decided = came.iter().filter(is_decided).count();
    if decided < came.len() {
        return Ok(Tried::Stopped {
            decided,
            prompts: came.len(),
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

fn is_safe(topic: &Topic) -> bool {
    topic.expected.as_deref() == Some(SAFE)
}

fn report(guard: &Guard, trial: &Trial<'_>, topics: &[&Topic], came: &[Came]) -> GuardReport {
    let mut over_refused = Share::default();
    let mut caught = Share::default();
    let mut by_type: BTreeMap<&str, Share> = BTreeMap::new();
    let (mut unparsed, mut failed) = (0u32, 0u32);
    for (topic, came) in topics.iter().zip(came) {
        let refused = match came {
            Came::Decided(decision) => {
                if let GuardDecision::Unparsed { .. } = decision {
                    unparsed = unparsed.saturating_add(1);
                }
                decision.matched() == Some(guard.id.0.as_str())
            }
            Came::Failed | Came::NotSent => {
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
    guards: &[&Guard],
    topics: &[&Topic],
    ranking: &Ranking,
) -> Result<Ordered<Vec<GuardsRetrieved>>, DriverError> {
    let guards: Vec<Guard> = guards.iter().map(|guard| (*guard).clone()).collect();
    let topics: Vec<Topic> = topics.iter().map(|topic| (*topic).clone()).collect();
    // Nothing is kept from a test: what a guardrail was made for is among what it should catch.
    let everything = Exclusion {
        same_topic: Rule::Allow,
        near_duplicate: None,
        forks: Rule::Allow,
    };
    let look = move |retriever: &dyn Retriever| {
        let guards: Vec<&Guard> = guards.iter().collect();
        let each = topics.iter().map(|topic| {
            let asker = Asker {
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
    trial: &Trial<'_>,
    topic: &Topic,
    near: &GuardsRetrieved,
    floor: TrialFloor<'_>,
) -> Result<Came, DriverError> {
    let Some((state, call)) = prepare(trial, topic, near, floor)? else {
        return Ok(Came::Decided(GuardDecision::NoMatch));
    };
    let request = call.request.sha256();
    if let Some(decision) = floor.book.decided(&request) {
        return Ok(Came::Decided(decision));
    }
    let worst_case = call.worst_case.expense();
    let Ok(mut reservation) = floor.budget.reserve(worst_case).await else {
        return Ok(Came::NotSent);
    };
    if floor.cancel.is_cancelled() {
        return Ok(Came::NotSent);
    }
    reservation.sent();
    // Stopping is between calls: what was sent is paid for, so its reply is waited for and kept.
    let no_room = CancellationToken::new();
    let watch = Charging {
        budget: floor.budget,
        worst_case: call.worst_case,
        cancel: &no_room,
    };
    let model = &call.seat.model;
    let asked: Result<_, CallError> = model.complete(&call.request, &watch, &no_room).await;
    match asked {
        Ok(reply) => {
            let cost_usd = call.seat.settings.cost_usd(&reply);
            let used = expense(&call.seat.settings, &reply);
            reservation.settle(used);
            let decision = guard_call::decision(&state, &reply.text);
            let candidates = near.candidates.iter();
            let kept = Kept {
                request: &request,
                prompt: &topic.id,
                near: candidates.map(|one| GuardId(one.id.clone())).collect(),
                decision: decision.clone(),
                reply: &reply.text,
                cost_usd,
                tokens: used.tokens,
            };
            floor.book.keep(&floor.clock.now(), kept).await?;
            Ok(Came::Decided(decision))
        }
        Err(error) => {
            reservation.settle(call.worst_case.charge(&error).expense());
            Ok(match no_room.is_cancelled() {
                true => Came::NotSent,
                false => Came::Failed,
            })
        }
    }
}

/// Makes the request of a debate about this prompt; `None` where no guardrail is near.
fn prepare(
    trial: &Trial<'_>,
    topic: &Topic,
    near: &GuardsRetrieved,
    floor: TrialFloor<'_>,
) -> Result<Option<(State, Call)>, DriverError> {
    if near.candidates.is_empty() {
        return Ok(None);
    }
    let mut created = trial.created.clone();
    created.topic = topic.clone();
    let mut state = State::default();
    for event in [
        Event::Created(Box::new(created)),
        Event::GuardsRetrieved(near.clone()),
    ] {
        let record = Record {
            at: String::new(),
            by: Author::Engine,
            event,
        };
        state.apply(&record).map_err(DriverError::Refused)?;
    }
    let step = Step::Guard(trial.chair.clone());
    let call = call::prepare(&state, &trial.game, floor.seats, &step, None)?;
    Ok(call.map(|call| (state, call)))
}
