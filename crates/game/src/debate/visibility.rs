//! Visibility of turns: which turns a reader is shown, decided by the protocol and addresses alone,
//! never by the content of turns.

use super::ids::{Chair, StageId, TurnId};
use super::protocol::{
    Judging, OwnPrivate, PeerOrder, Protocol, RoundsSeen, Sees, Stage, StageOrder, TargetSelector,
    TurnSelector,
};
use super::seeded_random::shuffle;
use std::ops::ControlFlow;

/// Position from which a reader looks back.
#[derive(Debug, Clone, Copy)]
pub struct ReaderPosition<'a> {
    /// The speaker's chair; `None` for judges.
    pub chair: Option<&'a Chair>,
    pub round: u32,
    /// Index of the stage in the round: earlier stages are over.
    pub stage: usize,
    /// The chair whose turn comes next within that stage; `None` at its beginning.
    before: Option<&'a Chair>,
}

impl<'a> ReaderPosition<'a> {
    /// Returns the position of the speaker of `turn`.
    pub fn from_spoken_turn(protocol: &Protocol, turn: &'a TurnId) -> Self {
        Self {
            chair: Some(&turn.chair),
            ..Self::from_examined_turn(protocol, turn)
        }
    }

    /// Returns the position of a judge of `turn`.
    pub fn from_examined_turn(protocol: &Protocol, turn: &'a TurnId) -> Self {
        Self {
            chair: None,
            round: turn.round,
            stage: protocol.stage_place(&turn.stage),
            before: Some(&turn.chair),
        }
    }

    /// Returns the position of somebody who looks back on the whole debate from a chair.
    pub fn from_debate_end(protocol: &Protocol, last: u32, chair: Option<&'a Chair>) -> Self {
        Self {
            chair,
            ..Self::from_round_end(protocol, last)
        }
    }

    /// Returns the position after a round.
    pub fn from_round_end(protocol: &Protocol, round: u32) -> Self {
        Self {
            chair: None,
            round,
            stage: protocol.stages.len(),
            before: None,
        }
    }
}

impl Protocol {
    /// Returns the index of a stage in the round; past the end if there is none of that name.
    pub fn stage_place(&self, id: &StageId) -> usize {
        self.stages
            .iter()
            .position(|stage| &stage.id == id)
            .unwrap_or(self.stages.len())
    }

    /// Returns the chairs that speak in a stage, in their order.
    pub fn chairs_of(&self, stage: &Stage) -> Vec<Chair> {
        self.each_chair_of(stage).collect()
    }

    fn each_chair_of(&self, stage: &Stage) -> impl Iterator<Item = Chair> {
        let seats = stage.seats.iter().filter_map(|id| self.find_seat(id));
        seats.flat_map(|seat| {
            (0..seat.count).map(|index| Chair {
                seat: seat.id.clone(),
                index,
            })
        })
    }

    /// Returns the turns of a round, in the order of stages and chairs.
    pub fn turns_in(&self, round: u32) -> Vec<TurnId> {
        self.stages
            .iter()
            .filter(|stage| stage.plays_in(round, self.rounds))
            .flat_map(|stage| {
                self.each_chair_of(stage).map(move |chair| TurnId {
                    round,
                    stage: stage.id.clone(),
                    chair,
                })
            })
            .collect()
    }

    /// Returns whether the game has this turn.
    pub(super) fn has_turn(&self, turn: &TurnId) -> bool {
        (1..=self.rounds).contains(&turn.round)
            && self.find_stage(&turn.stage).is_some_and(|stage| {
                stage.plays_in(turn.round, self.rounds)
                    && stage.seats.contains(&turn.chair.seat)
                    && self
                        .find_seat(&turn.chair.seat)
                        .is_some_and(|seat| turn.chair.index < seat.count)
            })
    }
}

/// Returns the public turns a reader is shown, oldest first.
pub fn find_visible_turns(
    protocol: &Protocol,
    sees: &Sees,
    reader: ReaderPosition<'_>,
) -> Vec<TurnId> {
    let mut turns = Vec::new();
    let _ = visit_visible_turns(protocol, sees, reader, |turn| {
        turns.push(turn);
        ControlFlow::<()>::Continue(())
    });
    turns
}

/// Passes the turns of [`find_visible_turns`] to `look` one by one, until it breaks.
fn visit_visible_turns<B>(
    protocol: &Protocol,
    sees: &Sees,
    reader: ReaderPosition<'_>,
    look: impl FnMut(TurnId) -> ControlFlow<B>,
) -> ControlFlow<B> {
    visit_visible_turns_from(protocol, sees, reader, 1, look)
}

/// Does the same as [`visit_visible_turns`] without the turns of rounds before `first`.
pub(super) fn visit_visible_turns_from<B>(
    protocol: &Protocol,
    sees: &Sees,
    reader: ReaderPosition<'_>,
    first: u32,
    mut look: impl FnMut(TurnId) -> ControlFlow<B>,
) -> ControlFlow<B> {
    if sees.turns.is_empty() {
        return ControlFlow::Continue(());
    }
    for round in first_round(sees, reader).max(first)..=reader.round {
        for (place, stage) in protocol.stages.iter().enumerate() {
            if stage.private || !stage.plays_in(round, protocol.rounds) {
                continue;
            }
            if round == reader.round && place > reader.stage {
                break;
            }
            for chair in protocol.each_chair_of(stage) {
                if round == reader.round && place == reader.stage {
                    // In a simultaneous stage no speaker sees the others' turns.
                    match (stage.order, reader.before) {
                        (StageOrder::Sequential, Some(speaker)) if &chair != speaker => {}
                        (StageOrder::Sequential | StageOrder::Simultaneous, _) => break,
                    }
                }
                let is_shown = sees
                    .turns
                    .iter()
                    .any(|selector| selects_turn(selector, reader, round, stage, &chair));
                if is_shown {
                    look(TurnId {
                        round,
                        stage: stage.id.clone(),
                        chair,
                    })?;
                }
            }
        }
    }
    ControlFlow::Continue(())
}

/// Returns whether a reader is shown a turn.
pub(super) fn is_visible(
    protocol: &Protocol,
    sees: &Sees,
    reader: ReaderPosition<'_>,
    turn: &TurnId,
) -> bool {
    // Most pairs are decided by the round numbers.
    if turn.round > reader.round || turn.round < first_round(sees, reader) {
        return false;
    }
    visit_visible_turns(protocol, sees, reader, |shown| match &shown == turn {
        true => ControlFlow::Break(()),
        false => ControlFlow::Continue(()),
    })
    .is_break()
}

/// Returns the rules and earlier rounds whose verdicts a reader is shown, oldest first.
pub fn find_visible_rulings<'a>(
    protocol: &'a Protocol,
    sees: &Sees,
    reader: ReaderPosition<'_>,
) -> Vec<(&'a Judging, u32)> {
    if sees.rulings.is_empty() {
        // Open steps are looked for in all rounds after every event: those before are not gone through.
        return Vec::new();
    }
    (1..reader.round)
        .flat_map(|round| {
            let rules = sees
                .rulings
                .iter()
                .filter_map(|id| protocol.find_judging(id));
            rules
                .filter(move |rule| rule.enabled && rule.rounds.contains(round, protocol.rounds))
                .map(move |rule| (rule, round))
        })
        .collect()
}

/// Returns the private turns that a reader is shown, oldest first: a speaker's own, and for a judge of a turn those of
/// the chair that it judges.
pub fn find_private_turns(
    protocol: &Protocol,
    sees: &Sees,
    reader: ReaderPosition<'_>,
) -> Vec<TurnId> {
    let (chair, first) = match (reader.chair, reader.before, sees.own_private) {
        (None, Some(judged), _) if sees.judged_private => (judged, 1),
        (None, _, _) | (Some(_), _, OwnPrivate::None) => return Vec::new(),
        (Some(own), _, OwnPrivate::ThisRound) => (own, reader.round),
        (Some(own), _, OwnPrivate::All) => (own, 1),
    };
    let mut turns = Vec::new();
    for round in first..=reader.round {
        for (place, stage) in protocol.stages.iter().enumerate() {
            let before = round < reader.round || place < reader.stage;
            if before
                && stage.private
                && stage.plays_in(round, protocol.rounds)
                && stage.seats.contains(&chair.seat)
            {
                turns.push(TurnId {
                    round,
                    stage: stage.id.clone(),
                    chair: chair.clone(),
                });
            }
        }
    }
    turns
}

/// Orders turns of the same stage and round for this reader.
///
/// The order depends on the reader and the turns' round, not on the time of reading, so the
/// beginning of a growing conversation does not change.
pub fn order_peer_turns(
    turns: Vec<TurnId>,
    order: PeerOrder,
    seed: u64,
    reader: &str,
) -> Vec<TurnId> {
    if order == PeerOrder::Seat {
        return turns;
    }
    let mut out: Vec<TurnId> = Vec::with_capacity(turns.len());
    let mut rest = turns.into_iter().peekable();
    while let Some(first) = rest.next() {
        let round = first.round;
        let stage = first.stage.clone();
        let mut group = vec![first];
        while let Some(next) = rest.next_if(|turn| turn.round == round && turn.stage == stage) {
            group.push(next);
        }
        let place = ["peers", reader, &round.to_string(), stage.as_str()];
        shuffle(&mut group, seed, &place);
        out.append(&mut group);
    }
    out
}

/// Returns whether a judging rule applies to a turn. Private turns are never judged.
pub fn is_target(protocol: &Protocol, judging: &Judging, turn: &TurnId) -> bool {
    is_among(protocol, &judging.turns, turn)
}

/// Returns whether a public turn is one of those that are selected.
pub(super) fn is_among(protocol: &Protocol, selected: &[TargetSelector], turn: &TurnId) -> bool {
    protocol
        .find_stage(&turn.stage)
        .is_some_and(|stage| !stage.private)
        && selected
            .iter()
            .any(|selector| selects_target(selector, turn, protocol.rounds))
}

fn selects_target(selector: &TargetSelector, turn: &TurnId, rounds: u32) -> bool {
    selector.seats.contains(&turn.chair.seat)
        && selector
            .stages
            .as_ref()
            .is_none_or(|stages| stages.contains(&turn.stage))
        && selector.rounds.contains(turn.round, rounds)
}

fn first_round(sees: &Sees, reader: ReaderPosition<'_>) -> u32 {
    let first = |selector: &TurnSelector| match selector.rounds {
        RoundsSeen::Before | RoundsSeen::Earlier | RoundsSeen::First => 1,
        RoundsSeen::Previous => reader.round.saturating_sub(1).max(1),
        RoundsSeen::This => reader.round,
    };
    sees.turns.iter().map(first).min().unwrap_or(reader.round)
}

fn selects_turn(
    selector: &TurnSelector,
    reader: ReaderPosition<'_>,
    round: u32,
    stage: &Stage,
    chair: &Chair,
) -> bool {
    let in_rounds = match selector.rounds {
        RoundsSeen::Before => true,
        RoundsSeen::Earlier => round < reader.round,
        RoundsSeen::Previous => round + 1 == reader.round,
        RoundsSeen::This => round == reader.round,
        RoundsSeen::First => round == 1,
    };
    in_rounds
        && selector
            .stages
            .as_ref()
            .is_none_or(|stages| stages.contains(&stage.id))
        && selector.seats.iter().any(|seat| match seat.as_str() {
            "self" => reader.chair == Some(chair),
            "peers" => reader
                .chair
                .is_some_and(|me| me.seat == chair.seat && me != chair),
            _ => seat == &chair.seat,
        })
}
