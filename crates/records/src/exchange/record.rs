//! Round records of EAAPL-MAG005 §5.2, in exactly that shape, and the flags that an audit of the
//! debate requires (§8.2, §10, §12.1). Pure: state in, records out.
//!
//! A missing value is null, never made up: a reply that could not be parsed, a round that ended
//! before it was moderated. [`SCHEMA`] says where null is allowed.

use super::round_record_parts::{
    Position, chosen_fields, list_citations, list_field, list_flags,
    sum_tokens_of_verdicts_on_round, text_field, tokens_of_turns,
};
use elenchus_game::debate::event::{Created, Outcome, Player};
use elenchus_game::debate::protocol::RecordRoles;
use elenchus_game::debate::step::{EndReason, Target};
use elenchus_game::debate::{SessionId, State};
use serde::Serialize;
use serde_json::Value;
use sha2::{Digest, Sha256};
use std::collections::BTreeMap;
use thiserror::Error;

/// The JSON Schema (draft 2020-12) of a line: a round's record, or a debate's flags.
pub const SCHEMA: &str = include_str!("record.schema.json");

/// Prefix of a rubric's template name in a session.
const RUBRIC_TEMPLATE: &str = "rubric:";

/// Reason that a session has no records.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
pub enum NoRecord {
    #[error(
        "its game '{0}' does not say which of its stages are proposer, critic and rebuttal ([record] in protocol.toml)"
    )]
    NoRoles(String),
    #[error("it is not over; go on with it first")]
    NotOver,
}

/// One round of a debate.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct RoundRecord {
    /// A UUID derived from the session's id: the same for every export.
    pub debate_id: String,
    pub round_number: u32,
    pub question: String,
    /// In a round without a proposition, that of the round before.
    pub proposer_position: Option<ProposerPosition>,
    pub critic_position: Option<CriticPosition>,
    pub rebuttal_position: Option<RebuttalPosition>,
    pub moderator_evaluation: Option<ModeratorEvaluation>,
    pub token_cost: TokenCost,
}

/// The proposer's position. Field names are the source's.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct ProposerPosition {
    pub thesis: Option<String>,
    pub supporting_arguments: Option<Vec<Value>>,
    pub evidence_cited: Vec<Value>,
}

/// The critic's position.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct CriticPosition {
    pub thesis: Option<String>,
    pub counter_arguments: Option<Vec<Value>>,
    pub evidence_cited: Vec<Value>,
    #[serde(rename = "challengeStrength")]
    pub challenge_strength: Option<f64>,
}

/// The rebuttal's position.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct RebuttalPosition {
    pub thesis: Option<String>,
    pub rebuttals: Option<Vec<Value>>,
    pub concessions: Option<Vec<Value>>,
}

/// The moderator's evaluation.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct ModeratorEvaluation {
    pub argument_quality_score: QualityScore,
    pub resolved_points: Option<Vec<Value>>,
    pub unresolved_points: Option<Vec<Value>>,
    pub recommend_another_round: Option<bool>,
    pub synthesis: Option<String>,
    /// `HIGH`, `MODERATE` or `LOW`.
    pub confidence_level: Option<String>,
    pub explicit_uncertainties: Option<Vec<Value>>,
}

/// Quality of each side's arguments.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct QualityScore {
    pub proposer: Option<f64>,
    pub critic: Option<f64>,
    pub rebuttal: Option<f64>,
}

/// Tokens of requests and replies in this round, every attempt counted, and every stopped reply of which
/// a server said what it used.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
pub struct TokenCost {
    pub proposer: u64,
    pub critic: u64,
    pub rebuttal: u64,
    pub moderator: u64,
}

/// Flags of a whole debate for an audit.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct DebateFlags {
    pub debate_id: String,
    /// The session's own id.
    pub session: String,
    /// `COMPLETE` or `DEBATE_TRUNCATED`.
    pub outcome: &'static str,
    pub flags: Vec<String>,
    /// SHA-256 of every template and rubric as the session holds it, by name.
    pub prompt_hashes: BTreeMap<String, String>,
    /// Models by seat.
    pub models: BTreeMap<String, String>,
}

/// The records of a debate with its flags.
#[derive(Debug, Clone, PartialEq)]
pub struct DebateRecord {
    pub rounds: Vec<RoundRecord>,
    pub flags: DebateFlags,
}

/// Returns the records of a debate that is over.
///
/// # Errors
/// When its game names no roles, or it can still go on.
pub fn build_record(session: &SessionId, state: &State) -> Result<DebateRecord, NoRecord> {
    let created = state.first_event().ok_or(NoRecord::NotOver)?;
    let protocol = &created.protocol;
    let roles = protocol
        .record
        .as_ref()
        .ok_or_else(|| NoRecord::NoRoles(protocol.id.clone()))?;
    let outcome = match state.find_open_steps().done {
        Some(EndReason::Complete | EndReason::Stopped { .. }) => "COMPLETE",
        Some(EndReason::Truncated(_)) => "DEBATE_TRUNCATED",
        None => return Err(NoRecord::NotOver),
    };
    let debate_id = debate_id(session);
    let last_round = state.turns().keys().map(|turn| turn.round).max();
    let mut rounds: Vec<RoundRecord> = Vec::new();
    for round in 1..=last_round.unwrap_or(0) {
        let before = rounds
            .last()
            .and_then(|last| last.proposer_position.clone());
        rounds.push(RoundRecord {
            debate_id: debate_id.clone(),
            round_number: round,
            question: created.topic.text.clone(),
            proposer_position: build_proposer_position(state, roles, round).or(before),
            critic_position: build_critic_position(state, roles, round),
            rebuttal_position: build_rebuttal_position(state, roles, round),
            moderator_evaluation: build_moderator_evaluation(state, roles, round),
            token_cost: TokenCost {
                proposer: tokens_of_turns(state, &roles.proposer, round),
                critic: tokens_of_turns(state, &roles.critic, round),
                rebuttal: tokens_of_turns(state, &roles.rebuttal, round),
                moderator: sum_tokens_of_verdicts_on_round(state, &roles.moderator, round),
            },
        });
    }
    let flags = DebateFlags {
        debate_id,
        session: session.to_string(),
        outcome,
        flags: list_flags(state, roles),
        prompt_hashes: prompt_hashes(created),
        models: models_by_seat(created),
    };
    Ok(DebateRecord { rounds, flags })
}

/// Derives a debate's UUID from its session's id.
///
/// The source requires a UUID of version 4, and sessions are named otherwise: bits of SHA-256
/// replace the random ones, with the version and variant of RFC 9562 §5.4.
fn debate_id(session: &SessionId) -> String {
    let digest = Sha256::digest(format!("elenchus debate {session}").as_bytes());
    let mut bytes = [0_u8; 16];
    bytes.copy_from_slice(&digest[..16]);
    bytes[6] = bytes[6] & 0x0f | 0x40;
    bytes[8] = bytes[8] & 0x3f | 0x80;
    let hex = format_hex(&bytes);
    let parts = [
        &hex[..8],
        &hex[8..12],
        &hex[12..16],
        &hex[16..20],
        &hex[20..],
    ];
    parts.join("-")
}

fn build_proposer_position(
    state: &State,
    roles: &RecordRoles,
    round: u32,
) -> Option<ProposerPosition> {
    let position = chosen_fields(state, &roles.proposer, round)?;
    Some(ProposerPosition {
        thesis: text_field(position.fields, "thesis"),
        supporting_arguments: list_field(position.fields, "supporting_arguments"),
        evidence_cited: find_citations(state, roles, &position),
    })
}

fn build_critic_position(state: &State, roles: &RecordRoles, round: u32) -> Option<CriticPosition> {
    let position = chosen_fields(state, &roles.critic, round)?;
    Some(CriticPosition {
        thesis: text_field(position.fields, "thesis"),
        counter_arguments: list_field(position.fields, "counter_arguments"),
        evidence_cited: find_citations(state, roles, &position),
        challenge_strength: number_field(position.fields, "challengeStrength"),
    })
}

fn build_rebuttal_position(
    state: &State,
    roles: &RecordRoles,
    round: u32,
) -> Option<RebuttalPosition> {
    let position = chosen_fields(state, &roles.rebuttal, round)?;
    Some(RebuttalPosition {
        thesis: text_field(position.fields, "thesis"),
        rebuttals: list_field(position.fields, "rebuttals"),
        concessions: list_field(position.fields, "concessions"),
    })
}

fn find_citations(state: &State, roles: &RecordRoles, position: &Position<'_>) -> Vec<Value> {
    list_citations(state, roles.citations.as_ref(), position)
}

fn build_moderator_evaluation(
    state: &State,
    roles: &RecordRoles,
    round: u32,
) -> Option<ModeratorEvaluation> {
    let rule = state.protocol()?.find_judging(&roles.moderator)?;
    let finding = match state.combined_outcome(rule, &Target::Round(round))? {
        Outcome::Label(finding) => finding,
        Outcome::Unparsed { .. } => return None,
    };
    let fields = &finding.fields;
    let score = |role: &str| fields.get("argumentQualityScore")?.get(role)?.as_f64();
    let level = text_field(fields, "confidenceLevel").unwrap_or(finding.label.clone());
    Some(ModeratorEvaluation {
        argument_quality_score: QualityScore {
            proposer: score("proposer"),
            critic: score("critic"),
            rebuttal: score("rebuttal"),
        },
        resolved_points: list_field(fields, "resolvedPoints"),
        unresolved_points: list_field(fields, "unresolvedPoints"),
        recommend_another_round: fields.get("recommendAnotherRound").and_then(Value::as_bool),
        synthesis: text_field(fields, "synthesis"),
        confidence_level: Some(level.trim().to_uppercase())
            .filter(|level| ["HIGH", "MODERATE", "LOW"].contains(&level.as_str())),
        explicit_uncertainties: list_field(fields, "explicitUncertainties"),
    })
}

fn number_field(fields: &Value, key: &str) -> Option<f64> {
    fields.get(key)?.as_f64()
}

fn prompt_hashes(created: &Created) -> BTreeMap<String, String> {
    let templates = created.templates.iter().map(|(name, text)| {
        let file = match name.strip_prefix(RUBRIC_TEMPLATE) {
            Some(rubric) => format!("rubrics/{rubric}.md"),
            None => format!("{name}.md"),
        };
        (file, text)
    });
    let rubrics = created
        .rubrics
        .iter()
        .map(|(name, text)| (format!("rubrics/{name}.toml"), text));
    templates
        .chain(rubrics)
        .map(|(name, text)| (name, format_hex(&Sha256::digest(text.as_bytes()))))
        .collect()
}

fn models_by_seat(created: &Created) -> BTreeMap<String, String> {
    let model_names = created.cast.iter().map(|participant| {
        let model = match &participant.player {
            Player::Model(model) => {
                let version = model.version.as_deref();
                let version = version.map(|version| format!(", version {version}"));
                let name = format!("{}/{}", model.provider, model.name);
                name + &version.unwrap_or_default()
            }
            Player::Human { .. } => "a person".to_owned(),
            Player::Fixed(fixed) => format!("written down: {}", fixed.from),
        };
        (participant.chair.to_string(), model)
    });
    model_names.collect()
}

fn format_hex(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}
