//! Blocks of a debate: what stands by itself in a transcript or a record, read off the state. Pure.

use super::notes::Notes;
use elenchus_game::debate::event::{CallEvent, Event, EventGroup, SessionEvent, TurnEvent};
use elenchus_game::debate::protocol::Protocol;
use elenchus_game::debate::state::State;
use elenchus_game::debate::step::{Step, Target};
use elenchus_game::debate::{Chair, JudgingId, StepId, TurnId};
use elenchus_text::Content;
use std::collections::{BTreeMap, BTreeSet};

/// One thing in a transcript or a record.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Block {
    Turn(TurnId),
    /// A turn that is being spoken, or is the next to be.
    Coming(StepId, TurnId),
    /// Stopped replies to a turn that has no text yet.
    Stopped(TurnId),
    /// A turn whose call failed.
    Failed(StepId, TurnId),
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
    /// Returns the step and the turn that are coming, where it shows what comes.
    pub fn coming_step(&self) -> Option<(&StepId, &TurnId)> {
        match self {
            Block::Coming(step, turn) => Some((step, turn)),
            _ => None,
        }
    }

    /// Returns the turn that the block shows.
    pub fn turn(&self) -> Option<&TurnId> {
        match self {
            Block::Turn(turn)
            | Block::Coming(_, turn)
            | Block::Stopped(turn)
            | Block::Failed(_, turn) => Some(turn),
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
pub struct BlockOptions {
    pub masked: bool,
    /// Private turns and the models' own thinking.
    pub private: bool,
    /// Differences to the same seat's turn in the round before.
    pub difference: bool,
    /// Replies that say what another said are one line.
    pub fold: bool,
}

impl BlockOptions {
    /// Returns whether texts are shown or masked.
    pub fn content(self) -> Content {
        if self.masked {
            Content::Masked
        } else {
            Content::Shown
        }
    }
}

/// What blocks are read off.
pub struct BlockSource<'a> {
    pub state: &'a State,
    pub notes: &'a Notes,
    /// All turns in the order of the game, from [`turns_in_order`].
    pub turns: &'a [(TurnId, Block)],
}

impl BlockSource<'_> {
    /// Returns the turns of a chair.
    pub fn chair_blocks(&self, chair: &Chair) -> Vec<Block> {
        let of_chair = self.turns.iter().filter(|(turn, _)| turn.chair == *chair);
        of_chair.map(|(_, block)| block.clone()).collect()
    }

    /// Returns the whole debate in the order of speaking: what was found about a round stands after it.
    pub fn build_transcript(&self) -> Vec<Block> {
        let state = self.state;
        let mut blocks = vec![Block::Topic];
        if state.retrieved_guards().is_some() {
            blocks.push(Block::Guardrails);
        }
        let mut findings = collect_joint_findings(state).into_iter().peekable();
        let mut round = 1;
        for (turn, block) in self.turns {
            if turn.round != round {
                let of_round =
                    |target: &Target| matches!(target, Target::Round(of) if *of < turn.round);
                while let Some((judging, target)) = findings.next_if(|(_, target)| of_round(target))
                {
                    blocks.push(Block::Found(judging, target));
                }
                round = turn.round;
            }
            blocks.push(block.clone());
        }
        blocks.extend(findings.map(|(judging, target)| Block::Found(judging, target)));
        blocks.extend(list_closing_blocks(state, self.notes));
        let mut turns = self.turns.iter();
        if turns.any(|(_, block)| matches!(block, Block::Coming(..))) {
            // What comes next stands at the end, not how far it has come.
            blocks.retain(|block| *block != Block::Ending);
        }
        blocks
    }

    /// Returns what stands beside the turns: the topic, who plays, what was found together, the end.
    pub fn build_record(&self) -> Vec<Block> {
        let state = self.state;
        let mut blocks = vec![Block::Topic, Block::Cast];
        if state.retrievals().next().is_some() {
            blocks.push(Block::Memory);
        }
        if state.retrieved_guards().is_some() {
            blocks.push(Block::Guardrails);
        }
        let findings = collect_joint_findings(state).into_iter();
        blocks.extend(findings.map(|(judging, target)| Block::Found(judging, target)));
        blocks.extend(list_closing_blocks(state, self.notes));
        blocks
    }
}

/// Returns all turns, spoken or not, in the order of the game: what stopped or failed is where the turn
/// would be.
pub fn turns_in_order(state: &State, coming: &[Step]) -> Vec<(TurnId, Block)> {
    let Some(protocol) = state.protocol() else {
        return Vec::new();
    };
    let place = speaking_order(protocol);
    let is_spoken = |turn: &TurnId| state.turns().contains_key(turn);
    let spoken_turns = state.turns().keys().cloned();
    let mut turns: Vec<_> = spoken_turns
        .map(|turn| (turn.clone(), Block::Turn(turn)))
        .collect();
    let failed_turns = state.failures().keys();
    let failed_turns: BTreeMap<TurnId, &StepId> = failed_turns
        .filter_map(|step| Some((step.turn()?, step)))
        .filter(|(turn, _)| !is_spoken(turn))
        .collect();
    let stopped_turns = state.stopped_replies().iter();
    let stopped_turns: BTreeSet<TurnId> = stopped_turns
        .filter_map(|stopped| stopped.reply.step.turn())
        .filter(|turn| !is_spoken(turn) && !failed_turns.contains_key(turn))
        .collect();
    turns.extend(
        stopped_turns
            .into_iter()
            .map(|turn| (turn.clone(), Block::Stopped(turn))),
    );
    let failed_turns = failed_turns.into_iter();
    turns
        .extend(failed_turns.map(|(turn, step)| (turn.clone(), Block::Failed(step.clone(), turn))));
    let coming_turns = coming
        .iter()
        .filter_map(|step| Some((step.id(), step.as_speak()?.turn.clone())));
    turns.extend(coming_turns.map(|(step, turn)| (turn.clone(), Block::Coming(step, turn))));
    // Of one turn what stopped or failed stands before what comes.
    turns.sort_by_cached_key(|(turn, _)| place(turn));
    turns
}

/// Returns what was found about rounds and about the debate, in this order.
fn collect_joint_findings(state: &State) -> Vec<(JudgingId, Target)> {
    let mut findings: Vec<_> = state
        .verdicts()
        .map(|(judging, target, _)| (judging.clone(), target.clone()))
        .filter(|(_, target)| matches!(target, Target::Round(_) | Target::Debate))
        .collect();
    findings.sort_by_key(|(_, target)| target.clone());
    findings
}

/// Says whether what came of a step is shown at a turn: a reply, or a verdict on one.
pub(super) fn is_shown_at_turn(step: &StepId) -> bool {
    let judgement = step.requested_verdict();
    let is_on_a_turn = judgement.is_some_and(|(_, _, on, _)| matches!(on, Target::Attempt(_)));
    is_on_a_turn || step.turn().is_some()
}

/// Returns what stands after all turns.
fn list_closing_blocks(state: &State, notes: &Notes) -> Vec<Block> {
    let mut blocks = Vec::new();
    if !state.compute_rewards().is_empty() {
        blocks.push(Block::Rewards);
    }
    if state.lesson().is_some() {
        blocks.push(Block::Lesson);
    }
    let failed_steps = state.failures().keys();
    let stopped_replies = state.stopped_replies().iter();
    let mut unfinished_steps =
        failed_steps.chain(stopped_replies.map(|stopped| &stopped.reply.step));
    if unfinished_steps.any(|step| !is_shown_at_turn(step)) {
        blocks.push(Block::Failures);
    }
    if !notes.debate_notes().is_empty() {
        blocks.push(Block::Notes);
    }
    blocks.push(Block::Ending);
    blocks
}

/// Returns the key by which turns are in the order of the game: round, stage, seat.
fn speaking_order(protocol: &Protocol) -> impl Fn(&TurnId) -> (u32, Option<usize>, Option<usize>) {
    let stages = protocol.stages.iter();
    let places: Vec<_> = stages
        .map(|stage| (stage.id.clone(), protocol.chairs_of(stage)))
        .collect();
    move |turn| {
        let stage = places.iter().position(|(id, _)| *id == turn.stage);
        let chairs = stage.and_then(|at| places.get(at));
        let chair = chairs.and_then(|(_, chairs)| chairs.iter().position(|one| *one == turn.chair));
        (turn.round, stage, chair)
    }
}

/// Blocks that an event changed.
pub enum TouchedBlocks {
    Turn(TurnId),
    Record,
    Everything,
}

impl TouchedBlocks {
    /// Returns the blocks that an event changed.
    pub fn from_event(event: &Event) -> Self {
        match event.group() {
            EventGroup::Turn(TurnEvent::Replied(replied)) => {
                TouchedBlocks::Turn(replied.turn.clone())
            }
            EventGroup::Verdict(judged) => blocks_of_target(&judged.target),
            EventGroup::Call(CallEvent::Failed(failed)) => blocks_of_step(&failed.step),
            EventGroup::Call(CallEvent::Stopped(stopped)) => blocks_of_step(&stopped.step),
            // Another text may be what others repeat or differ from. Failures are shown at their turns,
            // and are forgiven when the session is resumed.
            EventGroup::Turn(TurnEvent::Edited { .. } | TurnEvent::Chosen(_))
            | EventGroup::Session(
                SessionEvent::Created(_)
                | SessionEvent::Forked
                | SessionEvent::Prompted(_)
                | SessionEvent::Resumed,
            ) => TouchedBlocks::Everything,
            EventGroup::Session(SessionEvent::Truncated)
            | EventGroup::Call(CallEvent::Started { .. } | CallEvent::Retried { .. })
            | EventGroup::Memory(_)
            | EventGroup::Lesson(_) => TouchedBlocks::Record,
        }
    }

    /// Says whether a block is one of them.
    pub fn covers(&self, block: &Block) -> bool {
        match self {
            TouchedBlocks::Everything => true,
            TouchedBlocks::Record => block.turn().is_none(),
            // The record shows the state and the cost.
            TouchedBlocks::Turn(turn) => block.turn().is_none_or(|shown| shown == turn),
        }
    }
}

fn blocks_of_step(step: &StepId) -> TouchedBlocks {
    match (step.turn(), step.requested_verdict()) {
        (Some(turn), _) => TouchedBlocks::Turn(turn),
        (None, Some((_, _, target, _))) => blocks_of_target(&target),
        (None, None) => TouchedBlocks::Record,
    }
}

fn blocks_of_target(target: &Target) -> TouchedBlocks {
    match target {
        Target::Attempt(attempt) => TouchedBlocks::Turn(attempt.turn.clone()),
        Target::Round(_) | Target::Debate => TouchedBlocks::Record,
    }
}
