//! Blocks of a pane: paragraphs, read off the state. Pure.

use super::notes::Notes;
use super::pane_list::Pane;
use crate::debate::state::State;
use crate::debate::step::{Step, Target};
use crate::debate::{Chair, JudgingId, StepId, TurnId};
use crate::tui::widgets::Content;

/// One thing in a pane.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Block {
    Turn(TurnId),
    /// A turn that is being spoken, or is the next to be.
    Coming(StepId, TurnId),
    /// Stopped replies to a turn that has no text yet.
    Stopped(TurnId),
    Topic,
    Cast,
    Memory,
    /// Guardrails near the topic, and what was decided.
    Guardrails,
    /// Verdict on a round or the debate.
    Found(JudgingId, Target),
    Rewards,
    Lesson,
    Failures,
    /// Notes on the debate as a whole.
    Notes,
    Ending,
}

impl Block {
    /// Returns the turn that the block shows.
    pub fn turn(&self) -> Option<&TurnId> {
        match self {
            Block::Turn(turn) | Block::Coming(_, turn) | Block::Stopped(turn) => Some(turn),
            Block::Topic
            | Block::Cast
            | Block::Memory
            | Block::Guardrails
            | Block::Found(..)
            | Block::Rewards
            | Block::Lesson
            | Block::Failures
            | Block::Notes
            | Block::Ending => None,
        }
    }
}

/// Display options of blocks.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(super) struct BlockOptions {
    pub masked: bool,
    /// Private turns and the models' own thinking.
    pub private: bool,
    /// Differences to the same seat's turn in the round before.
    pub difference: bool,
    /// Replies that say what another said are one line.
    pub fold: bool,
}

impl BlockOptions {
    pub(super) fn content(self) -> Content {
        if self.masked {
            Content::Masked
        } else {
            Content::Shown
        }
    }
}

/// Returns the blocks of a pane, in the order of the game.
pub fn blocks(state: &State, pane: &Pane, coming: &[Step], notes: &Notes) -> Vec<Block> {
    match pane {
        Pane::Chair(chair) => of_chair(state, chair, coming),
        Pane::Record => of_record(state, notes),
        Pane::Rail => Vec::new(),
    }
}

fn of_chair(state: &State, chair: &Chair, coming: &[Step]) -> Vec<Block> {
    let place = |turn: &TurnId| {
        let stage = state
            .protocol()
            .map(|protocol| protocol.stage_place(&turn.stage));
        (turn.round, stage)
    };
    let mut turns: Vec<&TurnId> = state
        .turns()
        .keys()
        .filter(|turn| turn.chair == *chair)
        .collect();
    turns.sort_by_key(|turn| place(turn));
    let mut blocks: Vec<Block> = turns.into_iter().cloned().map(Block::Turn).collect();
    let stopped = state.stopped_replies().iter();
    let mut unspoken: Vec<TurnId> = stopped
        .filter_map(|stopped| stopped.reply.step.turn())
        .filter(|turn| turn.chair == *chair && !state.turns().contains_key(turn))
        .collect();
    unspoken.sort_by_key(place);
    unspoken.dedup();
    blocks.extend(unspoken.into_iter().map(Block::Stopped));
    for step in coming {
        let Some(speak) = step.speak() else {
            continue;
        };
        if speak.turn.chair == *chair {
            blocks.push(Block::Coming(step.id(), speak.turn.clone()));
        }
    }
    blocks
}

fn of_record(state: &State, notes: &Notes) -> Vec<Block> {
    let mut blocks = vec![Block::Topic, Block::Cast];
    if state.retrieved().is_some() {
        blocks.push(Block::Memory);
    }
    if state.guards().is_some() {
        blocks.push(Block::Guardrails);
    }
    let mut found: Vec<(&JudgingId, &Target)> = state
        .verdicts()
        .map(|(judging, target, _)| (judging, target))
        .filter(|(_, target)| matches!(target, Target::Round(_) | Target::Debate))
        .collect();
    found.sort_by_key(|(_, target)| (*target).clone());
    blocks.extend(
        found
            .into_iter()
            .map(|(judging, target)| Block::Found(judging.clone(), target.clone())),
    );
    if !state.rewards().is_empty() {
        blocks.push(Block::Rewards);
    }
    if state.feedback().is_some() {
        blocks.push(Block::Lesson);
    }
    if !state.failures().is_empty() || state.other_stopped_replies().next().is_some() {
        blocks.push(Block::Failures);
    }
    if !notes.on_debate().is_empty() {
        blocks.push(Block::Notes);
    }
    blocks.push(Block::Ending);
    blocks
}
