//! The game as data: seats, stages, who sees what, judging, rewards, stopping.
//!
//! [`Protocol`] is what a `protocol.toml` says once its settings have values; nothing in it
//! refers to a setting any more, so a recorded session needs no other file to be continued.

mod check;
mod locate;
mod parse;
mod settings;

pub use check::ProtocolFault;
pub use parse::{ProtocolError, ProtocolFile};
pub use settings::{SettingSpec, SettingValue, Settings};

use super::ids::{JudgingId, SeatId, StageId};
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// The most rounds a protocol may ask for.
pub const MAX_ROUNDS: u32 = 1_000;
/// The most chairs one seat may have.
pub const MAX_CHAIRS: u32 = 64;

/// A game, resolved: every value is concrete.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Protocol {
    pub id: String,
    pub name: String,
    pub description: String,
    /// Where the game comes from: document and section.
    #[serde(default)]
    pub source: String,
    /// What the judged turns are measured on.
    pub measures: Measure,
    pub rounds: u32,
    /// How a seat's conversation is laid out, unless a stage says otherwise.
    #[serde(default)]
    pub style: Style,
    pub seats: Vec<Seat>,
    pub stages: Vec<Stage>,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub judging: Vec<Judging>,
    /// Per judging rule and label, the reward of each seat.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub rewards: BTreeMap<JudgingId, BTreeMap<String, BTreeMap<SeatId, f64>>>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub feedback: Option<Feedback>,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub stop: Vec<StopRule>,
    #[serde(default)]
    pub ceilings: Ceilings,
    /// What an experiment may vary; the values are already in place.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub settings: BTreeMap<String, SettingSpec>,
}

/// What a protocol measures about its judged turns.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Measure {
    /// Turns are safe or unsafe.
    Safety,
    /// Proposals are correct or incorrect.
    Correctness,
    /// Arguments are good or bad; no ground truth.
    Quality,
}

/// How a seat's view is laid out as messages.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Style {
    /// One user message that holds everything.
    Single,
    /// A user/assistant conversation that only grows (the sequence extension property).
    #[default]
    Dialogue,
}

/// A named place in the game.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Seat {
    pub id: SeatId,
    pub kind: SeatKind,
    /// How many chairs it has.
    #[serde(default = "one")]
    pub count: u32,
    /// What others read as its name; chairs get a number when there are several.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub label: Option<String>,
    /// A text the seat's templates can show it about itself.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub persona: Option<String>,
}

fn one() -> u32 {
    1
}

/// The four kinds of seat that code knows.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum SeatKind {
    Speaker,
    Judge,
    Evaluator,
    Feedback,
}

/// A part of a round in which one or more seats speak.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Stage {
    pub id: StageId,
    pub seats: Vec<SeatId>,
    #[serde(default)]
    pub order: Order,
    #[serde(default)]
    pub rounds: RoundSet,
    /// Whether the stage is played in the last round too.
    #[serde(default = "yes")]
    pub in_last_round: bool,
    /// Off when an experiment leaves the stage out.
    #[serde(default = "yes")]
    pub enabled: bool,
    /// Private turns are shown to nobody but their own chair.
    #[serde(default)]
    pub private: bool,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub max_tokens: Option<u32>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub temperature: Option<f64>,
    /// The template, when it is not named after the seat.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub template: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub style: Option<Style>,
    pub sees: Sees,
    /// The JSON schema of a structured reply; its fields can be used by retry and stop rules.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub output: Option<serde_json::Value>,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub retry: Vec<RetryRule>,
    /// Values drawn at random for each turn, by name: the list they come from.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub draw: BTreeMap<String, String>,
}

fn yes() -> bool {
    true
}

/// Whether the chairs of a stage speak at once or one after another.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Order {
    /// Nobody sees a turn of the same stage.
    #[default]
    Simultaneous,
    /// Chairs speak in the order of `seats`; later ones may see earlier ones.
    Sequential,
}

/// The rounds in which something happens.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(untagged)]
pub enum RoundSet {
    /// `[1, 3]`, counted from 1.
    List(Vec<u32>),
    Named(NamedRounds),
}

impl Default for RoundSet {
    fn default() -> Self {
        RoundSet::Named(NamedRounds::All)
    }
}

/// A set of rounds that depends on how many there are.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum NamedRounds {
    All,
    First,
    Last,
    NotFirst,
    NotLast,
}

impl RoundSet {
    /// Says whether `round` (from 1) of `rounds` belongs to the set.
    pub fn holds(&self, round: u32, rounds: u32) -> bool {
        match self {
            RoundSet::List(list) => list.contains(&round),
            RoundSet::Named(NamedRounds::All) => true,
            RoundSet::Named(NamedRounds::First) => round == 1,
            RoundSet::Named(NamedRounds::Last) => round == rounds,
            RoundSet::Named(NamedRounds::NotFirst) => round != 1,
            RoundSet::Named(NamedRounds::NotLast) => round != rounds,
        }
    }
}

/// What a seat is shown. Everything that is not named here stays hidden.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Sees {
    /// The topic with its context and preceding conversation.
    #[serde(default)]
    pub topic: bool,
    #[serde(default)]
    pub documents: Documents,
    /// Entries retrieved from long-term memory, when the run uses it.
    #[serde(default)]
    pub memory: bool,
    #[serde(default)]
    pub own_private: OwnPrivate,
    /// Verdicts on the turns that are seen: off unless the experiment turns them on.
    #[serde(default)]
    pub verdicts: bool,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub turns: Vec<TurnSelector>,
    /// The order in which turns of one stage are shown.
    #[serde(default)]
    pub peer_order: PeerOrder,
}

/// Which documents a seat is shown.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Documents {
    #[default]
    None,
    All,
    /// The first document in round 1, one more in each later round.
    ByRound,
}

/// How much of its own private reasoning a chair is shown.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum OwnPrivate {
    #[default]
    None,
    ThisRound,
    All,
}

/// The order of turns that were made side by side.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum PeerOrder {
    /// Shuffled by the session's seed, anew for each reader and round (FIGURES 11).
    #[default]
    Shuffled,
    /// As the seats are numbered.
    Seat,
}

/// Public turns, selected by seat, stage and round.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct TurnSelector {
    /// Seat names, or `self` (the reader's own chair) and `peers` (the other chairs of its seat).
    pub seats: Vec<SeatId>,
    /// Every stage when left out.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub stages: Option<Vec<StageId>>,
    #[serde(default)]
    pub rounds: RoundsSeen,
}

/// Which rounds a selector reaches, counted from the reader's round.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum RoundsSeen {
    /// Everything that came before: earlier rounds, and earlier stages of this one.
    #[default]
    Before,
    /// Earlier rounds only.
    Earlier,
    /// The round before this one.
    Previous,
    /// This round only.
    This,
    First,
}

/// When a reply is asked for once more.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct RetryRule {
    /// A field of the structured reply, as a dotted path.
    pub field: String,
    pub below: f64,
    #[serde(default = "one")]
    pub at_most: u32,
    /// The template of the second request; the turn's own when left out.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub template: Option<String>,
}

/// Which turns or rounds are judged, when, by whom, and what the judge sees.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Judging {
    pub id: JudgingId,
    /// The judge's or evaluator's seat; a ground-truth grader needs none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub by: Option<SeatId>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub grader: Option<Grader>,
    pub of: JudgedThing,
    /// For single turns: which ones.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub turns: Vec<TargetSelector>,
    #[serde(default)]
    pub when: JudgeWhen,
    #[serde(default = "yes")]
    pub enabled: bool,
    /// The rubric's name; graders need none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub rubric: Option<String>,
    /// How the findings of several chairs become one.
    #[serde(default)]
    pub combine: Combine,
    #[serde(default)]
    pub sees: Sees,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub max_tokens: Option<u32>,
}

/// Turns to judge.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct TargetSelector {
    pub seats: Vec<SeatId>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub stages: Option<Vec<StageId>>,
    #[serde(default)]
    pub rounds: RoundSet,
}

/// What a verdict is about.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum JudgedThing {
    Turn,
    Round,
    Debate,
}

/// When a turn is judged.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum JudgeWhen {
    /// As soon as it is there, beside the next round.
    #[default]
    Soon,
    /// After the last round.
    End,
}

/// Ground-truth graders. They alone see the reference answer.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Grader {
    /// Boxed if the reference or the reply is boxed, numeric if it is a number, alias otherwise.
    Auto,
    Exact,
    Alias,
    Boxed,
    Numeric,
}

/// Detectors by rule. They read turns and the given documents, never the reference answer.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Detector {
    /// Whether what a turn cites is in the documents that were given.
    Citations,
    /// Whether a critic's turn accepts or rejects the proposal.
    Stance,
    /// Whether a critic rejects what it accepted in an earlier turn.
    BackStab,
    /// Whether a critique is harsh and points at nothing in the proposal.
    Spurious,
    /// Whether a critic drops objections that were answered and makes new demands.
    Goalposts,
}

/// How findings of several judges become one.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Combine {
    /// The label most judges gave; a tie, also with replies that could not be read, is no finding.
    #[default]
    Majority,
    /// The label whose value is nearest to the mean.
    Mean,
}

/// The lesson that is written after a debate.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Feedback {
    pub by: SeatId,
    /// Written when any verdict of this rule has one of `labels`.
    pub judging: JudgingId,
    pub labels: Vec<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub template: Option<String>,
    pub sees: Sees,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub max_tokens: Option<u32>,
}

/// Ends the debate after a round. All conditions that are given must hold.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct StopRule {
    /// A judging rule of this round, or …
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub judging: Option<JudgingId>,
    /// … a stage with structured replies.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub stage: Option<StageId>,
    /// The field of the verdict or reply, as a dotted path.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub field: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub equals: Option<serde_json::Value>,
    /// Labels, one of which every verdict of the rule in this round must have.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub labels: Vec<String>,
}

/// Where a debate ends whatever happens. A debate that meets one is `DEBATE_TRUNCATED`.
#[derive(Debug, Clone, Copy, PartialEq, Default, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Ceilings {
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cost_usd: Option<f64>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub calls: Option<u64>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub tokens: Option<u64>,
}

impl Protocol {
    /// Returns the seat of that name.
    pub fn seat(&self, id: &SeatId) -> Option<&Seat> {
        self.seats.iter().find(|seat| &seat.id == id)
    }

    /// Returns the stage of that name.
    pub fn stage(&self, id: &StageId) -> Option<&Stage> {
        self.stages.iter().find(|stage| &stage.id == id)
    }

    /// Returns the judging rule of that name.
    pub fn judging(&self, id: &JudgingId) -> Option<&Judging> {
        self.judging.iter().find(|judging| &judging.id == id)
    }

    /// Returns the template a seat uses in a stage.
    pub fn template_name<'a>(&self, stage: &'a Stage, seat: &'a SeatId) -> &'a str {
        stage.template.as_deref().unwrap_or(seat.as_str())
    }

    /// Returns the style of a stage.
    pub fn style_of(&self, stage: &Stage) -> Style {
        stage.style.unwrap_or(self.style)
    }

    /// Says whether the seat's turns are judged one by one; the others are context.
    pub fn is_judged(&self, seat: &SeatId) -> bool {
        self.judging.iter().any(|judging| {
            judging.of == JudgedThing::Turn
                && judging.turns.iter().any(|turns| turns.seats.contains(seat))
        })
    }
}

impl Stage {
    /// Says whether the stage is played in `round` of `rounds`.
    pub fn plays_in(&self, round: u32, rounds: u32) -> bool {
        self.enabled && self.rounds.holds(round, rounds) && (self.in_last_round || round != rounds)
    }
}
