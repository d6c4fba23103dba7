//! Speeches of a debate: what a model said, after which messages, and what came of it.

use super::NoRows;
use super::chat::{
    ChatMessage, hash_prompt, hash_texts, list_messages, list_shown_verdicts, shows_private_text,
};
use super::grade::{GradeBy, Side, compute_middle_reward, find_deciding_rule, find_verdict};
use crate::workspace::rows::list_rewards;
use elenchus_game::debate::event::{Created, Finish};
use elenchus_game::debate::protocol::Protocol;
use elenchus_game::debate::{Attempt, AttemptId, Chair, SessionId, State, is_blank};
use elenchus_game::prompt::expand_view;
use elenchus_metrics::{Advantage, DebateRow, DecisionLabel, PickOutcome};
use serde::Serialize;
use std::collections::BTreeMap;

/// Digits of the name of a group.
const GROUP_DIGITS: usize = 16;

/// Which speeches are wanted.
#[derive(Debug, Clone, Default)]
pub struct SpeechOptions {
    /// Those of these seats; of all where it is empty.
    pub seats: Vec<String>,
    pub by: GradeBy,
    /// Speeches in private, and those whose speaker was shown its own private reasoning.
    pub own_private: bool,
}

/// Where a speech stands, and what it earned.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct SpeechPlace {
    pub session: String,
    /// `rROUND.STAGE.CHAIR#ATTEMPT`.
    pub place: String,
    pub topic: String,
    /// Hash of all that the topic says to seats: equal ones are one topic.
    pub topic_key: String,
    pub protocol: String,
    pub seat: String,
    pub model: String,
    pub checkpoint: Option<String>,
    pub round: u32,
    pub stage: String,
    pub rollout: u32,
    pub seed: u64,
    pub simulated: bool,
    /// Equal for what one prompt was answered with.
    pub prompt_sha256: String,
    /// Equal for the rollouts that `advantage` compares.
    pub group: Option<String>,
    /// What the game paid the seat.
    pub reward: Option<f64>,
    /// The reward less the mean of its group; `None` where a group has one debate.
    pub advantage: Option<f64>,
    /// The verdict on this speech.
    pub verdict: Option<String>,
    /// Rules whose verdicts the prompt shows.
    pub verdicts_shown: Vec<String>,
    /// How the reply ended.
    pub finish: String,
}

/// What a model said.
#[derive(Debug, Clone, PartialEq)]
pub struct Speech {
    pub prompt: Vec<ChatMessage>,
    pub text: String,
    /// `None` where nothing tells: not judged, not paid, unreadable.
    pub side: Option<Side>,
    /// By what it is on its side: the reward, or 1, 0 and -1 for the verdict.
    pub score: f64,
    pub place: SpeechPlace,
}

/// What one model on one seat was asked. Models that are called alike are one.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct ComparisonKey {
    prompt_sha256: String,
    seat: String,
    model: String,
    simulated: bool,
}

/// A speech with whether it is wanted.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct OutcomeRow {
    pub prompt: Vec<ChatMessage>,
    pub completion: Vec<ChatMessage>,
    pub label: bool,
    #[serde(flatten)]
    pub place: SpeechPlace,
}

impl Speech {
    /// Returns what speeches have in common that can be compared: seat, model, and the prompt byte for byte.
    pub fn comparison_key(&self) -> ComparisonKey {
        ComparisonKey {
            prompt_sha256: self.place.prompt_sha256.clone(),
            seat: self.place.seat.clone(),
            model: self.place.model.clone(),
            simulated: self.place.simulated,
        }
    }

    /// Returns the row that says whether a speech is wanted; `None` where it is neither.
    pub fn outcome_row(&self) -> Option<OutcomeRow> {
        let label = match self.side? {
            Side::Wanted => true,
            Side::Unwanted => false,
            Side::Neither => return None,
        };
        Some(OutcomeRow {
            prompt: self.prompt.clone(),
            completion: ChatMessage::completion(&self.text),
            label,
            place: self.place.clone(),
        })
    }
}

/// Returns the speeches of a debate in the order of the game; its state must have the views of its seats. `advantages`
/// are those of all debates that are exported.
pub fn list_speeches(
    (session, state, row): (&SessionId, &State, &DebateRow),
    advantages: &[Advantage],
    options: &SpeechOptions,
    left_out: &mut NoRows,
) -> Vec<Speech> {
    let Some(created) = state.first_event() else {
        return Vec::new();
    };
    let debate = PaidDebate::new(state, created, row, advantages);
    let mut speeches = Vec::new();
    let mut turns: Vec<_> = state.turns().iter().collect();
    turns.sort_by_key(|(turn, _)| (turn.round, created.protocol.stage_place(&turn.stage)));
    for (turn, turn_state) in turns {
        let wanted = &options.seats;
        if !wanted.is_empty() && !wanted.iter().any(|seat| seat == turn.chair.seat.as_str()) {
            continue;
        }
        for (index, attempt) in turn_state.attempts.iter().enumerate() {
            let id = AttemptId {
                turn: turn.clone(),
                attempt: u32::try_from(index).unwrap_or(u32::MAX),
            };
            let is_chosen = index == turn_state.chosen_index;
            match debate.speech(session, &id, (attempt, is_chosen), options) {
                Ok(Some(speech)) => speeches.push(speech),
                Ok(None) => {}
                Err(reason) => left_out.add(reason),
            }
        }
    }
    speeches
}

/// A debate with what it paid.
struct PaidDebate<'a> {
    state: &'a State,
    created: &'a Created,
    row: &'a DebateRow,
    rewards: BTreeMap<Chair, f64>,
    /// Those of this debate.
    advantages: Vec<&'a Advantage>,
}

impl<'a> PaidDebate<'a> {
    fn new(
        state: &'a State,
        created: &'a Created,
        row: &'a DebateRow,
        advantages: &'a [Advantage],
    ) -> Self {
        // Where a person spoke or chose, what was paid is no measure of a model, as in every figure.
        let rewards = match row.touched_by_person() {
            true => BTreeMap::new(),
            false => list_rewards(state, created).into_iter().collect(),
        };
        let of_debate = |advantage: &&Advantage| advantage.session == row.session;
        Self {
            state,
            created,
            row,
            rewards,
            advantages: advantages.iter().filter(of_debate).collect(),
        }
    }

    /// Returns an attempt as a speech; `None` where no model said it here.
    fn speech(
        &self,
        session: &SessionId,
        id: &AttemptId,
        (attempt, is_chosen): (&Attempt, bool),
        options: &SpeechOptions,
    ) -> Result<Option<Speech>, &'static str> {
        let chair = &id.turn.chair;
        let player = self.created.player_of(chair);
        let Some(model) = player.and_then(|player| player.as_model()) else {
            return Ok(None);
        };
        if attempt.inherited {
            return Ok(None);
        }
        if attempt.edited || attempt.by_person && attempt.view.is_none() {
            return Err("written by a person");
        }
        if attempt.guardrail.is_some() {
            return Err("refused by a guardrail");
        }
        if is_blank(&attempt.reply.text) {
            return Err("without a visible text");
        }
        let Some(place) = attempt.view else {
            return Err("without a recorded prompt");
        };
        let view = expand_view(self.state, Some(&id.turn), self.state.view_at(place));
        let is_private = is_private_stage(&self.created.protocol, id);
        if !options.own_private && (is_private || shows_private_text(&view)) {
            return Err("after private reasoning, or in private");
        }
        let Some(prompt) = list_messages(&view) else {
            return Err("whose prompt is not known in full");
        };
        let reward = self.rewards.get(chair).copied().filter(|_| is_chosen);
        let verdict = find_deciding_rule(self.created, &id.turn)
            .and_then(|rule| find_verdict(self.state, rule, id));
        let by_reward = options.by.is_by_reward(&self.created.protocol);
        let (side, score) = match by_reward {
            true => {
                let middle = compute_middle_reward(self.state, self.created, chair);
                let side = reward.map(|reward| match self.is_undecided() {
                    true => Side::Neither,
                    false => Side::from_value(reward - middle),
                });
                (side, reward.unwrap_or_default())
            }
            false => {
                let side = verdict.as_ref().map(|(_, side)| *side);
                let score = match side {
                    Some(Side::Wanted) => 1.0,
                    Some(Side::Unwanted) => -1.0,
                    Some(Side::Neither) | None => 0.0,
                };
                (side, score)
            }
        };
        let advantage = reward.and_then(|reward| self.find_advantage(chair, reward));
        let place = SpeechPlace {
            session: session.to_string(),
            place: id.to_string(),
            topic: self.row.topic.id.clone(),
            topic_key: self.row.topic.key.to_string(),
            protocol: self.row.protocol.clone(),
            seat: chair.to_string(),
            model: model.model.clone(),
            checkpoint: self.row.checkpoint.clone(),
            round: id.turn.round,
            stage: id.turn.stage.to_string(),
            rollout: self.row.rollout,
            seed: self.created.seed,
            simulated: self.row.simulated,
            prompt_sha256: hash_prompt(&prompt),
            group: advantage.map(hash_group),
            reward,
            advantage: advantage
                .filter(|advantage| advantage.rollouts > 1)
                .map(|advantage| advantage.advantage),
            verdict: verdict.map(|(label, _)| label),
            verdicts_shown: list_shown_verdicts(&view),
            finish: finish_name(&attempt.reply.finish),
        };
        Ok(Some(Speech {
            prompt,
            text: attempt.reply.text.clone(),
            side,
            score,
            place,
        }))
    }

    /// Says whether the judge decided in the middle: what else was paid tells speeches apart no better.
    fn is_undecided(&self) -> bool {
        let (decision, pick) = (self.row.decision, self.row.pick.as_ref());
        decision.is_some_and(|decision| decision.label == DecisionLabel::Middle)
            || pick.is_some_and(|pick| pick.picked == PickOutcome::Tie)
    }

    /// Returns the advantage of a chair. Chairs of one seat with equal rewards have equal ones.
    fn find_advantage(&self, chair: &Chair, reward: f64) -> Option<&'a Advantage> {
        let mut advantages = self.advantages.iter();
        advantages
            .find(|one| one.seat == chair.seat.as_str() && one.reward.total_cmp(&reward).is_eq())
            .copied()
    }
}

fn is_private_stage(protocol: &Protocol, id: &AttemptId) -> bool {
    let stage = protocol.find_stage(&id.turn.stage);
    stage.is_some_and(|stage| stage.private)
}

/// Names what an advantage compares: rollouts of one topic, arm, checkpoint and seat.
fn hash_group(advantage: &Advantage) -> String {
    let parts = [
        advantage.topic.as_str(),
        &advantage.arm,
        advantage.checkpoint.as_deref().unwrap_or_default(),
        &advantage.seat,
        if advantage.simulated { "simulated" } else { "" },
    ];
    hash_texts(parts)[..GROUP_DIGITS].to_owned()
}

pub(super) fn finish_name(finish: &Finish) -> String {
    serde_json::to_value(finish)
        .ok()
        .and_then(|value| Some(value.as_str()?.to_owned()))
        .unwrap_or_else(|| "other".to_owned())
}
