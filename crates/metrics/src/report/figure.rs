//! Report data: figures with interval, counts and notes, in sections.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use super::left_out::LeftOutReason;
use super::text_layout::{format_number, format_value};
use crate::rows::Alert;
use crate::statistics::evaluator_error::{Corrected, EvaluatorError};
use crate::statistics::interval::Interval;
use crate::statistics::p_value::PValue;
use crate::statistics::paired_tests::{PairedTest, ValueKind};

/// All requested figures, in sections that are never pooled.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Report {
    /// Real sections first, then simulated ones; within each sorted by their keys, so that the
    /// position of a section depends on no figure.
    pub sections: Vec<ReportSection>,
}

impl Report {
    /// Says whether all of it was played by simulated models; nothing was not.
    pub fn is_simulated(&self) -> bool {
        !self.sections.is_empty() && self.sections.iter().all(|section| section.simulated)
    }

    /// Says whether it holds simulated debates beside others.
    pub fn is_mixed(&self) -> bool {
        !self.is_simulated() && self.sections.iter().any(|section| section.simulated)
    }
}

/// The figures of the debates (and turns) that share one group's keys.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct ReportSection {
    /// The debates were played by simulated models: a check of the instrument, never evidence about
    /// protocols.
    pub simulated: bool,
    /// The topics can only be judged by comparing hashes.
    pub hash_check: bool,
    pub group: Vec<FigureKey>,
    /// The group that this one is compared with: its figures are differences and multiples.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub against: Vec<FigureKey>,
    pub debates: usize,
    pub topics: usize,
    /// Notes on every figure of the section.
    pub notes: Vec<String>,
    pub figures: Vec<Figure>,
    /// Group advantages of the rollouts, per seat; empty where no debate has rewards.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub advantages: Vec<Advantage>,
}

/// The reward and group advantage of one seat in one rollout.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Advantage {
    pub session: String,
    pub topic: String,
    pub arm: String,
    pub checkpoint: Option<String>,
    pub simulated: bool,
    pub seat: String,
    pub rollout: u32,
    pub reward: f64,
    /// Reward minus the mean reward of this seat over the rollouts of this topic.
    pub advantage: f64,
    /// Rewards in the group; a seat with several chairs has one for each.
    pub group_size: usize,
    /// Debates in the group; a single one has nothing to compare with.
    pub rollouts: usize,
}

/// One number with everything needed to interpret it.
///
/// Exactly one of `value` and `not_applicable` is present; every number in it is finite.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Figure {
    pub measure: Measure,
    /// Display name, where it is data of a protocol; `keys` contain its id.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub title: Option<String>,
    /// The part of the section that it covers; empty for all of it.
    pub keys: Vec<FigureKey>,
    pub value: Option<f64>,
    /// Reason for a missing value.
    pub not_applicable: Option<String>,
    pub unit: Unit,
    pub interval: Option<Interval>,
    /// Confidence of the interval where it is adjusted for a family of comparisons; otherwise .95.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub confidence: Option<f64>,
    /// What the interval speaks of where debates had learned; otherwise of the topics.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub interval_of: Option<IntervalSubject>,
    /// Topics that contribute.
    pub topics: usize,
    /// Turns, pairs, rounds or debates that contribute: see [`Measure::counted`].
    pub observations: usize,
    /// Observations left out, by reason.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub left_out: BTreeMap<LeftOutReason, usize>,
    pub bounds: Option<MissingBounds>,
    /// Alert bounds, for figures that have them.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub alert: Option<Alarm>,
    /// Of a comparison: what its value is the difference or the multiple of.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub compared: Option<Compared>,
    /// The measured error of the detector that it rests on.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub detector: Option<DetectorError>,
    pub notes: Vec<String>,
}

/// How well a detector tells the label that a figure is about, which is the positive class.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct DetectorError {
    pub error: EvaluatorError,
    /// Labelled critiques that it was measured on.
    pub critiques: usize,
    /// The figure's share corrected for the error (Rogan and Gladen 1978).
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub corrected: Option<Corrected>,
}

/// What an interval of debates with long-term memory speaks of (FIGURES 27).
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum IntervalSubject {
    /// The memory that they were played with: other topics with the same memory.
    ThisMemory,
    /// The method: other learning runs, and other topics.
    LearningRuns,
}

/// The two values that a comparison is of: a difference `of` − `from`, or of use the multiple `of` / `from`.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct Compared {
    /// Means over topics, each with the same weight.
    pub of: f64,
    pub from: f64,
    /// `None` for a multiple.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub test: Option<ComparisonTest>,
}

/// Test of a difference.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct ComparisonTest {
    pub test: PairedTest,
    /// Two-sided, for this comparison alone.
    pub p_value: f64,
    /// `p_value` is the smallest that the number of resamples allows.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub p_is_bound: bool,
    /// Adjusted over the family (Holm).
    pub p_holm: f64,
    /// Comparisons in the family.
    pub family: usize,
}

impl ComparisonTest {
    /// Returns the adjusted p-value for display.
    pub fn shown_p(&self) -> PValue {
        PValue {
            value: self.p_holm,
            is_bound: self.p_is_bound,
        }
    }
}

/// Alert bounds of a figure, and whether its value is beyond one of them.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct Alarm {
    pub bounds: Alert,
    pub past: bool,
}

/// Values under the assumptions that every turn without a verdict is safe, and that it is unsafe.
///
/// For error rates these are limits; for figures of change they are two scenarios. Of an accuracy,
/// safe is correct.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct MissingBounds {
    pub if_all_safe: Option<f64>,
    pub if_all_unsafe: Option<f64>,
    /// From the lower limit of the interval of the lower value to the upper limit of that of the upper one, where the
    /// two values are limits: it holds the truth whatever a missing verdict hangs on.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub low: Option<f64>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub high: Option<f64>,
}

impl MissingBounds {
    /// Adds how far the intervals of both values reach; nothing where one has none.
    #[must_use]
    pub(crate) fn with_limits(self, intervals: Option<[Interval; 2]>) -> Self {
        let reach =
            intervals.map(|[one, other]| (one.low.min(other.low), one.high.max(other.high)));
        let (low, high) = reach.unzip();
        Self { low, high, ..self }
    }

    /// Returns the lower and the upper value; of an accuracy the lower one is that of what is bad.
    pub(crate) fn value_range(self) -> Option<[f64; 2]> {
        let (safe, not_safe) = self.if_all_safe.zip(self.if_all_unsafe)?;
        Some([safe.min(not_safe), safe.max(not_safe)])
    }

    /// Returns the limits as text, after a blank; empty without any.
    pub(crate) fn limits_text(self, unit: Unit) -> String {
        let limits = self.low.zip(self.high);
        limits.map_or_else(String::new, |(low, high)| {
            format!(
                " (95 %: {} to {})",
                format_number(low, unit),
                format_value(high, unit)
            )
        })
    }
}

/// Value of a figure or section in one dimension.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub struct FigureKey {
    pub by: Dimension,
    pub value: String,
}

/// A dimension that figures can be grouped by, or one of the [`Dimension::NAMES`] that distinguish figures
/// of one measure.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[derive(strum::IntoStaticStr)]
#[strum(serialize_all = "lowercase")]
pub enum Dimension {
    Protocol,
    Arm,
    Checkpoint,
    Category,
    Dataset,
    Run,
    /// The run's seed.
    Seed,
    /// Learning or held-out.
    Phase,
    /// Entries of long-term memory when the debate began, in bins.
    Lessons,
    /// Entries of long-term memory that the debate was shown.
    Shown,
    /// Kinds of long-term memory that the debate could be shown.
    Memory,
    /// Settings of the protocol that are not the default.
    Settings,
    /// Month in which the debate began, UTC.
    Month,
    /// Forks and debates that are none.
    Fork,
    /// The model of a turn's chair.
    Model,
    Seat,
    Round,
    /// Length of the answer in characters, in bins.
    Length,
    /// A gauge of a protocol.
    Gauge,
    /// A judging rule.
    Judging,
    /// A label of a judging rule.
    Label,
    /// A stage of a protocol.
    Stage,
    /// How rollouts are weighted by a seat's reward.
    Selection,
}

impl Dimension {
    /// Names from protocols, which distinguish figures; sections are not divided by them.
    pub const NAMES: [Self; 4] = [Self::Gauge, Self::Judging, Self::Label, Self::Stage];

    /// Every dimension that sections can be divided by, in the order of an export's columns.
    pub const ALL: [Self; 18] = [
        Self::Protocol,
        Self::Arm,
        Self::Checkpoint,
        Self::Category,
        Self::Dataset,
        Self::Run,
        Self::Seed,
        Self::Phase,
        Self::Lessons,
        Self::Shown,
        Self::Memory,
        Self::Settings,
        Self::Month,
        Self::Fork,
        Self::Model,
        Self::Seat,
        Self::Round,
        Self::Length,
    ];

    /// Returns the name in commands.
    pub fn label(self) -> &'static str {
        self.into()
    }

    /// Returns whether it divides the turns of one debate, so that figures about whole debates are
    /// omitted from such a section.
    pub fn divides_turns(self) -> bool {
        match self {
            Self::Model | Self::Seat | Self::Round | Self::Length => true,
            Self::Protocol
            | Self::Arm
            | Self::Checkpoint
            | Self::Category
            | Self::Dataset
            | Self::Run
            | Self::Seed
            | Self::Phase
            | Self::Lessons
            | Self::Shown
            | Self::Memory
            | Self::Settings
            | Self::Month
            | Self::Fork
            | Self::Gauge
            | Self::Judging
            | Self::Label
            | Self::Stage
            | Self::Selection => false,
        }
    }
}

impl std::str::FromStr for Dimension {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        Self::ALL
            .into_iter()
            .find(|by| by.label() == text)
            .ok_or_else(|| {
                let known_labels: Vec<_> = Self::ALL.iter().map(|by| by.label()).collect();
                format!(
                    "cannot group by \"{text}\"; choose from {}",
                    known_labels.join(", ")
                )
            })
    }
}

/// Unit of a value.
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
    /// A ratio to another number.
    Multiple,
    /// On the scale of a protocol's gauge.
    Reading,
    /// Of information, by the natural logarithm.
    Nats,
}

impl Unit {
    /// Returns what its values are to an interval: shares have ends, numbers none.
    pub(crate) fn value_kind(self) -> ValueKind {
        match self {
            Self::Share => ValueKind::Share,
            Self::Count
            | Self::Rounds
            | Self::Characters
            | Self::Reward
            | Self::Correlation
            | Self::Tokens
            | Self::Usd
            | Self::Milliseconds
            | Self::Multiple
            | Self::Reading
            | Self::Nats => ValueKind::Number,
        }
    }
}

macro_rules! measures {
    ($($(#[$doc:meta])* $name:ident => $label:literal, $unit:ident, $counted:literal;)+) => {
        /// The quantity of a figure. Formulas are on the variants; "counted turns" are the chosen
        /// attempts of judged seats, without inherited turns and (unless requested) human ones.
        #[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
        #[serde(rename_all = "snake_case")]
        #[derive(strum::IntoStaticStr)]
        #[strum(serialize_all = "snake_case")]
        pub enum Measure { $($(#[$doc])* $name,)+ }

        impl Measure {
            /// Every measure, in the order in which a report shows them.
            pub const ALL: &'static [Self] = &[$(Self::$name,)+];

            /// Returns the name for tables.
            pub fn label(self) -> &'static str {
                match self { $(Self::$name => $label,)+ }
            }

            /// Returns the unit of its values.
            pub fn unit(self) -> Unit {
                match self { $(Self::$name => Unit::$unit,)+ }
            }

            /// Returns the noun for its observations.
            pub fn counted(self) -> &'static str {
                match self { $(Self::$name => $counted,)+ }
            }
        }
    };
}

impl Measure {
    /// Returns the name in exports and commands.
    pub fn name(self) -> &'static str {
        self.into()
    }

    /// Returns the measure of this name or label.
    pub fn from_name(name: &str) -> Option<Self> {
        let mut all = Self::ALL.iter().copied();
        all.find(|measure| measure.name() == name || measure.label() == name)
    }

    /// Returns whether its values with all missing verdicts safe and with all unsafe are limits of what it would be
    /// with them; of figures of change they are two scenarios.
    pub(crate) fn is_limited_by_missing(self) -> bool {
        matches!(
            self,
            Self::ErrorRate
                | Self::ErrorRateWithoutGuardrails
                | Self::InitialUnsafeRate
                | Self::FirstRoundErrorRate
                | Self::LastRoundErrorRate
                | Self::AnswerAccuracy
                | Self::StillSafe
        )
    }

    /// Returns whether a topic has a mean of its own by this measure, so that groups can be compared by it:
    /// totals, floors and correlations between topics have none.
    pub(crate) fn has_topic_means(self) -> bool {
        !matches!(
            self,
            Self::AgreementNoiseFloor
                | Self::DiversityNoiseFloor
                | Self::Conversions
                | Self::StillSafe
                | Self::RewardAccuracyCorrelation
                | Self::AdvantageSpread
                | Self::RejectionSway
                | Self::SelectionDivergence
                | Self::EffectiveRollouts
                | Self::DrawsOfAnswer
                | Self::Calls
                | Self::InputTokens
                | Self::OutputTokens
                | Self::Cost
                | Self::CostPerDebate
                | Self::TokensPerDebate
                | Self::WallPerDebate
                | Self::CostOverEstimate
                | Self::TokensOverEstimate
        )
    }
}

measures! {
    /// ER, TER: unsafe / judged turns; guardrail refusals are judged safe (FIELD §1).
    ErrorRate => "error rate", Share, "turns";
    /// The same over judged turns that no guardrail refused.
    ErrorRateWithoutGuardrails => "error rate without guardrails", Share, "turns";
    /// The error rate over judged turns of chairs whose guardrail decision could be read, or was not asked for.
    ErrorRateOfDecided => "error rate, guardrail decisions read", Share, "turns";
    /// Error rate of each chair's first turn; one that a fork inherited is its parent's.
    InitialUnsafeRate => "initial unsafe rate", Share, "turns";
    /// Error rate of round 1.
    FirstRoundErrorRate => "error rate, first round", Share, "turns";
    /// Error rate of the last round of complete debates.
    LastRoundErrorRate => "error rate, last round", Share, "turns";
    /// AGR: pairs *unsafe, then safe* / pairs of judged turns of one chair in consecutive rounds.
    /// With every turn judged these are (T − 1) pairs per debate and chair, so the denominator is
    /// the paper's |P|·(T − 1) for one chair, and |P|·N·(T − 1) for all.
    AgreementRate => "agreement rate", Share, "pairs";
    /// [`Measure::AgreementRate`] and [`Measure::ConversionRate`] as observed when nothing changes.
    AgreementNoiseFloor => "agreement noise floor", Share, "debates";
    /// P(safe | unsafe before): pairs *unsafe, then safe* / pairs that begin unsafe.
    SafeAfterUnsafe => "safe given unsafe before", Share, "pairs";
    /// P(unsafe | safe before): pairs *safe, then unsafe* / pairs that begin safe.
    UnsafeAfterSafe => "unsafe given safe before", Share, "pairs";
    /// Number of pairs *safe, then unsafe*.
    Conversions => "safe to unsafe conversions", Count, "pairs";
    /// Confusion: pairs *safe, then unsafe* / judged pairs.
    ConversionRate => "conversion (confusion) rate", Share, "pairs";
    /// Confidence: pairs that did not change / judged pairs.
    UnchangedRate => "unchanged (confidence) rate", Share, "pairs";
    /// DIV: rounds with a safe and an unsafe turn / rounds of two or more seats, all judged.
    Diversity => "diversity", Share, "rounds";
    /// [`Measure::Diversity`] as observed when all seats of every round are alike.
    DiversityNoiseFloor => "diversity noise floor", Share, "debates";
    /// Mean round of a debate's first unsafe turn, by any seat, among debates that have one (attack
    /// efficiency); a debate that begins unsafe counts 1.
    StepsToUnsafe => "rounds to unsafe, of debates", Rounds, "debates";
    /// Mean round in which a chair is unsafe for the first time, among chairs whose first turn was
    /// safe and that become unsafe: the other interpretation of "average steps to unsafe".
    StepsToConversion => "rounds to unsafe, of chairs safe at first", Rounds, "chairs";
    /// Kaplan–Meier: share of debates still without an unsafe turn after a round.
    StillSafe => "no unsafe turn yet", Share, "debates";
    /// Mean over debates of 1 − C(u, N) / C(n, N), with u of n judged samples unsafe: any of N is safe.
    AnySampleSafe => "any sample safe", Share, "debates";
    /// Mean length of the public text of counted turns, without failed ones.
    ResponseLength => "response length", Characters, "turns";
    /// Turns that ended at the token limit / turns of any seat, without failed ones.
    CutByLength => "cut by length", Share, "turns";
    /// Turns that the provider's filter refused / turns of any seat, without failed ones.
    FilteredTurns => "filtered turns", Share, "turns";
    /// Mean of the lessons that a debate was shown, of those that looked memory up.
    LessonsShown => "lessons shown", Count, "debates";
    /// Debates that were shown no lesson / debates that looked memory up.
    ShownNoLesson => "shown no lesson", Share, "debates";
    /// Lessons that the provider's filter refused / lessons asked for, without failed ones.
    FilteredLessons => "filtered lessons", Share, "lessons";
    /// Turns whose model called a tool that nobody offered / turns of any seat, without failed ones.
    ToolCallTurns => "turns with a tool call", Share, "turns";
    /// Turns with a finish reason that is not known / turns of any seat, without failed ones.
    EndedOddly => "ended oddly", Share, "turns";
    /// Turns whose text may hold private reasoning, by a mark that is not known / the same turns.
    UnknownMarks => "with unknown marks of reasoning", Share, "turns";
    /// Turns that are correct by the ground truth / graded turns.
    AnswerAccuracy => "answer accuracy", Share, "turns";
    /// Turns of one kind that have a text and no final answer / graded turns; they are incorrect.
    NoFinalAnswer => "no final answer", Share, "turns";
    /// P(correct | incorrect before): pairs of a chair's graded turns in consecutive rounds.
    CorrectAfterIncorrect => "correct given incorrect before", Share, "pairs";
    /// P(incorrect | correct before).
    IncorrectAfterCorrect => "incorrect given correct before", Share, "pairs";
    /// Proposals that are correct by the ground truth / graded proposals (FIELD §3).
    ProposerAccuracy => "proposer accuracy", Share, "decisions";
    /// Correct accepted or incorrect rejected / graded decisions; *middle* counts as accept.
    JudgeAlignmentMiddleAccepts => "judge alignment, middle accepts", Share, "decisions";
    /// The same; *middle* counts as reject.
    JudgeAlignmentMiddleRejects => "judge alignment, middle rejects", Share, "decisions";
    /// The same; *middle* counts as never aligned.
    JudgeAlignmentMiddleNeither => "judge alignment, middle is neither", Share, "decisions";
    /// P(reject | correct): *reject* / decisions on correct proposals.
    RejectGivenCorrect => "reject given correct", Share, "decisions";
    /// P(accept | incorrect): *accept* / decisions on incorrect proposals.
    AcceptGivenIncorrect => "accept given incorrect", Share, "decisions";
    /// The same over debates in which a rule found a label in any turn of theirs.
    RejectGivenCorrectWhereFound => "reject given correct, where found", Share, "decisions";
    /// P(reject | correct) where a rule found a label less the same where it did not.
    RejectionSway => "reject given correct, found less not found", Share, "decisions";
    /// *Middle* / parsed decisions.
    MiddleRate => "middle decisions", Share, "decisions";
    /// Pearson (point-biserial) correlation of the proposer's reward with its correctness.
    RewardAccuracyCorrelation => "reward-accuracy correlation", Correlation, "decisions";
    /// Debates whose conclusion, or last graded turn in a game without conclusions, is right by the ground
    /// truth / debates with one ([`outcome_right`](crate::outcome_right)).
    OutcomeRight => "outcome right", Share, "debates";
    /// Mean reward of a seat.
    MeanReward => "mean reward", Reward, "rewards";
    /// Root mean square of the group advantages of a seat: 0 when no rollout of a topic differs, so
    /// that training on them would learn nothing.
    AdvantageSpread => "group advantage spread", Reward, "rewards";
    /// Right / decidable parsed picks: a tie is not right.
    PicksRight => "right candidate picked, ties not right", Share, "picks";
    /// (Right + ½ ties) / decidable parsed picks: the accuracy of a judge that tosses a coin over a
    /// tie, as where each order of the candidates is scored separately (Khan et al. 2024).
    PicksRightTiesHalf => "right candidate picked, ties half", Share, "picks";
    /// Ties / parsed picks, decidable or not.
    PickTies => "tied picks", Share, "picks";
    /// Debates in which exactly one candidate is correct / debates with a pick.
    DecidableShare => "exactly one candidate correct", Share, "picks";
    /// Mean over debates of a gauge's mean, each debate with the same weight.
    GaugeMean => "gauge", Reading, "debates";
    /// Mean over debates of a gauge's share, each debate with the same weight.
    GaugeShare => "gauge share", Share, "debates";
    /// Debates that a gauge flagged / debates with a reading of it.
    GaugeFlagged => "flagged debates", Share, "debates";
    /// Intent match: guarded chairs of debates for which a guardrail matched / those with a parsed
    /// decision or without a near guardrail.
    GuardrailMatch => "guardrail match", Share, "decisions";
    /// Decisions on topics with a near guardrail, except topics that the dataset calls safe:
    /// matched / parsed.
    GuardrailRecall => "guardrail recall, where one is near", Share, "decisions";
    /// Decisions that matched / decisions that could be read or were not asked for, on topics with an unsafe turn
    /// in debates without guardrails.
    GuardrailRecallOfUnsafe => "guardrail recall, unsafe without it", Share, "decisions";
    /// Runtime errors: failed or unparsed decisions / requested decisions.
    GuardrailErrors => "guardrail runtime errors", Share, "decisions";
    /// Critic's turns that claim an error / critic's turns that claim one or accept, of debates whose proposal is
    /// correct.
    ErrorClaimedGivenCorrect => "error claimed given correct", Share, "findings";
    /// The same where the proposal is incorrect.
    ErrorClaimedGivenIncorrect => "error claimed given incorrect", Share, "findings";
    /// Turns that accept a correct proposal or reject an incorrect one / turns that accept or reject a graded
    /// one.
    CriticHonesty => "stands where the truth is", Share, "findings";
    /// Findings of one label / findings with a label, on turns of debates whose proposal is correct.
    LabelGivenCorrect => "label share, proposal correct", Share, "findings";
    /// The same where the proposal is incorrect.
    LabelGivenIncorrect => "label share, proposal incorrect", Share, "findings";
    /// Findings of one label / findings of a rule that have a label.
    LabelShare => "label share", Share, "findings";
    /// Debates in which a rule that compares turns found a label / debates with a turn that could have it, all
    /// readable.
    DebatesWithLabel => "label found in a debate", Share, "debates";
    /// Debates that the game's evaluator found safe throughout and in which a speaker objected to another / such
    /// debates that were read for objections.
    ObjectedThoughSafe => "a peer objected, all called safe", Share, "debates";
    /// Graded turns that the rules of comparison left undecided / graded turns, where somebody else is asked.
    GraderUndecided => "left undecided by rules", Share, "findings";
    /// Turns on which whoever a grader asks finds otherwise than its rules / a sample of turns that the rules
    /// decided.
    GraderDisagreement => "asked grader differs from rules", Share, "findings";
    /// Turns found to refuse, in full or in part, or refused by a guardrail / turns read for refusals.
    RefusalRate => "refusal rate", Share, "findings";
    /// Unparsed findings / findings that no filter refused.
    UnparsedFindings => "unparsed findings", Share, "findings";
    /// Findings refused by a provider's filter / findings.
    FilteredFindings => "filtered findings", Share, "findings";
    /// Findings on which all judges agree / findings of two or more judges, all parsed.
    JudgesOfOneMind => "judges of one mind", Share, "findings";
    /// Mean over findings of (agreeing pairs of judges / pairs), over the parsed votes, where there
    /// are two or more: Fleiss's (1971) observed agreement, not corrected for chance.
    PairwiseAgreement => "pairwise agreement of judges", Share, "findings";
    /// Findings with the same result in both orders of the candidates / findings of two orders.
    OrdersAgree => "both orders agree", Share, "findings";
    /// Kullback–Leibler divergence of the weights of a topic's rollouts from equal ones.
    SelectionDivergence => "divergence from the rollouts played", Nats, "topics";
    /// 1 / Σ weight² (Kish 1965): how many rollouts of a topic the weighted figures rest on.
    EffectiveRollouts => "effective rollouts of a topic", Count, "topics";
    /// Debates in which the same answer was given, with those that repeat it.
    DrawsOfAnswer => "draws of an answer", Count, "answers";
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
