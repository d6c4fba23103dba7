//! Timeline: one line of all turns with the cursor, which links the panes. Pure.

use super::findings::{Glances, TurnGlance, role_of};
use super::stream::Streams;
use super::verdict_rail::mark;
use crate::debate::step::Step;
use crate::debate::{State, TurnId};
use crate::tui::theme::{Look, Role};
use crate::tui::widgets::StyledLine;

/// Returns every turn that was spoken, in the order of the game.
pub fn order(state: &State) -> Vec<TurnId> {
    let Some(protocol) = state.protocol() else {
        return Vec::new();
    };
    let places: Vec<_> = protocol
        .stages
        .iter()
        .map(|stage| (stage.id.clone(), protocol.chairs_of(stage)))
        .collect();
    let place = |turn: &TurnId| {
        let stage = places.iter().position(|(id, _)| *id == turn.stage);
        let chairs = stage.and_then(|at| places.get(at));
        let chair = chairs.and_then(|(_, chairs)| chairs.iter().position(|one| *one == turn.chair));
        (turn.round, stage, chair)
    };
    let mut turns: Vec<TurnId> = state.turns().keys().cloned().collect();
    turns.sort_by_cached_key(place);
    turns
}

/// Draws the line for a width: a window around the cursor where not everything fits.
pub fn timeline(
    turns: &[TurnId],
    coming: &[Step],
    streams: &Streams,
    glances: &Glances,
    cursor: Option<&TurnId>,
    width: usize,
    look: &Look,
) -> StyledLine {
    let glyphs = look.glyphs();
    // A cell a turn, and a number where a round begins: at most four cells a turn.
    let room = width.saturating_sub(4).max(1);
    let at = cursor
        .and_then(|cursor| turns.iter().position(|turn| turn == cursor))
        .unwrap_or(turns.len().saturating_sub(1));
    let from = at.saturating_sub(room / 4);
    let mut runs: Vec<(Role, String)> = Vec::new();
    let mut used = 0;
    if from > 0 {
        runs.push((Role::Muted, glyphs.ellipsis.to_owned()));
        used += 1;
    }
    let mut round = 0;
    for turn in turns.iter().skip(from) {
        if turn.round != round {
            round = turn.round;
            let text = if used == 0 {
                format!("{round} ")
            } else {
                format!(" {round} ")
            };
            used += text.len();
            runs.push((Role::Muted, text));
        }
        if used >= room {
            runs.push((Role::Muted, glyphs.ellipsis.to_owned()));
            return StyledLine { indent: 0, runs };
        }
        used += 1;
        let (role, text) = match glances.get(turn) {
            Some(TurnGlance::Found(found)) => match worst(found) {
                Some(found) => (role_of(&found.outcome), mark(&found.outcome, look)),
                None => (Role::Text, glyphs.turn),
            },
            Some(TurnGlance::Refused) => (Role::Notice, glyphs.refused),
            Some(TurnGlance::Empty) => (Role::Warning, glyphs.empty),
            None => (Role::Text, glyphs.turn),
        };
        let role = if Some(turn) == cursor {
            Role::Cursor
        } else {
            role
        };
        runs.push((role, text.to_owned()));
    }
    for step in coming {
        let Some(speak) = step.speak() else {
            continue;
        };
        if used + 4 >= room {
            break;
        }
        if speak.turn.round != round {
            round = speak.turn.round;
            let text = format!(" {round} ");
            used += text.len();
            runs.push((Role::Muted, text));
        }
        used += 1;
        if streams.is_live(&step.id()) {
            runs.push((Role::Streaming, glyphs.playing.to_owned()));
        } else {
            runs.push((Role::Accent, glyphs.open.to_owned()));
        }
    }
    StyledLine { indent: 0, runs }
}

/// Returns the finding that the eye should find first.
fn worst(found: &[super::findings::TurnFinding]) -> Option<&super::findings::TurnFinding> {
    found
        .iter()
        .min_by_key(|found| match role_of(&found.outcome) {
            Role::Unsafe => 0,
            Role::Unparsed => 1,
            Role::Middle => 2,
            _ => 3,
        })
}
