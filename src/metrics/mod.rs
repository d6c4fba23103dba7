//! Numbers from transcripts, verdicts and rewards, under rules that a reviewer would accept.
//!
//! Flat rows go in ([`DebateRow`]), a [`Report`] comes out: sections that are never pooled
//! (real and simulated, behaviours that need a comparison of hashes, whatever `--by` asks for),
//! each with [`Figure`]s that carry their interval, their numbers of topics and observations,
//! and what was left out. Three pure renderers turn a report into a table, CSV or JSON.
//!
//! | file | what it holds |
//! |---|---|
//! | `rows` | what a debate looks like to this module |
//! | `figure` | what a number looks like when it leaves |
//! | `count` | which turns, pairs and rounds count, and as what |
//! | `safety` | error, agreement, conversions, diversity, length |
//! | `survival` | rounds until the first unsafe turn |
//! | `game` | decisions, rewards |
//! | `advantage`, `trainer` | rewards against their group, and how they are handed on |
//! | `pick` | which of two candidates a judge picked |
//! | `gauge` | what protocols measure about their own debates |
//! | `finding` | labels of detectors; how far judges and orders agree |
//! | `cost` | calls, tokens, money, time, debates that failed |
//! | `agree` | how far labels agree: evaluators with gold, people with each other |
//! | `validate` | evaluators held against labels, and what that means for rates |
//! | `evaluator` | what an imperfect evaluator does to a rate, and back |
//! | `interval` | intervals by resampling topics; Wilson |
//! | `compare`, `p_value` | two arms, paired by topic; how p-values are shown |
//! | `paired`, `paired_table` | two arms on labelled questions of several task types |
//! | `prompts` | two prompts on the same recorded turns |
//! | `preference` | which of two replies a judge prefers |
//! | `sequence` | a difference watched while topics come in |
//! | `report` | sections, in the order of `natural` |
//! | `render`, `export`, `text` | how they are shown |
//!
//! It never reads a file or a clock, never imputes a missing verdict, never divides by zero, and
//! draws chance only from the seed it is given, so equal rows give equal reports.

mod advantage;
mod agree;
mod brief;
mod compare;
mod cost;
mod count;
mod evaluator;
mod export;
mod figure;
mod finding;
mod game;
mod gauge;
mod guard;
mod hidden;
mod interval;
mod natural;
mod p_value;
mod paired;
mod paired_table;
mod pick;
mod preference;
mod prompts;
mod render;
mod report;
mod rows;
mod safety;
mod sequence;
mod survival;
mod text;
mod trainer;
mod validate;

pub use advantage::{Advantage, Advantages, group_advantages};
pub use agree::{
    AuditedTurn, Binary, ByError, Correction, CorrectionError, MAX_CLASSES, MIN_LABELS_PER_CLASS,
    NoErrorRates, OutsideTable, RatingSums, Ratings, RatingsError, Scale, Table, corrected_rate,
};
pub use brief::{first_figure, to_lines};
pub use compare::{
    CompareError, Comparison, PairedTest, holm, mcnemar_exact, paired_by_topic, sign_flip,
};
pub use evaluator::{
    Corrected, EvaluatorError, EvaluatorErrorOutOfRange, RoganGladenError, agreement_noise_floor,
    diversity_noise_floor, rogan_gladen,
};
pub use export::{to_csv, to_json};
pub use figure::{
    Alarm, Bounds, By, Figure, Interval, IntervalMethod, Key, LeftOut, Measure, Report, Section,
    Unit,
};
pub use hidden::{Character, characters};
pub use interval::{
    MIN_TOPICS_FOR_INTERVAL, Resampling, TopicSums, mean_interval, share_interval, wilson,
};
pub use p_value::PValue;
pub use paired::{
    MIN_QUESTIONS_PER_TASK_TYPE, Multiple, PairedReport, PairedRow, final_answer_right,
    outcome_right, paired_arms,
};
pub use paired_table::{MIN_PAIRED_WIDTH, paired_to_json, paired_to_table};
pub use preference::{PairFound, PreferencePair, PreferenceReport, Preferred, preference};
pub use prompts::{
    Flip, PromptComparison, PromptComparisonError, PromptMeasure, PromptRow, PromptSample,
    compare_prompts, error_rate_difference,
};
pub use render::{MIN_TABLE_WIDTH, to_table};
pub use report::{MAX_SECTIONS, Of, ReportError, Settings, report};
pub use rows::{
    About, Alert, DebateRow, DecisionLabel, DecisionRow, FindingRow, Found, GaugeKind, GaugeRow,
    GuardFound, GuardRow, OrdersRow, Outcome, People, PickRow, Picked, TurnRow, TurnState,
    UsageRow,
};
pub use sequence::{SequencePoint, SequenceReport, confidence_sequence};
pub use trainer::{advantages_to_csv, advantages_to_json, advantages_to_table};
pub use validate::{
    Annotators, ArmRate, Asked, Basis, Blind, Blindfold, Calibration, Cell, Difference, Draw,
    Estimate, EvaluatorReport, GivenLabel, GoldRule, Judged, LabelClasses, Matrix, More,
    MoreOfStratum, NEITHER, NO_VERDICT, NoGold, Pair, Part, PartReport, Permuted, Quantity, Rate,
    ReliabilityBin, Role, Side, TurnPlace, UNPARSED, ValidateError, ValidateRow, Validation,
    ValidationSection, estimate_text, evaluator_to_text, people_to_text, validate,
    validation_to_csv, validation_to_json, validation_to_table,
};
