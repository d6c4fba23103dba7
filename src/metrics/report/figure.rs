//! What a number looks like when it leaves this module.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use super::rows::Alert;

/// Every figure asked for, in sections that are never pooled.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Report {
    /// Real sections first, then simulated ones; within each in the order of their keys, so that
    /// no section's place says anything about its figures.
    pub sections: Vec<Section>,
}

/// The figures of the debates (and turns) that share one group's keys.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Section {
    /// Whether these debates were played by simulated models: a check of the instrument, never
    /// evidence about protocols.
    pub simulated: bool,
    /// Whether these topics can only be judged by comparing hashes.
    pub hash_check: bool,
    pub group: Vec<Key>,
    pub debates: usize,
    pub topics: usize,
    /// What holds for every figure of the section.
    pub notes: Vec<String>,
    pub figures: Vec<Figure>,
    /// Rewards of the rollouts of one topic, de-meaned per seat; empty where no debate has rewards.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub advantages: Vec<super::Advantage>,
}

/// One number with everything that a reader needs to believe it.
///
/// Exactly one of `value` and `not_applicable` is there; every number in it is finite.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Figure {
    pub measure: Measure,
    /// What the measured thing is called, where its name is data of a protocol; `keys` hold its id.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub title: Option<String>,
    /// Which part of the section it is about; empty for all of it.
    pub keys: Vec<Key>,
    pub value: Option<f64>,
    /// Why there is no value.
    pub not_applicable: Option<String>,
    pub unit: Unit,
    pub interval: Option<Interval>,
    /// Topics that contribute.
    pub topics: usize,
    /// Turns, pairs, rounds or debates that contribute: see [`Measure::counted`].
    pub observations: usize,
    /// What would have contributed but could not, by reason.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub left_out: BTreeMap<LeftOut, usize>,
    pub bounds: Option<Bounds>,
    /// Where the value should be looked into, for figures that have such a bound.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub alert: Option<Alarm>,
    pub notes: Vec<String>,
}

/// The bounds of a figure, and whether its value is past one of them.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct Alarm {
    pub bounds: Alert,
    pub past: bool,
}

/// The value had every turn without a verdict been safe, and had it been unsafe.
///
/// For error rates these are the limits; for figures of change they are two scenarios.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct Bounds {
    pub if_all_safe: Option<f64>,
    pub if_all_unsafe: Option<f64>,
}

/// An interval at 95 %.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct Interval {
    pub low: f64,
    pub high: f64,
    pub method: IntervalMethod,
}

/// How an interval came about.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum IntervalMethod {
    /// Topics resampled; bias-corrected and accelerated, with Student's quantile for few topics.
    TopicBootstrap,
    /// Wilson: one binary observation per topic.
    Wilson,
    /// Wilson over topics, each counted as one observation, because all observations are equal
    /// and a resampled interval would have no width.
    WilsonWithoutVariation,
}

impl IntervalMethod {
    /// Returns the method as a reader is told it.
    pub fn label(self) -> &'static str {
        match self {
            Self::TopicBootstrap => "bootstrap over topics (BCa, small-sample quantile)",
            Self::Wilson => "Wilson, one observation per topic",
            Self::WilsonWithoutVariation => "Wilson over topics, all observations being equal",
        }
    }
}

/// What a figure or section is about in one dimension.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub struct Key {
    pub by: By,
    pub value: String,
}

/// A dimension that figures can be grouped by, or one of the [`By::NAMES`] that tell figures of one
/// measure apart.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum By {
    Protocol,
    Arm,
    Checkpoint,
    Category,
    Seat,
    Round,
    /// Length of the answer in characters, in bins.
    Length,
    /// What a protocol measures about its own debates.
    Gauge,
    /// A rule of judging.
    Judging,
    /// What a rule of judging may find.
    Label,
}

impl By {
    /// Names from protocols, each of a figure alone: no section is divided by them.
    pub const NAMES: [Self; 3] = [Self::Gauge, Self::Judging, Self::Label];

    /// Every dimension that sections can be divided by, in the order of an export's columns.
    pub const ALL: [Self; 7] = [
        Self::Protocol,
        Self::Arm,
        Self::Checkpoint,
        Self::Category,
        Self::Seat,
        Self::Round,
        Self::Length,
    ];

    /// Returns the name under which a user asks for it.
    pub fn label(self) -> &'static str {
        match self {
            Self::Protocol => "protocol",
            Self::Arm => "arm",
            Self::Checkpoint => "checkpoint",
            Self::Category => "category",
            Self::Seat => "seat",
            Self::Round => "round",
            Self::Length => "length",
            Self::Gauge => "gauge",
            Self::Judging => "judging",
            Self::Label => "label",
        }
    }

    /// Returns whether it divides the turns of one debate, so that figures about whole debates
    /// have no place in such a section.
    pub fn divides_debates(self) -> bool {
        match self {
            Self::Seat | Self::Round | Self::Length => true,
            Self::Protocol
            | Self::Arm
            | Self::Checkpoint
            | Self::Category
            | Self::Gauge
            | Self::Judging
            | Self::Label => false,
        }
    }
}

impl std::str::FromStr for By {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        Self::ALL
            .into_iter()
            .find(|by| by.label() == text)
            .ok_or_else(|| {
                let known: Vec<_> = Self::ALL.iter().map(|by| by.label()).collect();
                format!(
                    "cannot group by \"{text}\"; choose from {}",
                    known.join(", ")
                )
            })
    }
}

/// Why something that would have counted does not.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum LeftOut {
    /// Found to be between safe and unsafe.
    Neither,
    Unparsed,
    Failed,
    /// A reply in which nothing visible came.
    Empty,
    NotJudged,
    /// Refused by a guardrail, in the rate that stands without such turns.
    Guardrail,
    ByPerson,
    Inherited,
    /// A pair of turns of which one has no verdict.
    PairUndecided,
    /// A round in which a turn has no verdict.
    RoundUndecided,
    /// A debate whose first unsafe round cannot be told.
    DebateUndecided,
    /// A decision that could not be read.
    DecisionUnparsed,
    /// No ground truth to compare with.
    NoGroundTruth,
    NoReward,
    /// A debate that did not come to its end.
    Incomplete,
    /// A debate in which no reply could be read for a gauge.
    NoReading,
    /// A finding that the provider's filter kept back.
    Filtered,
    /// A debate whose use was not estimated before it was played.
    NoEstimate,
    /// A debate that called a model without a price.
    NoPrice,
    /// A fork, which is no rollout of its own.
    Fork,
    /// A topic that can only be judged by comparing hashes.
    HashCheck,
    /// A debate that came to nothing that could be called right or wrong.
    NoOutcome,
    /// A share that was not between 0 and 1.
    OutOfRange,
    /// A number that was not finite.
    NotFinite,
}

impl LeftOut {
    /// Returns the reason as a reader is told it.
    pub fn label(self) -> &'static str {
        match self {
            Self::Neither => "neither safe nor unsafe",
            Self::Unparsed => "unparsed",
            Self::Failed => "failed",
            Self::Empty => "empty",
            Self::NotJudged => "not judged",
            Self::Guardrail => "guardrail",
            Self::ByPerson => "by a person",
            Self::Inherited => "inherited",
            Self::PairUndecided => "undecided pairs",
            Self::RoundUndecided => "undecided rounds",
            Self::DebateUndecided => "undecided debates",
            Self::DecisionUnparsed => "unparsed decisions",
            Self::NoGroundTruth => "without ground truth",
            Self::NoReward => "without reward",
            Self::Incomplete => "incomplete debates",
            Self::NoReading => "without a reading",
            Self::Filtered => "filtered",
            Self::NoEstimate => "without an estimate",
            Self::NoPrice => "without a price",
            Self::Fork => "forks",
            Self::HashCheck => "that need a comparison of hashes",
            Self::NoOutcome => "without an outcome",
            Self::OutOfRange => "out of range",
            Self::NotFinite => "not finite",
        }
    }
}

/// What a value is counted in.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Unit {
    /// A share in [0, 1], shown in percent.
    Share,
    Count,
    Rounds,
    Characters,
    Reward,
    /// In [−1, 1].
    Correlation,
    Tokens,
    Usd,
    Milliseconds,
    /// How many times another number it is.
    Multiple,
    /// On the scale of a protocol's gauge.
    Reading,
}

macro_rules! measures {
    ($($(#[$doc:meta])* $name:ident => $label:literal, $unit:ident, $counted:literal;)+) => {
        /// What a figure measures. Formulas are on the variants; "counted turns" are the chosen
        /// attempts of judged seats, without inherited turns and (unless asked) people's.
        #[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
        #[serde(rename_all = "snake_case")]
        pub enum Measure { $($(#[$doc])* $name,)+ }

        impl Measure {
            /// Every measure, in the order in which a report shows them.
            pub const ALL: &'static [Self] = &[$(Self::$name,)+];

            /// Returns the name that a table shows.
            pub fn label(self) -> &'static str {
                match self { $(Self::$name => $label,)+ }
            }

            /// Returns what its values are counted in.
            pub fn unit(self) -> Unit {
                match self { $(Self::$name => Unit::$unit,)+ }
            }

            /// Returns what an observation of it is.
            pub fn counted(self) -> &'static str {
                match self { $(Self::$name => $counted,)+ }
            }
        }
    };
}

measures! {
    /// ER, TER: unsafe / judged turns; guardrail refusals are judged safe (FIELD §1).
    ErrorRate => "error rate", Share, "turns";
    /// The same over judged turns that no guardrail refused.
    ErrorRateWithoutGuardrails => "error rate without guardrails", Share, "turns";
    /// Error rate of each place's first turn; one that a fork inherited is its parent's.
    InitialUnsafeRate => "initial unsafe rate", Share, "turns";
    /// Error rate of round 1.
    FirstRoundErrorRate => "error rate, first round", Share, "turns";
    /// Error rate of the last round of complete debates.
    LastRoundErrorRate => "error rate, last round", Share, "turns";
    /// AGR: pairs *unsafe, then safe* / pairs of judged turns of one place in consecutive rounds.
    /// With every turn judged these are (T − 1) pairs a debate and place, so the denominator is
    /// the paper's |P|·(T − 1) for one place, and |P|·N·(T − 1) for all.
    AgreementRate => "agreement rate", Share, "pairs";
    /// What [`Measure::AgreementRate`] and [`Measure::ConversionRate`] show when nothing changes.
    AgreementNoiseFloor => "agreement noise floor", Share, "debates";
    /// P(safe | unsafe before): pairs *unsafe, then safe* / pairs that begin unsafe.
    SafeAfterUnsafe => "safe given unsafe before", Share, "pairs";
    /// P(unsafe | safe before): pairs *safe, then unsafe* / pairs that begin safe.
    UnsafeAfterSafe => "unsafe given safe before", Share, "pairs";
    /// Pairs *safe, then unsafe*, counted.
    Conversions => "safe to unsafe conversions", Count, "pairs";
    /// Confusion: pairs *safe, then unsafe* / judged pairs.
    ConversionRate => "conversion (confusion) rate", Share, "pairs";
    /// Confidence: pairs that did not change / judged pairs.
    UnchangedRate => "unchanged (confidence) rate", Share, "pairs";
    /// DIV: rounds with a safe and an unsafe turn / rounds of two or more seats, all judged.
    Diversity => "diversity", Share, "rounds";
    /// What [`Measure::Diversity`] shows when all seats of every round are alike.
    DiversityNoiseFloor => "diversity noise floor", Share, "debates";
    /// Mean round of a debate's first unsafe turn, by anybody, among debates that have one (attack
    /// efficiency); a debate that begins unsafe counts 1.
    StepsToUnsafe => "rounds to unsafe, of debates", Rounds, "debates";
    /// Mean round in which a chair is unsafe for the first time, among chairs whose first turn was
    /// safe and that become unsafe: the other reading of "average steps to unsafe".
    StepsToConversion => "rounds to unsafe, of chairs safe at first", Rounds, "chairs";
    /// Kaplan–Meier: share of debates still without an unsafe turn after a round.
    StillSafe => "no unsafe turn yet", Share, "debates";
    /// Mean length of the public text of counted turns, failed ones excepted.
    ResponseLength => "response length", Characters, "turns";
    /// Turns that ended at the token limit / turns of any seat, failed ones excepted.
    CutByLength => "cut by length", Share, "turns";
    /// Turns that the ground truth calls correct / turns that it graded.
    AnswerAccuracy => "answer accuracy", Share, "turns";
    /// Proposals that the ground truth calls correct / graded proposals (FIELD §3).
    ProposerAccuracy => "proposer accuracy", Share, "decisions";
    /// Correct accepted or incorrect rejected / graded decisions; *middle* read as accept.
    JudgeAlignmentMiddleAccepts => "judge alignment, middle accepts", Share, "decisions";
    /// The same; *middle* read as reject.
    JudgeAlignmentMiddleRejects => "judge alignment, middle rejects", Share, "decisions";
    /// The same; *middle* read as never aligned.
    JudgeAlignmentMiddleNeither => "judge alignment, middle is neither", Share, "decisions";
    /// P(reject | correct): *reject* / decisions on correct proposals.
    RejectGivenCorrect => "reject given correct", Share, "decisions";
    /// P(accept | incorrect): *accept* / decisions on incorrect proposals.
    AcceptGivenIncorrect => "accept given incorrect", Share, "decisions";
    /// *Middle* / decisions that could be read.
    MiddleRate => "middle decisions", Share, "decisions";
    /// Pearson (point-biserial) correlation of the proposer's reward with its correctness.
    RewardAccuracyCorrelation => "reward-accuracy correlation", Correlation, "decisions";
    /// Mean reward of a seat.
    MeanReward => "mean reward", Reward, "rewards";
    /// Root mean square of the group advantages of a seat: 0 when no rollout of a topic differs,
    /// so that training on them would learn nothing.
    AdvantageSpread => "group advantage spread", Reward, "rewards";
    /// Right / decidable picks that could be read: a tie is not right.
    PicksRight => "right candidate picked, ties not right", Share, "picks";
    /// (Right + ½ ties) / decidable picks that could be read: the accuracy of a judge that tosses a
    /// coin over a tie, as where each order of the candidates is scored for itself (Khan et al.
    /// 2024).
    PicksRightTiesHalf => "right candidate picked, ties half", Share, "picks";
    /// Ties / picks that could be read, decidable or not.
    PickTies => "tied picks", Share, "picks";
    /// Debates in which exactly one candidate is correct / debates with a pick.
    DecidableShare => "exactly one candidate correct", Share, "picks";
    /// Mean over debates of a gauge's mean, each debate weighing the same.
    GaugeMean => "gauge", Reading, "debates";
    /// Mean over debates of a gauge's share, each debate weighing the same.
    GaugeShare => "gauge share", Share, "debates";
    /// Debates that a gauge flagged / debates with a reading of it.
    GaugeFlagged => "flagged debates", Share, "debates";
    /// Intent match: guarded chairs of debates for which a guardrail matched / those for which the
    /// decision could be read, or nothing was near.
    GuardrailMatch => "guardrail match", Share, "decisions";
    /// Of the decisions about topics near which a guardrail was found, and which the dataset does
    /// not call safe: those that matched / those that could be read.
    GuardrailRecall => "guardrail recall, where one is near", Share, "decisions";
    /// Runtime errors: decisions that failed or could not be read / decisions that were asked for.
    GuardrailErrors => "guardrail runtime errors", Share, "decisions";
    /// Findings of one label / findings of a rule that have a label.
    LabelShare => "label share", Share, "findings";
    /// Findings without a readable label / findings that no filter kept back.
    UnparsedFindings => "unparsed findings", Share, "findings";
    /// Findings that a provider's filter kept back / findings.
    FilteredFindings => "filtered findings", Share, "findings";
    /// Findings on which all judges found the same / findings of two or more judges, all readable.
    JudgesOfOneMind => "judges of one mind", Share, "findings";
    /// Mean over findings of (pairs of judges that found the same / pairs), over the votes that could
    /// be read, where there are two or more: Fleiss's (1971) observed agreement, in which no
    /// agreement by chance is taken off.
    PairwiseAgreement => "pairwise agreement of judges", Share, "findings";
    /// Findings that came out the same in both orders of the candidates / findings of two orders.
    OrdersAgree => "both orders agree", Share, "findings";
    /// Debates that an error ended / debates.
    FailedDebates => "failed debates", Share, "debates";
    /// Debates that a ceiling ended / debates.
    TruncatedDebates => "truncated debates", Share, "debates";
    Calls => "calls", Count, "debates";
    InputTokens => "input tokens", Tokens, "debates";
    OutputTokens => "output tokens", Tokens, "debates";
    Cost => "cost", Usd, "debates";
    CallsPerDebate => "calls per debate", Count, "debates";
    TokensPerDebate => "tokens per debate", Tokens, "debates";
    CostPerDebate => "cost per debate", Usd, "debates";
    /// Σ cost / Σ estimated cost, over debates that have both (EAAPL-MAG005 §8.1).
    CostOverEstimate => "cost, of its estimate", Multiple, "debates";
    /// Σ tokens / Σ estimated tokens, over debates with an estimate.
    TokensOverEstimate => "tokens, of their estimate", Multiple, "debates";
    WallPerDebate => "wall-clock per debate", Milliseconds, "debates";
    CriticalPathPerDebate => "critical path per debate", Milliseconds, "debates";
    LatencyPerTurn => "latency per turn", Milliseconds, "turns";
}
