//! Kind of experiment that only tests have: a model is asked a list of questions.
//!
//! This file is all that a new kind needs: estimate, budget, loop, journal, stop, resume, progress, checks
//! and summary come from the engine.

use crate::engine::cost::estimate_call;
use crate::engine::seats::{ReadyModel, Seats};
use crate::experiments::{ExperimentContext, ItemEnd, ItemPerformer, OpenItem};
use elenchus_game::debate::protocol::Ceilings;
use elenchus_game::debate::{Chair, CostEstimate, SeatId};
use elenchus_model::{BoxFuture, CallContext, ChatRole, Message, Request, RoleHint, Sampling};
use elenchus_records::workspace::{ItemPlan, Result};
use serde::{Deserialize, Serialize};

/// Plan of a survey.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct Survey {
    pub id: String,
    pub model: String,
    pub questions: Vec<String>,
    pub ceilings: Ceilings,
}

impl ItemPlan for Survey {
    const KIND: &'static str = "survey";
    const NAMES: (&'static str, &'static str) = ("survey", "surveys");
    const FOLDERS: &'static [&'static str] = &["experiments/surveys"];
    const ITEM_NAMES: (&'static str, &'static str) = ("question", "questions");
    type Outcome = String;

    fn id(&self) -> &str {
        &self.id
    }

    fn describe_subject(&self) -> String {
        format!("{} questions to {}", self.questions.len(), self.model)
    }

    fn item_count(&self) -> u64 {
        self.questions.len() as u64
    }

    fn item_name(&self, item: u64) -> String {
        self.questions[item as usize].clone()
    }

    fn ceilings(&self) -> Ceilings {
        self.ceilings
    }

    fn raise_ceilings(&mut self, given: Ceilings) {
        self.ceilings = self.ceilings.with_overrides(given);
    }
}

/// Asks the questions.
pub struct Interviewer;

impl Interviewer {
    fn request(&self, seats: &Seats, plan: &Survey, item: u64) -> (ReadyModel, Request) {
        let chair = Chair {
            seat: SeatId::new("survey"),
            index: 0,
        };
        let player = seats.find_player(&plan.model, &chair).unwrap();
        let seat = seats.make_ready(&player).unwrap();
        let sampling = Sampling {
            max_tokens: Some(100),
            ..Sampling::default()
        };
        let message = Message {
            role: ChatRole::User,
            content: plan.item_name(item),
        };
        let hint = CallContext::standalone(RoleHint::Speaker, "survey");
        let request = seat
            .settings
            .build_request(vec![message], &sampling, None, 0, hint);
        (seat, request)
    }
}

impl ItemPerformer<Survey> for Interviewer {
    fn estimate_item(
        &self,
        context: &ExperimentContext,
        plan: &Survey,
        item: u64,
    ) -> Option<CostEstimate> {
        let (seat, request) = self.request(&context.seats, plan, item);
        Some(estimate_call(&seat.settings, &request, None))
    }

    fn perform_item<'p>(
        &'p self,
        item: OpenItem<Survey>,
    ) -> BoxFuture<'p, Result<ItemEnd<String>>> {
        Box::pin(async move {
            let (seat, request) = self.request(&item.stage.context.seats, &item.plan, item.number);
            let end = item.ask_model(&seat, &request).await?;
            Ok(end.map(|reply| reply.text))
        })
    }
}
