//! Alignment of two debates turn by turn, by address.

use super::ids::{Chair, StageId, TurnId};
use super::protocol::Protocol;
use super::state::State;
use std::collections::BTreeSet;

/// The debates of a pair that have a turn.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Sides {
    Both,
    Left,
    Right,
}

/// A turn of either of two debates.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct AlignedTurn {
    pub turn: TurnId,
    pub sides: Sides,
}

/// Returns every turn of either debate exactly once, aligned by its address, in the order of the
/// game.
///
/// A stage or chair that only one game has keeps its position from that game. Where two games order
/// the same stages or chairs differently, the left one's order holds.
pub fn align_turns(left: &State, right: &State) -> Vec<AlignedTurn> {
    let turns_of = |state: &State| -> BTreeSet<TurnId> { state.turns().keys().cloned().collect() };
    let (in_left, in_right) = (turns_of(left), turns_of(right));
    let rounds: BTreeSet<u32> = in_left.union(&in_right).map(|turn| turn.round).collect();
    let places = merge_places(left.protocol(), right.protocol());
    let mut rows = Vec::with_capacity(in_left.len().max(in_right.len()));
    for round in rounds {
        for (stage, chair) in &places {
            let turn = TurnId {
                round,
                stage: stage.clone(),
                chair: chair.clone(),
            };
            let sides = match (in_left.contains(&turn), in_right.contains(&turn)) {
                (true, true) => Sides::Both,
                (true, false) => Sides::Left,
                (false, true) => Sides::Right,
                (false, false) => continue,
            };
            rows.push(AlignedTurn { turn, sides });
        }
    }
    rows
}

/// Returns every stage and chair of a round in either game.
fn merge_places(left: Option<&Protocol>, right: Option<&Protocol>) -> Vec<(StageId, Chair)> {
    let stages = |protocol: Option<&Protocol>| -> Vec<StageId> {
        let stages = protocol.into_iter().flat_map(|protocol| &protocol.stages);
        stages.map(|stage| stage.id.clone()).collect()
    };
    let chairs_of = |protocol: Option<&Protocol>, stage: &StageId| -> Vec<Chair> {
        protocol.map_or_else(Vec::new, |protocol| chairs_of_stage(protocol, stage))
    };
    let mut places = Vec::new();
    for stage in merge_lists(&stages(left), &stages(right)) {
        for chair in merge_lists(&chairs_of(left, &stage), &chairs_of(right, &stage)) {
            places.push((stage.clone(), chair));
        }
    }
    places
}

fn chairs_of_stage(protocol: &Protocol, stage: &StageId) -> Vec<Chair> {
    let stage = protocol.find_stage(stage);
    stage.map_or_else(Vec::new, |stage| protocol.chairs_of(stage))
}

/// Merges two lists, without repetitions. The first list's order holds; items that only the second
/// has come before the item that follows them there.
fn merge_lists<T: Clone + Ord>(left: &[T], right: &[T]) -> Vec<T> {
    let in_left: BTreeSet<&T> = left.iter().collect();
    let mut items_in_all: BTreeSet<&T> = BTreeSet::new();
    let mut all = Vec::with_capacity(left.len());
    let mut next = 0;
    for item in left {
        let place = right.iter().position(|one| one == item);
        if let Some(place) = place.filter(|place| *place >= next) {
            let before = right.get(next..place).unwrap_or_default();
            let only = before.iter().filter(|one| !in_left.contains(one));
            all.extend(only.filter(|one| items_in_all.insert(one)).cloned());
            next = place + 1;
        }
        if items_in_all.insert(item) {
            all.push(item.clone());
        }
    }
    let rest = right.get(next..).unwrap_or_default();
    let only = rest.iter().filter(|one| !in_left.contains(one));
    all.extend(only.filter(|one| items_in_all.insert(one)).cloned());
    all
}
