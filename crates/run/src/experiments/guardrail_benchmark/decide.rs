//! Decision about a prompt, asked as a debate would ask.

use super::plan::BenchmarkPlan;
use crate::engine::cost::{estimate_call, reply_expense};
use crate::engine::guardrails::requests;
use crate::engine::seats::simulated_reply_tokens;
use crate::engine::{Call, call};
use crate::experiments::engine::{ExperimentContext, ItemEnd, ItemPerformer, OpenItem};
use elenchus_game::debate::event::{Event, Player};
use elenchus_game::debate::{CostEstimate, GuardDecision, State, Step};
use elenchus_memory::EntryId;
use elenchus_records::library::Game;
use elenchus_records::workspace::memory::{
    DecisionLog, EarlierDecisions, LoggedDecision, state_with,
};
use elenchus_records::workspace::{ItemPlan, Result};
use futures_util::future::BoxFuture;
use std::sync::Arc;

/// Asks for the decisions of a benchmark and keeps them.
pub struct Decider {
    game: Game,
    log: Arc<DecisionLog>,
    /// Decisions before this time are asked for again; RFC 3339, empty for none.
    since: String,
}

/// A request that can be sent, with the debate that it belongs to.
struct Question {
    state: State,
    call: Call,
    sha256: String,
}

impl Decider {
    /// Returns what decides for a plan; one that ignores earlier decisions ignores those before `begun_at`.
    ///
    /// # Errors
    /// When the game of the plan cannot be played by this version.
    pub fn new(plan: &BenchmarkPlan, log: Arc<DecisionLog>, begun_at: &str) -> Result<Self> {
        Ok(Self {
            game: Game::from_created(&plan.created)?,
            log,
            since: match plan.earlier {
                EarlierDecisions::Reuse => String::new(),
                EarlierDecisions::Ignore => begun_at.to_owned(),
            },
        })
    }

    /// Returns how many prompts were decided about before: they are not asked again.
    ///
    /// # Errors
    /// When a template fails, or a model cannot be made ready.
    pub fn count_known(&self, context: &ExperimentContext, plan: &BenchmarkPlan) -> Result<usize> {
        let mut known_count = 0;
        for item in 0..plan.item_count() {
            let question = self.build_question(context, plan, item)?;
            known_count +=
                usize::from(question.is_some_and(|asked| self.find_decision(&asked).is_some()));
        }
        Ok(known_count)
    }

    fn find_decision(&self, question: &Question) -> Option<GuardDecision> {
        self.log.find_decision(&question.sha256, &self.since)
    }

    /// Makes the request of a debate about a prompt; `None` where no guardrail is near.
    fn build_question(
        &self,
        context: &ExperimentContext,
        plan: &BenchmarkPlan,
        item: u64,
    ) -> Result<Option<Question>> {
        let Some((topic, near)) = plan.prompt_at(item) else {
            return Ok(None);
        };
        let mut created = plan.created.clone();
        created.topic = topic.clone();
        let state = state_with(created, Event::GuardsRetrieved(near))?;
        let step = Step::Guard(plan.chair.clone());
        let call = call::prepare_call(&state, &self.game, &context.seats, &step, None)?;
        Ok(call.map(|call| Question {
            sha256: call.request.compute_sha256(),
            state,
            call,
        }))
    }

    async fn decide_item(&self, item: &OpenItem<BenchmarkPlan>) -> Result<ItemEnd<GuardDecision>> {
        let context = &item.stage.context;
        let Some(question) = self.build_question(context, &item.plan, item.number)? else {
            return Ok(ItemEnd::Done(GuardDecision::NoMatch));
        };
        if let Some(decision) = self.find_decision(&question) {
            return Ok(ItemEnd::Done(decision));
        }
        let Question {
            state,
            call,
            sha256,
        } = &question;
        let reply = match item.ask_model(&call.seat, &call.request).await? {
            ItemEnd::Done(reply) => reply,
            ItemEnd::Failed(why) => return Ok(ItemEnd::Failed(why)),
            ItemEnd::Unfinished => return Ok(ItemEnd::Unfinished),
        };
        let decision = requests::parse_decision(state, &reply.text, &call.collect_material(state));
        let near = state
            .retrieved_guards()
            .into_iter()
            .flat_map(|near| &near.candidates);
        let record = LoggedDecision {
            request: sha256,
            prompt: state.first_event().map_or("", |created| &created.topic.id),
            near: near.map(|one| EntryId(one.id.clone())).collect(),
            decision: decision.clone(),
            reply: &reply.text,
            cost_usd: call.seat.settings.cost_usd(&reply),
            tokens: reply_expense(&call.seat.settings, &reply).tokens,
        };
        self.log
            .record_decision(&context.store.clock.now(), record)
            .await?;
        Ok(ItemEnd::Done(decision))
    }
}

impl ItemPerformer<BenchmarkPlan> for Decider {
    fn estimate_item(
        &self,
        context: &ExperimentContext,
        plan: &BenchmarkPlan,
        item: u64,
    ) -> Option<CostEstimate> {
        let question = self.build_question(context, plan, item).ok()?;
        let Some(question) = question.filter(|asked| self.find_decision(asked).is_none()) else {
            return Some(CostEstimate::zero());
        };
        let player = plan
            .created
            .player_of(&plan.chair)
            .and_then(Player::as_model);
        let tokens = player.and_then(simulated_reply_tokens);
        let call = &question.call;
        Some(estimate_call(&call.seat.settings, &call.request, tokens))
    }

    fn perform_item<'p>(
        &'p self,
        item: OpenItem<BenchmarkPlan>,
    ) -> BoxFuture<'p, Result<ItemEnd<GuardDecision>>> {
        Box::pin(async move { self.decide_item(&item).await })
    }
}
