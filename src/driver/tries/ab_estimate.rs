//! What a comparison will cost, before anything is paid for.

use super::super::error::DriverError;
use super::super::estimate::estimate;
use super::super::game::Game;
use super::super::session::read_session;
use super::ab::AbPlan;
use super::{AbContext, TryFloor};
use crate::debate::{Estimate, ExpectedUse, SessionId};
use std::collections::BTreeMap;

/// Returns what a comparison costs if all its planned samples are played and none is served from the
/// cache. Blocks while it reads the sessions.
///
/// # Errors
/// When a session cannot be read, or its game is too large to be walked.
pub fn estimate_ab(floor: &TryFloor, plan: &AbPlan) -> Result<Estimate, DriverError> {
    let mut known: BTreeMap<SessionId, Estimate> = BTreeMap::new();
    let mut whole = Estimate {
        likely: nothing(),
        at_most: nothing(),
    };
    for context in &plan.contexts {
        let one = match known.get(&context.session) {
            Some(one) => *one,
            None => {
                let one = one(floor, context)?;
                known.insert(context.session.clone(), one);
                one
            }
        };
        for _ in 0..plan.samples.saturating_mul(2) {
            whole = whole.with(one);
        }
    }
    Ok(whole)
}

fn nothing() -> ExpectedUse {
    ExpectedUse {
        cost_usd: Some(0.0),
        ..ExpectedUse::default()
    }
}

fn one(floor: &TryFloor, context: &AbContext) -> Result<Estimate, DriverError> {
    let store = match context.turn {
        Some(_) => floor.desk.layout.clone(),
        None => floor.desk.layout.tries(),
    };
    let state = read_session(&store.session(context.session.as_str())?)?;
    let created = state.created().cloned();
    let created =
        created.ok_or_else(|| DriverError::Invalid("the session has not begun".to_owned()))?;
    let game = Game::of_session(&created)?;
    estimate(&created, &game).ok_or_else(|| {
        DriverError::Invalid(format!(
            "the game of session {} is too large to be estimated",
            context.session
        ))
    })
}
