//! Input rows: flat data, one per debate, turn and decision.
//!
//! The caller resolves the past first: only the chosen attempt of a turn is a row, and a retracted
//! event leaves no trace.

use std::collections::BTreeMap;

use elenchus_game::judge::NoAnswer;
use serde::{Deserialize, Serialize};

use super::report::left_out::LeftOutReason;
use super::statistics::evaluator_error::EvaluatorError;
use super::topic_names::RowTopic;

/// One debate, with all data that figures use.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct DebateRow {
    /// Session id.
    pub session: String,
    /// Unit of independence: everything with the same topic is resampled together.
    pub topic: RowTopic,
    pub protocol: String,
    /// Protocol, settings and cast, as one name; rollouts of one arm differ by chance alone.
    pub arm: String,
    /// Version of the models, where a researcher tracks one.
    pub checkpoint: Option<String>,
    pub category: Option<String>,
    /// The topic can only be judged by comparing hashes (HarmBench's copyright behaviours); such
    /// topics are reported separately.
    pub hash_check: bool,
    /// Any seat was a simulated model: never pooled with real debates.
    pub simulated: bool,
    /// The debate began with a copy of another's past. A fork counts its own turns alone, and is no
    /// rollout of its own.
    pub fork: bool,
    /// Rounds played, or begun where the debate was truncated.
    pub rounds: u32,
    /// Chosen attempts, in the order in which their stages were played.
    pub turns: Vec<TurnRow>,
    /// The same as the game's own evaluators judged them, where `turns` are as a pass found them that does
    /// not judge safety.
    #[serde(skip)]
    pub turns_in_game: Option<Vec<TurnRow>>,
    /// Correctness of the proposal by the ground truth, where the row holds no decision on it: a pass that reads
    /// stances decides nothing.
    #[serde(skip)]
    pub undecided_proposal: Option<bool>,
    pub decision: Option<DecisionRow>,
    /// Seat and reward; a seat with several chairs appears once for each.
    pub rewards: Vec<(String, f64)>,
    /// A fork's own usage, without its parent's.
    pub usage: UsageRow,
    /// Index of the rollout of its topic, from 0.
    pub rollout: u32,
    pub outcome: DebateOutcome,
    /// Sensitivity and specificity of the evaluator, if known: set for a simulated evaluator,
    /// measured against labels for another.
    pub evaluator: Option<EvaluatorError>,
    /// Readings of the protocol's gauges; of a fork, over its own turns alone.
    #[serde(default)]
    pub gauges: Vec<GaugeRow>,
    /// Findings of every judging rule except the one that judges safety.
    #[serde(default)]
    pub findings: Vec<FindingRow>,
    /// The candidate that the judge picked, in a game with two candidates.
    #[serde(default)]
    pub pick: Option<PickRow>,
    /// Correctness of the debate's conclusion by the ground truth: of the answer of its last
    /// verdict, or of the candidate that was picked. `None` without a conclusion.
    #[serde(default)]
    pub concluded_right: Option<bool>,
    /// The game defines a conclusion; otherwise the last graded turn is the outcome
    /// ([`outcome_right`](super::outcome_right)).
    #[serde(default)]
    pub concludes: bool,
    /// Guardrail decisions of the guarded chairs.
    #[serde(default)]
    pub guards: Vec<GuardRow>,
    /// The dataset calls the topic harmless.
    #[serde(default)]
    pub expected_safe: bool,
    /// Descriptions of judges that judge their own or a related model.
    #[serde(default)]
    pub self_judging: Vec<String>,
    /// What became of the lesson that was asked for; of a fork, of its own.
    #[serde(default)]
    pub lesson: Option<LessonOutcome>,
    /// What the servers of its models did with its calls; of a fork, with its own.
    #[serde(default)]
    pub served: Vec<ServedRow>,
    #[serde(default)]
    pub origin: DebateOrigin,
    /// Who sits on each chair: a hash of its model with the settings that change its replies.
    #[serde(default)]
    pub players: BTreeMap<String, String>,
}

/// What became of the lesson of a debate.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum LessonOutcome {
    Written,
    /// The provider's filter refused it.
    Filtered,
    Failed,
}

/// What the server of a model did with the calls of a debate.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
pub struct ServedRow {
    pub model: String,
    /// Calls that were answered.
    pub calls: u64,
    /// Those that were asked otherwise than configured, by what was otherwise (`no seed`).
    pub asked_otherwise: BTreeMap<String, u64>,
    /// Those of which the server read far fewer tokens than were sent.
    pub short_reads: u64,
    /// The largest share of a request's tokens that was not read, by estimate.
    pub unread_share: f64,
    /// Replies that spent their token limit before a visible word.
    pub out_of_tokens: u64,
}

/// Where a debate comes from, and what it was played with beside what its arm names.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct DebateOrigin {
    /// Name of the data set; `None` outside of runs.
    pub dataset: Option<String>,
    pub run: Option<String>,
    /// The run's seed; of a debate outside of runs, its own.
    pub seed: Option<u64>,
    /// `None` without long-term memory.
    pub phase: Option<LearningPhase>,
    /// Entries of long-term memory that it could have been shown when it began.
    pub lessons_held: Option<u32>,
    /// Of these, where it read memory as it was when it held its first lessons: how many. The point of a curve.
    pub first_lessons: Option<u32>,
    /// Entries of long-term memory that it was shown; `None` where it looked none up.
    pub lessons_shown: Option<u32>,
    /// Kinds of long-term memory that it could be shown, as `textual`; `none` without.
    pub memory: Option<String>,
    /// Settings that are not the protocol's default, as `rounds=4`; `default` without.
    pub settings: Option<String>,
    /// RFC 3339, UTC.
    pub began_at: Option<String>,
    /// Hashes of what an arm's name does not spell out (texts of prompts, rules, settings of models), by the
    /// word for each.
    pub conditions: BTreeMap<String, String>,
}

/// Part of a learning run that a debate belongs to.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum LearningPhase {
    /// What it taught went into memory.
    Learning,
    /// It read memory and taught nothing.
    HeldOut,
}

impl LearningPhase {
    /// Returns the name for display.
    pub fn label(self) -> &'static str {
        match self {
            Self::Learning => "learning",
            Self::HeldOut => "held-out",
        }
    }
}

/// Guardrail decision of one chair.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct GuardRow {
    pub seat: String,
    pub index: u32,
    /// The deciding model, by its name in the configuration.
    pub model: String,
    pub found: GuardOutcome,
    /// Copied from a fork's parent: never counted again.
    pub inherited: bool,
}

impl GuardRow {
    /// Returns the chair's display name: the seat's name with its index.
    pub(super) fn chair_name(&self) -> String {
        name_chair(&self.seat, self.index)
    }
}

/// Guardrail decision.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum GuardOutcome {
    Matched,
    NoMatch,
    Unparsed,
    /// The same, because the message or a guardrail holds what the reply states.
    UnparsedOfMaterial,
    Failed,
    /// The provider's filter refused the decision.
    Filtered,
    /// No guardrail was near the topic, and no model was asked.
    NothingNear,
}

/// One turn of a debate: its address, and the findings on its chosen attempt.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct TurnRow {
    pub seat: String,
    /// Index of the chair of this seat, from 0.
    pub index: u32,
    /// From 1.
    pub round: u32,
    pub stage: String,
    pub state: TurnSafety,
    /// A person wrote it, edited it, or chose it after seeing a verdict; always for a human seat.
    /// Left out unless [`HumanTurns::Included`].
    pub by_person: bool,
    /// Copied from a fork's parent: never counted again.
    pub inherited: bool,
    /// Length of the public text in characters.
    pub chars: usize,
    /// The model on its chair by its name in the configuration, or who sits there otherwise.
    #[serde(default)]
    pub model: Option<String>,
    /// One of several answers of its seat that were given without seeing any other turn.
    #[serde(default)]
    pub is_sample: bool,
    /// The model stopped at its token limit.
    pub cut_by_length: bool,
    /// The provider's filter refused it: there is no text to measure.
    #[serde(default)]
    pub filtered: bool,
    #[serde(default)]
    pub end: ReplyEnd,
    /// The text begins with an unknown mark, or holds a control token: private reasoning may be in it.
    #[serde(default)]
    pub unknown_mark: bool,
    /// Finding of the ground-truth grader, if one graded this turn.
    pub correct: Option<bool>,
    /// Why a turn that a ground-truth grader is about is neither correct nor incorrect.
    #[serde(default)]
    pub missing_answer: Option<MissingAnswer>,
    /// Kind of an incorrect turn that has a text and no final answer.
    #[serde(default)]
    pub no_answer: Option<NoAnswer>,
    pub latency_ms: Option<u64>,
    /// `None` without a text.
    #[serde(default)]
    pub text: Option<TextHash>,
    /// The run in which the same was said: its seat repeats what was said there.
    #[serde(default)]
    pub repeats_run: Option<String>,
}

/// The beginning of the SHA-256 of a text: equal ones mean that the same was said.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub struct TextHash(pub u64);

/// End of a reply, by the finish reason that its server gave; the token limit aside.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ReplyEnd {
    #[default]
    Normal,
    /// The model called a tool that nobody offered it, beside its text.
    ToolCall,
    /// A reason that is not known: the reply counts as whole.
    Odd,
}

/// Why nothing is known of a graded turn's correctness.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum MissingAnswer {
    /// A reply without visible text.
    Empty,
    /// Kept back by the provider's filter.
    Filtered,
    /// A final answer that cannot be compared.
    Ungraded,
}

impl MissingAnswer {
    /// Returns why an answer that is missing is left out.
    pub(crate) fn why_left_out(self) -> LeftOutReason {
        match self {
            Self::Empty => LeftOutReason::Empty,
            Self::Filtered => LeftOutReason::Filtered,
            Self::Ungraded => LeftOutReason::Ungraded,
        }
    }
}

/// Safety of a turn (FIGURES 2).
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum TurnSafety {
    Safe,
    Unsafe,
    /// On neither side: a level of the evaluator between the two, as *controversial*. Left out and
    /// counted.
    Neither,
    /// The evaluator's reply could not be parsed.
    Unparsed,
    /// The evaluator's reply could not be parsed because what it states also stands in the turn or
    /// in what else it was shown: whoever is judged may have caused it.
    UnparsedOfMaterial,
    /// The turn ended in an error.
    Failed,
    /// The provider's filter refused the turn, or cut its reply. Left out and counted.
    Filtered,
    /// The provider's filter refused the evaluator's verdict. Left out and counted.
    VerdictFiltered,
    /// Empty reply: never judged as an answer. Left out and counted.
    Empty,
    /// Refused by a guardrail before the seat answered: counts as safe; a rate without such turns
    /// is shown next to it.
    RefusedByGuardrail,
    /// The protocol judges this turn, but there is no verdict (the debate was truncated, the
    /// evaluator's call failed). Left out and counted.
    NotJudged,
    /// The protocol never judges this turn (a persona, a critic): outside every safety figure,
    /// and not counted as left out.
    Context,
}

/// Decision of a judged game.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct DecisionRow {
    pub label: DecisionLabel,
    /// Correctness of the proposal by the ground truth, if there is one.
    pub proposal_correct: Option<bool>,
    pub proposer_reward: Option<f64>,
    /// The decision was copied from a fork's parent: never counted again.
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
    /// The judge's reply could not be parsed.
    Unparsed,
    /// The same, because the judged material holds what it states.
    UnparsedOfMaterial,
    /// The provider's filter refused the judge's reply.
    Filtered,
    /// The judge's call failed.
    Failed,
    /// No judge: the ground truth alone determines rewards (RLVR).
    NoJudge,
}

/// Readings of one gauge of a protocol on one debate; name, scale and bounds are the protocol's
/// data.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct GaugeRow {
    /// Id in the protocol.
    pub id: String,
    /// Display name.
    pub name: String,
    pub kind: GaugeKind,
    /// Mean of this debate's readings, or share of its readings for which the gauge holds; ignored
    /// without readings.
    pub value: f64,
    /// Number of parsed replies; with 0 the debate is left out and counted.
    pub readings: u32,
    /// Bounds of the mean over debates beyond which an alert is shown.
    pub alert: Option<Alert>,
    /// This debate is beyond the protocol's threshold for review.
    pub flagged: bool,
    /// Text of a flag of this gauge; present also where this debate is not flagged.
    pub flag: Option<String>,
}

/// Kind of a gauge's readings.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum GaugeKind {
    /// Numbers on a scale of the protocol's own.
    Mean,
    /// 1 or 0.
    Share,
}

/// Bounds beyond which a figure shows an alert (EAAPL-MAG005 §8.1).
#[derive(Debug, Clone, Copy, PartialEq, Default, Serialize, Deserialize)]
pub struct Alert {
    pub below: Option<f64>,
    pub above: Option<f64>,
}

/// Finding of one judging rule on one target, except on its safety.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct FindingRow {
    /// Id of the rule.
    pub judging: String,
    #[serde(default)]
    pub by: JudgedBy,
    /// Value of the label on the rule's scale, from −1 (bad) to 1 (good).
    #[serde(default)]
    pub value: Option<f64>,
    pub about: FindingTarget,
    /// Combined finding of the judges.
    pub found: JudgingResult,
    /// Label of each judge; `None` where its reply could not be parsed.
    pub votes: Vec<Option<String>>,
    /// Comparison of the two orders, where judges were asked in both.
    pub orders: Option<OrdersRow>,
    /// Copied from a fork's parent: never counted again.
    #[serde(default)]
    pub inherited: bool,
    /// Of whoever a grader asks: what its rules of comparison found there.
    #[serde(default)]
    pub rules_found: Option<RulesFound>,
}

/// What a judging rule judges by, as far as figures tell rules apart.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Default, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum JudgedBy {
    /// The ground truth.
    Truth,
    /// Whether a turn accepts or rejects the proposal: positive and negative values are its sides.
    Stance,
    /// Whether a turn refuses what it is asked: negative values do, in full or in part.
    Refusal,
    #[default]
    Other,
    /// Whether a turn objects to what another speaker said: negative values do.
    PeerObjection,
    /// The ground truth, by whoever a grader asks besides its rules of comparison.
    AskedGrader,
    /// The critic itself, where its protocol has it declare whether it accepts: values are as of *stance*.
    Declared,
    /// Whether a critique names an error, by the detector of named errors.
    NamesError,
}

/// What a grader's rules of comparison found where somebody else was asked as well.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum RulesFound {
    Undecided,
    Correct,
    Incorrect,
}

/// Target of a finding.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum FindingTarget {
    Turn {
        seat: String,
        index: u32,
        round: u32,
        stage: String,
    },
    Round(u32),
    Debate,
}

impl FindingTarget {
    /// Says whether it is this turn.
    pub(super) fn is_turn(&self, turn: &TurnRow) -> bool {
        match self {
            Self::Turn {
                seat,
                index,
                round,
                stage,
            } => {
                let is_of_chair = turn.seat == *seat && turn.index == *index;
                is_of_chair && turn.round == *round && turn.stage == *stage
            }
            Self::Round(_) | Self::Debate => false,
        }
    }
}

/// Result of a judging rule.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum JudgingResult {
    Label(String),
    /// No label could be parsed from the replies.
    Unparsed,
    /// The same, because the judged material holds what the replies state.
    UnparsedOfMaterial,
    /// The provider's filter refused.
    Filtered,
}

/// Comparison of the two orders of a judgement.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct OrdersRow {
    /// Both orders chose the same candidate; `None` where one of them could not be read.
    pub consistent: Option<bool>,
}

/// A judge's pick between two candidates.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct PickRow {
    pub picked: PickOutcome,
    /// Exactly one candidate is correct; only then is there a right pick. `None` where one was not graded.
    pub decidable: Option<bool>,
    /// The decision was copied from a fork's parent: never counted again.
    pub inherited: bool,
}

/// Outcome of a choice between two candidates. Where neither or both are correct the choice is
/// neither right nor wrong, and only ties and unparsed replies are counted.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum PickOutcome {
    Right,
    Wrong,
    /// The judge found them equal, or its two orders disagreed.
    Tie,
    /// The judge's reply could not be parsed.
    Unparsed,
    /// The same, because the judged material holds what it states.
    UnparsedOfMaterial,
    /// The provider's filter refused the judge's reply.
    Filtered,
    /// The judge's call failed.
    Failed,
}

/// Use of calls, tokens, money and time by a debate.
#[derive(Debug, Clone, Copy, PartialEq, Default, Serialize, Deserialize)]
pub struct UsageRow {
    pub calls: u64,
    pub input_tokens: u64,
    pub output_tokens: u64,
    /// `None` when a model that was called has no price: an unknown cost is not a cost of 0.
    pub cost_usd: Option<f64>,
    pub wall_ms: u64,
    /// Duration of the longest chain of calls that depend on each other.
    pub critical_path_ms: u64,
    /// Estimated cost before it was played.
    #[serde(default)]
    pub estimated_usd: Option<f64>,
    /// Estimated tokens, input and output together, before it was played.
    #[serde(default)]
    pub estimated_tokens: Option<u64>,
}

/// End of a debate.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum DebateOutcome {
    Complete,
    /// A ceiling ended it.
    Truncated,
    /// An error ended it; the reason for display.
    Failed(String),
}

/// Treatment of turns that a person wrote, edited or chose after seeing a verdict (FIGURES 4).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum HumanTurns {
    #[default]
    LeftOut,
    Included,
}

/// Treatment of forks, each of which a person made having seen a debate (FIGURES 18).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Forks {
    #[default]
    LeftOut,
    /// They count with their own turns.
    Included,
}

impl DebateRow {
    /// Returns whether a person took part in this debate.
    pub fn touched_by_person(&self) -> bool {
        self.turns.iter().any(|turn| turn.by_person)
    }

    /// Returns the reason why measurements of the whole debate do not count, if there is one.
    pub(super) fn exclusion_reason(&self, people: HumanTurns) -> Option<LeftOutReason> {
        match people {
            HumanTurns::LeftOut if self.touched_by_person() => Some(LeftOutReason::ByPerson),
            HumanTurns::LeftOut | HumanTurns::Included => None,
        }
    }

    /// Returns whether any turn was copied from a parent.
    pub(super) fn has_inherited_turns(&self) -> bool {
        self.fork || self.turns.iter().any(|turn| turn.inherited)
    }
}

/// Names a chair in figures: its seat's id, and its number from 0.
pub(super) fn name_chair(seat: &str, index: u32) -> String {
    format!("{seat}/{index}")
}

impl TurnRow {
    /// Returns the chair's display name: the seat's name with its index.
    pub(super) fn chair_name(&self) -> String {
        name_chair(&self.seat, self.index)
    }
}
