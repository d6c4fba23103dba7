//! Timeline: one line of all turns with the cursor, which links the panes. Pure.

use super::stream::Streams;
use super::verdict_rail::outcome_mark;
use crate::tui::theme::{Look, Role};
use crate::tui::widgets::StyledLine;
use elenchus_game::debate::event::Failed;
use elenchus_game::debate::step::Step;
use elenchus_game::debate::{StepId, TurnId};
use elenchus_view::debate_text::{Glances, TurnGlance, role_of, worst_finding};
use std::collections::BTreeMap;

/// Turns that the timeline shows.
#[derive(Clone, Copy)]
pub(super) struct TurnsOfDebate<'a> {
    pub spoken: &'a [TurnId],
    pub failed: &'a BTreeMap<StepId, Failed>,
    /// The open steps.
    pub coming: &'a [Step],
}

/// The timeline as it is drawn.
pub(super) struct Timeline<'a> {
    pub line: StyledLine,
    /// The turns of which a mark is in sight.
    pub visible: TurnsOfDebate<'a>,
}

/// Draws the line for a width: a window around the cursor where not everything fits.
pub(super) fn lay_out_timeline<'a>(
    debate_turns: TurnsOfDebate<'a>,
    streams: &Streams,
    glances: &Glances,
    cursor: Option<&TurnId>,
    width: usize,
    look: &Look,
) -> Timeline<'a> {
    let TurnsOfDebate {
        spoken: turns,
        failed,
        coming,
    } = debate_turns;
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
    for (index, turn) in turns.iter().enumerate().skip(from) {
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
            return Timeline {
                line: StyledLine::from_runs(runs),
                visible: TurnsOfDebate {
                    spoken: turns.get(from..index).unwrap_or_default(),
                    coming: &[],
                    ..debate_turns
                },
            };
        }
        used += 1;
        let (role, text) = match glances.get(turn) {
            Some(TurnGlance::Found(found)) => match worst_finding(found) {
                Some(found) => (role_of(&found.outcome), outcome_mark(&found.outcome, look)),
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
    let coming = coming.iter().filter_map(|step| {
        let live = streams.is_live(&step.id());
        let run = match live {
            true => (Role::Streaming, glyphs.playing),
            false => (Role::Accent, glyphs.open),
        };
        Some((step.as_speak()?.turn.clone(), run))
    });
    let failures = failed.keys().filter_map(StepId::turn);
    let failures = failures.filter(|turn| !turns.contains(turn));
    let failure_marks = failures.map(|turn| (turn, (Role::Error, glyphs.failed)));
    for (turn, (role, mark)) in failure_marks.chain(coming) {
        if used + 4 >= room {
            break;
        }
        if turn.round != round {
            round = turn.round;
            let text = format!(" {round} ");
            used += text.len();
            runs.push((Role::Muted, text));
        }
        used += 1;
        let role = if Some(&turn) == cursor {
            Role::Cursor
        } else {
            role
        };
        runs.push((role, mark.to_owned()));
    }
    Timeline {
        line: StyledLine::from_runs(runs),
        visible: TurnsOfDebate {
            spoken: turns.get(from..).unwrap_or_default(),
            ..debate_turns
        },
    }
}
