//! What the game's own evaluators found on the turns of a session, kept in the store's index for validation.

use super::conclusion::{find_conclusion, find_decided_proposal};
use super::evaluators::own_name;
use super::{arm_name, safety_judging};
use crate::library::IMPORTED;
use crate::workspace::annotations::attempt_hash;
use crate::workspace::error::Result;
use crate::workspace::pass::hash_target;
use crate::workspace::session::{SeatViews, read_session_to};
use crate::workspace::session_list::read_in_parallel;
use crate::workspace::store_index::{Derived, EntryForm, StoreIndex, table};
use elenchus_game::debate::event::{Created, Finding, Outcome};
use elenchus_game::debate::protocol::JudgedThing;
use elenchus_game::debate::step::Target;
use elenchus_game::debate::{AttemptId, JudgingId, SessionId, State, TurnId, visibility};
use elenchus_metrics::RowTopic;
use elenchus_store::{Hash, Head};
use serde::{Deserialize, Deserializer, Serialize, Serializer};
use std::path::Path;

/// What was found on a session; `None` before it has begun.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct SessionFindings(pub Option<FoundSession>);

/// A session with its public turns.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct FoundSession {
    pub topic: RowTopic,
    pub arm: String,
    pub category: Option<String>,
    pub simulated: bool,
    pub hash_check: bool,
    /// The sessions that it was forked from, the first one first.
    pub forked_from: Vec<SessionId>,
    /// It was played to its end, or something failed.
    pub is_over: bool,
    pub turns: Vec<FoundTurn>,
    pub debate: FoundDebate,
    /// The rules that compare with the reference answer.
    pub graders: Vec<JudgingId>,
}

/// A session as a debate.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct FoundDebate {
    /// Hash of everything that passes judged, where they judged it as a whole.
    #[serde(serialize_with = "write_hash", deserialize_with = "read_hash")]
    pub sha256: Hash,
    pub last_round: u32,
    /// The rule by which its judge decides about a proposal, and the turn that this is.
    pub decision: Option<JudgingId>,
    pub decided_turn: Option<TurnId>,
    /// What was found on it, by each rule on debates, with the names of judges; graders have none.
    pub found: Vec<(JudgingId, Option<String>, Found)>,
    /// Whether it states a conclusion.
    pub concludes: bool,
}

/// Chosen attempt of a public turn.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct FoundTurn {
    pub id: AttemptId,
    /// Hash of what is labelled.
    #[serde(serialize_with = "write_hash", deserialize_with = "read_hash")]
    pub sha256: Hash,
    pub inherited: bool,
    pub by_person: bool,
    /// The rule by which its safety is judged.
    pub safety: Option<JudgingId>,
    /// What was found on its safety, with the evaluator's name; `None` where the game asks none.
    pub own: Option<(String, Found)>,
    /// Labels by other rules on single turns.
    pub others: Vec<(JudgingId, Found)>,
    /// Whether the game calls it a proposal, and a critique; a file's turns are what its columns say.
    pub is_proposal: bool,
    pub is_critique: bool,
}

/// What an evaluator found on a turn.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub enum Found {
    /// A guardrail refused the turn before it was judged.
    Guardrail,
    /// It was asked, and there is nothing.
    Missing,
    Unparsed,
    Label {
        label: String,
        /// From −1 (bad) to 1 (good).
        value: f64,
        score: Option<f64>,
    },
}

impl Found {
    /// Takes from an outcome what validation asks.
    pub fn from_outcome(outcome: &Outcome) -> Self {
        match outcome {
            Outcome::Unparsed { .. } => Self::Unparsed,
            Outcome::Label(Finding {
                label,
                value,
                score,
                ..
            }) => Self::Label {
                label: label.clone(),
                value: *value,
                score: *score,
            },
        }
    }
}

fn write_hash<S: Serializer>(hash: &Hash, to: S) -> Result<S::Ok, S::Error> {
    hash.as_bytes().serialize(to)
}

fn read_hash<'de, D: Deserializer<'de>>(from: D) -> Result<Hash, D::Error> {
    <[u8; 32]>::deserialize(from).map(Hash::from_bytes)
}

impl FoundSession {
    fn from_state(state: &State) -> Option<Self> {
        let created = state.first_event()?;
        let public = state.turns().keys().filter(|turn| {
            let stage = created.protocol.find_stage(&turn.stage);
            stage.is_some_and(|stage| !stage.private)
        });
        Some(Self {
            topic: RowTopic::from_topic(&created.topic),
            arm: arm_name(state, created),
            category: created.topic.category.clone(),
            simulated: created.is_simulated(),
            hash_check: created.topic.needs_hash_check,
            forked_from: state.forked_from().to_vec(),
            is_over: state.find_open_steps().done.is_some() || !state.failures().is_empty(),
            debate: FoundDebate::from_state(state, created),
            graders: created
                .protocol
                .judging
                .iter()
                .filter(|rule| rule.enabled && rule.grader.is_some())
                .map(|rule| rule.id.clone())
                .collect(),
            turns: public
                .filter_map(|turn| {
                    FoundTurn::from_attempt(state, created, state.chosen_attempt(turn)?.0)
                })
                .collect(),
        })
    }
}

impl FoundDebate {
    fn from_state(state: &State, created: &Created) -> Self {
        let protocol = &created.protocol;
        let rules = protocol
            .judging
            .iter()
            .filter(|rule| rule.enabled && rule.of == JudgedThing::Debate && rule.grades.is_none());
        let found = rules.filter_map(|rule| {
            let outcome = state.combined_outcome(rule, &Target::Debate)?;
            let judge = rule.has_judge().then(|| own_name(created, rule));
            Some((rule.id.clone(), judge, Found::from_outcome(&outcome)))
        });
        Self {
            sha256: hash_target(state, &Target::Debate),
            last_round: state.last_round(),
            decision: protocol.find_decision_rule().map(|rule| rule.id.clone()),
            decided_turn: find_decided_proposal(state),
            found: found.collect(),
            concludes: find_conclusion(state).is_some(),
        }
    }
}

impl FoundTurn {
    fn from_attempt(state: &State, created: &Created, id: AttemptId) -> Option<Self> {
        let (_, attempt) = state.chosen_attempt(&id.turn)?;
        let safety = safety_judging(created, &id.turn);
        let is_imported = created.protocol.id == IMPORTED;
        let target = Target::Attempt(id.clone());
        let own = safety.map(|rule| {
            let finding = match state.combined_outcome(rule, &target) {
                _ if attempt.guardrail.is_some() => Found::Guardrail,
                _ if attempt.is_empty_reply() => Found::Missing,
                Some(found) => Found::from_outcome(&found),
                None => Found::Missing,
            };
            (own_name(created, rule), finding)
        });
        let safety = safety.map(|rule| rule.id.clone());
        let rules = created.protocol.judging.iter().filter(|rule| {
            rule.enabled
                && rule.of == JudgedThing::Turn
                && Some(&rule.id) != safety.as_ref()
                && visibility::is_target(&created.protocol, rule, &id.turn)
        });
        let others = rules.filter_map(|rule| {
            let outcome = state.combined_outcome(rule, &target)?;
            outcome.as_finding()?;
            Some((rule.id.clone(), Found::from_outcome(&outcome)))
        });
        Some(Self {
            sha256: attempt_hash(&id, &attempt.reply.text),
            inherited: attempt.inherited,
            by_person: attempt.is_persons_choice(),
            own,
            others: others.collect(),
            safety,
            is_proposal: is_imported || created.protocol.is_proposal(&id.turn),
            is_critique: is_imported || created.protocol.is_critique(&id.turn),
            id,
        })
    }
}

/// Reads what was found on sessions, in their order; a journal is opened only where the index, read for
/// validation, does not know it as it is. Blocks.
pub fn session_findings(index: &StoreIndex, ids: &[&SessionId]) -> Vec<Result<SessionFindings>> {
    read_in_parallel(ids, |id| {
        index.get_or_derive(&index.layout().session_path(id.as_str())?)
    })
}

impl Derived for SessionFindings {
    const TABLE: &'static str = table::FOUND;
    const REFUSES_LESS: bool = false;
    const FORM: EntryForm = EntryForm::Compact;

    fn derive_entry(path: &Path) -> Result<(Self, Head)> {
        let (state, head) = read_session_to(path, SeatViews::Dropped)?;
        Ok((Self(FoundSession::from_state(&state)), head))
    }
}
