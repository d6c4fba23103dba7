//! What a debate looks like to this module: flat rows, one per debate, turn and decision.
//!
//! Whoever fills them resolves the past first: only the chosen attempt of a turn is a row, and a
//! retracted event leaves no trace.

use serde::{Deserialize, Serialize};

use super::evaluator::EvaluatorError;
use super::figure::LeftOut;

/// One debate, with everything that a figure reads of it.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct DebateRow {
    /// The session's id.
    pub session: String,
    /// The unit of independence: everything with the same topic is resampled together. Made
    /// unique across datasets by whoever fills it (`harmbench:some_behaviour`).
    pub topic: String,
    pub protocol: String,
    /// Protocol, settings and cast, as one name; rollouts of one arm differ by chance alone.
    pub arm: String,
    /// The version of the models that played, where a researcher tracks one.
    pub checkpoint: Option<String>,
    pub category: Option<String>,
    /// Whether the topic can only be judged by comparing hashes (HarmBench's copyright
    /// behaviours): such topics are reported apart.
    pub hash_check: bool,
    /// Whether any seat was a simulated model: never pooled with real debates.
    pub simulated: bool,
    /// Whether the debate began with a copy of another's past. A fork counts its own turns alone,
    /// and is no rollout of its own.
    pub fork: bool,
    /// Rounds that were played, or begun where the debate was cut off.
    pub rounds: u32,
    /// The chosen attempts, in the order in which their stages were played.
    pub turns: Vec<TurnRow>,
    pub decision: Option<DecisionRow>,
    /// Seat and reward; a seat with several places appears once for each.
    pub rewards: Vec<(String, f64)>,
    /// A fork's own usage; what its parent paid is the parent's.
    pub usage: UsageRow,
    /// Which of the rollouts of its topic this is, from 0.
    pub rollout: u32,
    pub outcome: Outcome,
    /// The evaluator's sensitivity and specificity where they are known: set for a simulated
    /// evaluator, measured against labels for another.
    pub evaluator: Option<EvaluatorError>,
    /// What the protocol measures about this debate; of a fork, over its own turns alone.
    #[serde(default)]
    pub gauges: Vec<GaugeRow>,
    /// What every rule of judging found, other than the one that judges safety.
    #[serde(default)]
    pub findings: Vec<FindingRow>,
    /// Which of two candidates the judge picked, in a game that asks for it.
    #[serde(default)]
    pub pick: Option<PickRow>,
    /// Whether what the debate concluded is right, where the ground truth says so: the answer of
    /// its last verdict, or of the candidate that was picked. `None` where nobody concluded
    /// anything.
    #[serde(default)]
    pub concluded_right: Option<bool>,
    /// Whether the game says how a debate concludes; where none does, the last graded turn stands
    /// for it ([`outcome_right`](super::outcome_right)).
    #[serde(default)]
    pub concludes: bool,
    /// What became of each chair that guardrails were asked for.
    #[serde(default)]
    pub guards: Vec<GuardRow>,
    /// Whether the dataset says that the topic is harmless.
    #[serde(default)]
    pub expected_safe: bool,
    /// Which of those whose verdicts these are judge themselves or their like, as a reader is told.
    #[serde(default)]
    pub self_judging: Vec<String>,
}

/// What became of one chair's decision about guardrails.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct GuardRow {
    pub seat: String,
    pub index: u32,
    /// The model that decided, by its name in the configuration.
    pub model: String,
    pub found: GuardFound,
    /// Whether it was copied from a fork's parent: never counted again.
    pub inherited: bool,
}

impl GuardRow {
    /// Returns the place as it is shown: the seat's name and which of its places.
    pub(super) fn place(&self) -> String {
        format!("{}/{}", self.seat, self.index)
    }
}

/// What was decided about guardrails.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum GuardFound {
    Matched,
    NoMatch,
    Unparsed,
    Failed,
    /// No guardrail was near the topic, and nobody was asked.
    NothingNear,
}

/// One turn of a debate: its place, and what was found on its chosen attempt.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct TurnRow {
    pub seat: String,
    /// Which of the places of this seat, from 0.
    pub index: u32,
    /// From 1.
    pub round: u32,
    pub stage: String,
    pub state: TurnState,
    /// Whether a person wrote it, edited it, or chose it after seeing a verdict; always for a
    /// human seat. Left out unless [`People::Included`].
    pub by_person: bool,
    /// Whether it was copied from a fork's parent: never counted again.
    pub inherited: bool,
    /// Length of the public text in characters.
    pub chars: usize,
    /// Whether the model stopped at its token limit.
    pub cut_by_length: bool,
    /// What the ground-truth grader found, where one graded this turn.
    pub correct: Option<bool>,
    /// Whether a ground-truth grader would have been asked about this turn, had its reply not been
    /// empty.
    #[serde(default)]
    pub empty_answer: bool,
    pub latency_ms: Option<u64>,
}

/// What is known about a turn's safety (FIGURES 2).
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum TurnState {
    Safe,
    Unsafe,
    /// The evaluator has a level between the two, as *controversial*: on neither side. Left out and
    /// counted.
    Neither,
    /// The evaluator replied, and its reply could not be read.
    Unparsed,
    /// The turn ended in an error or the provider's filter.
    Failed,
    /// Nothing visible came: never judged as an answer. Left out and counted.
    Empty,
    /// A guardrail refused before the seat answered: counts as safe, and a rate without such
    /// turns stands beside it.
    RefusedByGuardrail,
    /// The protocol judges this turn, but no verdict came (the debate was cut off, the
    /// evaluator's call failed). Left out and counted.
    NotJudged,
    /// The protocol never judges this turn (a persona, a critic): outside every safety figure,
    /// and not counted as left out.
    Context,
}

/// How a judged game was decided.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct DecisionRow {
    pub label: DecisionLabel,
    /// What the ground truth says of the proposal, where there is one.
    pub proposal_correct: Option<bool>,
    pub proposer_reward: Option<f64>,
    /// Whether the decision was copied from a fork's parent: never counted again.
    pub inherited: bool,
}

/// A judge's three-way decision (FIELD §3).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum DecisionLabel {
    /// No significant error.
    Accept,
    /// Significant objections that do not invalidate the proposal.
    Middle,
    /// Incorrect.
    Reject,
    /// The judge replied, and its reply could not be read.
    Unparsed,
    /// Nobody decides: the ground truth alone pays (RLVR).
    NoJudge,
}

/// What a protocol measures about one debate: its name, scale and bounds are the protocol's data.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct GaugeRow {
    /// The name in the protocol.
    pub id: String,
    /// The name that a reader is shown.
    pub name: String,
    pub kind: GaugeKind,
    /// This debate's mean of its readings, or the share of its readings for which the gauge holds;
    /// ignored without readings.
    pub value: f64,
    /// Replies that could be read; with 0 the debate is left out and counted.
    pub readings: u32,
    /// Where the mean over debates should be looked into.
    pub alert: Option<Alert>,
    /// Whether this one debate is beyond what the protocol lets pass without a word.
    pub flagged: bool,
    /// What a flag of this gauge says; there also where this debate is not flagged.
    pub flag: Option<String>,
}

/// What the readings of a gauge are.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum GaugeKind {
    /// Numbers on a scale of the protocol's own.
    Mean,
    /// Whether something holds.
    Share,
}

/// Bounds beyond which a figure should be looked into (EAAPL-MAG005 §8.1).
#[derive(Debug, Clone, Copy, PartialEq, Default, Serialize, Deserialize)]
pub struct Alert {
    pub below: Option<f64>,
    pub above: Option<f64>,
}

/// What one rule of judging found on one target, other than on its safety.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct FindingRow {
    /// The rule's id.
    pub judging: String,
    pub about: About,
    /// What the judges came to together.
    pub found: Found,
    /// The label of each judge; `None` where its reply could not be read.
    pub votes: Vec<Option<String>>,
    /// Where each judge was asked in both orders of the candidates.
    pub orders: Option<OrdersRow>,
    /// Whether it was copied from a fork's parent: never counted again.
    #[serde(default)]
    pub inherited: bool,
}

/// What a finding is about.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum About {
    Turn {
        seat: String,
        index: u32,
        round: u32,
        stage: String,
    },
    Round(u32),
    Debate,
}

/// What a rule of judging came to.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Found {
    Label(String),
    /// There were replies, and no label could be read from them.
    Unparsed,
    /// The provider's filter kept the reply back.
    Filtered,
}

/// How the two orders of a judgement compare.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct OrdersRow {
    /// Whether both orders came to the same candidate.
    pub consistent: bool,
}

/// Which of two candidates a judge picked.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct PickRow {
    pub picked: Picked,
    /// Whether exactly one candidate is correct: only then is there a right one to pick.
    pub decidable: bool,
    /// Whether the decision was copied from a fork's parent: never counted again.
    pub inherited: bool,
}

/// The outcome of a choice between two candidates. Where neither or both are correct the choice is
/// neither right nor wrong, and only whether it was a tie or unparsed is read.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Picked {
    Right,
    Wrong,
    /// The judge found them equal, or its two orders disagreed.
    Tie,
    /// The judge replied, and its reply could not be read.
    Unparsed,
}

/// What a debate used.
#[derive(Debug, Clone, Copy, PartialEq, Default, Serialize, Deserialize)]
pub struct UsageRow {
    pub calls: u64,
    pub input_tokens: u64,
    pub output_tokens: u64,
    /// `None` when a model that was called has no price: an unknown cost is not a cost of 0.
    pub cost_usd: Option<f64>,
    pub wall_ms: u64,
    /// The longest chain of calls that had to wait for each other.
    pub critical_path_ms: u64,
    /// What it was estimated to cost before it was played.
    #[serde(default)]
    pub estimated_usd: Option<f64>,
    /// Tokens, of requests and replies together, that were estimated before it was played.
    #[serde(default)]
    pub estimated_tokens: Option<u64>,
}

/// How a debate ended.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Outcome {
    Complete,
    /// A ceiling ended it.
    Truncated,
    /// An error ended it; the reason, as shown.
    Failed(String),
}

/// Whether turns that a person wrote, edited or chose after seeing a verdict count (FIGURES 4).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum People {
    #[default]
    LeftOut,
    Included,
}

impl DebateRow {
    /// Returns whether a person took part in what was played here.
    pub(super) fn touched_by_person(&self) -> bool {
        self.turns.iter().any(|turn| turn.by_person)
    }

    /// Why what is measured of the debate as a whole does not count.
    pub(super) fn excluded(&self, people: People) -> Option<LeftOut> {
        match people {
            People::LeftOut if self.touched_by_person() => Some(LeftOut::ByPerson),
            People::LeftOut | People::Included => None,
        }
    }

    /// Returns whether any turn was copied from a parent.
    pub(super) fn has_inherited_turns(&self) -> bool {
        self.fork || self.turns.iter().any(|turn| turn.inherited)
    }
}

impl TurnRow {
    /// Returns the place as it is shown: the seat's name and which of its places.
    pub(super) fn place(&self) -> String {
        format!("{}/{}", self.seat, self.index)
    }
}
