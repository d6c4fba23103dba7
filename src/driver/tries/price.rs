//! What a sample of a try costs, by what was asked when the debate was recorded. Asks nobody.

use super::super::error::DriverError;
use super::super::estimate::estimate;
use super::super::game::Game;
use super::super::live::{PreviewUse, preview};
use super::super::seats::Seats;
use super::{PromptChange, RollForward, TurnContext};
use crate::debate::event::Player;
use crate::debate::step::Judge;
use crate::debate::{AttemptId, Chair, Estimate, ExpectedUse, Speak, State, Step, Target, TurnId};

/// Returns what one sample costs that is played so far: the turn, what is likely to follow it, and
/// their verdicts, each once. What is sent back and asked again comes on top. `recorded` is the whole
/// session; where it has not come as far, a whole debate is taken.
///
/// # Errors
/// When the text cannot be used, or a model cannot be made ready.
pub fn estimate_try(
    seats: &Seats,
    context: &TurnContext,
    recorded: &State,
    change: Option<&PromptChange>,
    roll: RollForward,
) -> Result<Estimate, DriverError> {
    let Some(created) = context.state.created() else {
        return Err(DriverError::Invalid("the session has not begun".to_owned()));
    };
    let game = match change {
        Some(change) => {
            let game = change.game(&context.state);
            game.map_err(|fault| DriverError::Invalid(fault.to_string()))?
        }
        None => Game::of_session(created)?,
    };
    let is_over = recorded.open().done.is_some();
    if roll == RollForward::End
        && !is_over
        && let Some(whole) = estimate(created, &game)
    {
        return Ok(whole);
    }
    let turns = turns(context, recorded, roll);
    let mut steps = vec![(&context.state, speak(&context.state, &context.turn))];
    for turn in &turns {
        steps.push((recorded, speak(recorded, turn)));
    }
    let judged = |target: &Target| match target {
        Target::Attempt(id) => id.turn == context.turn || turns.contains(&id.turn),
        Target::Round(round) => roll == RollForward::End && *round >= context.turn.round,
        Target::Debate => roll == RollForward::End,
    };
    let judges = judges(recorded, judged).into_iter();
    steps.extend(judges.map(|judge| (recorded, Step::Judge(judge))));
    let mut all: Option<Estimate> = None;
    for (state, step) in &steps {
        // A person's turn, and what is written down, costs nothing.
        let Some(request) = preview(state, &game, seats, step)?.request else {
            continue;
        };
        let one = Estimate {
            likely: one_call(request.likely),
            at_most: one_call(request.at_most),
        };
        all = Some(all.map_or(one, |all| all.with(one)));
    }
    all.ok_or_else(|| DriverError::Invalid(format!("nobody can be asked for {}", context.turn)))
}

fn speak(state: &State, turn: &TurnId) -> Step {
    let known = state.turns().get(turn);
    Step::Speak(Speak {
        turn: turn.clone(),
        attempt: known.map_or(0, |known| known.next_reroll()),
        retry: None,
    })
}

/// Returns the turns that were recorded after the one that is tried, as far as a sample goes on.
fn turns(context: &TurnContext, recorded: &State, roll: RollForward) -> Vec<TurnId> {
    let last = match roll {
        RollForward::Turn => return Vec::new(),
        RollForward::Next => context.turn.round.saturating_add(1),
        RollForward::End => u32::MAX,
    };
    let later = |turn: &&TurnId| {
        turn.round <= last
            && !context.state.turns().contains_key(*turn)
            && is_model(recorded, &turn.chair)
    };
    recorded.turns().keys().filter(later).cloned().collect()
}

fn is_model(state: &State, chair: &Chair) -> bool {
    let player = state.created().and_then(|created| created.player(chair));
    matches!(player, Some(Player::Model(_)))
}

/// Returns who judged what counts among the targets, and who is still to judge them.
fn judges(state: &State, is_judged: impl Fn(&Target) -> bool) -> Vec<Judge> {
    let mut judges = Vec::new();
    for (judging, target, by_slot) in state.verdicts() {
        let rule = state
            .protocol()
            .and_then(|protocol| protocol.judging(judging));
        let Some(seat) = rule.and_then(|rule| rule.by.clone()) else {
            continue;
        };
        if !is_judged(target) || !state.is_current(target) {
            continue;
        }
        let chairs = by_slot.keys().map(|slot| Judge {
            judging: judging.clone(),
            chair: Chair {
                seat: seat.clone(),
                index: slot.chair,
            },
            target: target.clone(),
            order: slot.order,
            attempt: 0,
        });
        judges.extend(chairs.filter(|judge| is_model(state, &judge.chair)));
    }
    let attempts = state.turns().keys().filter_map(|turn| state.chosen(turn));
    let attempts: Vec<AttemptId> = attempts.map(|(id, _)| id).collect();
    let attempts = attempts.into_iter();
    let wanted = attempts.filter(|id| is_judged(&Target::Attempt(id.clone())));
    judges.extend(wanted.flat_map(|id| state.judges_of(&id)));
    judges
}

fn one_call(used: PreviewUse) -> ExpectedUse {
    ExpectedUse {
        calls: 1,
        input_tokens: used.input_tokens,
        output_tokens: used.output_tokens,
        cost_usd: used.cost_usd,
    }
}
