//! Card of a trial: a recorded turn, and all that is known before it is asked again.

use crate::engine::{CostCeiling, Repeats, check_models};
use crate::experiments::ExperimentContext;
use crate::experiments::prompt_trial::PromptChange;
use crate::experiments::prompt_trial::estimate_sample;
use crate::experiments::prompt_trial::{CallContext, TriedCall, put_derived_guardrail};
use crate::experiments::prompt_trial::{RollForward, TryPlan};
use elenchus_game::debate::protocol::Ceilings;
use elenchus_game::debate::{CostEstimate, SessionId, State};
use elenchus_records::workspace::{Result, example_of, read_session, replace_private};

/// Prompt and turn to try.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TryWish {
    pub session: SessionId,
    pub call: TriedCall,
    /// `None` asks again with the prompt as it was recorded.
    pub change: Option<PromptChange>,
}

/// A recorded turn that can be tried.
#[derive(Debug, Clone)]
pub struct TrialTurn {
    /// The whole session, with what was said and found after the turn.
    pub recorded: State,
    /// Cost of one sample, for each roll-forward.
    pub prices: Vec<(RollForward, CostEstimate)>,
    /// The ceiling of what is played at once, in US dollars.
    pub budget_usd: Option<f64>,
}

/// Returns how far samples on a call can be played: what is no turn is asked for alone.
pub(super) fn list_rolls(call: &TriedCall) -> &'static [RollForward] {
    match call {
        TriedCall::Turn(_) => &RollForward::ALL,
        TriedCall::Verdict(_)
        | TriedCall::Lesson(_)
        | TriedCall::GuardDecision(_)
        | TriedCall::Derivation(_) => &[RollForward::Turn],
    }
}

impl TryWish {
    /// Returns the plan of one sample that is played so far.
    pub(super) fn plan_one_sample(&self, roll: RollForward, budget_usd: Option<f64>) -> TryPlan {
        TryPlan {
            session: self.session.clone(),
            call: self.call.clone(),
            change: self.change.clone(),
            samples: 1,
            first_sample: 0,
            roll,
            repeats: Repeats::Serve,
            ceilings: Ceilings::from_usd(budget_usd),
        }
    }
}

impl TrialTurn {
    /// Reads the turn, checks the text on it and the models, and works out what a sample costs. An example is
    /// copied into the store first: a sample needs its parent there. Blocks.
    ///
    /// # Errors
    /// When there is no such turn, nobody can be asked for it, or the text cannot be used there.
    pub fn read(
        context: &ExperimentContext,
        wish: &TryWish,
        budget_usd: Option<f64>,
    ) -> Result<Self> {
        let layout = &context.store.layout;
        let path = layout.session_path(wish.session.as_str())?;
        if let Some(example) = example_of(&context.store, &wish.session) {
            layout.create_missing_folders()?;
            replace_private(&path, example.bytes)?;
        }
        let call = CallContext::read(layout, &wish.session, &wish.call)?;
        call.check_seat(&context.seats)?;
        if let Some(change) = &wish.change {
            call.check_change(&context.seats, Some(change))?;
        }
        let mut state = read_session(&path)?;
        put_derived_guardrail(layout, &wish.call, &mut state);
        if let Some(created) = state.first_event() {
            let ceiling = CostCeiling::from_budget(budget_usd, &created.protocol);
            check_models(&created.cast, &context.seats, ceiling)?;
        }
        let prices = list_rolls(&wish.call).iter().filter_map(|&roll| {
            let one = wish.plan_one_sample(roll, budget_usd);
            Some((roll, estimate_sample(context, &one).ok()?))
        });
        Ok(Self {
            prices: prices.collect(),
            recorded: state,
            budget_usd,
        })
    }

    /// Returns the cost of one sample that is played so far; `None` where it is unknown.
    pub fn sample_price(&self, roll: RollForward) -> Option<CostEstimate> {
        let price_entry = self.prices.iter().find(|(of, _)| *of == roll);
        price_entry.map(|(_, estimate)| *estimate)
    }

    /// Says whether the recorded debate was simulated.
    pub fn is_simulated(&self) -> bool {
        let created = self.recorded.first_event();
        created.is_some_and(|created| created.is_simulated())
    }
}
