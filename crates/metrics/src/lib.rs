//! Metrics: estimates and reports from transcripts, verdicts, rewards and labels.
//!
//! Flat rows go in ([`DebateRow`]), a [`Report`] comes out: sections that are never pooled (real
//! and simulated debates, behaviours that need a comparison of hashes, the dimensions of `--by`),
//! each with [`Figure`]s that carry their interval, their numbers of topics and observations, and
//! the observations left out. Pure renderers turn a report into a table, CSV or JSON.
//!
//! `rows` is the input, `sections` compute the figures of a `report`, `statistics` holds
//! intervals and tests, `comparison` two arms or prompts, `validate` evaluators against human
//! labels, `detector_check` a detector against labelled critiques.
//!
//! It never reads a file or a clock, never imputes a missing verdict, never divides by zero, and
//! takes random numbers only from the given seed, so equal rows give equal reports.

mod advantage;
mod comparison;
mod detector_check;
mod hidden_characters;
mod report;
mod rows;
mod sections;
mod selection;
mod statistics;
mod topic_names;
mod training_export;
mod validate;
mod visible_text;
mod wrapped_line;

pub use advantage::{Advantages, group_advantages};
pub use comparison::golden::{GoldenArm, GoldenComparison, GoldenError};
pub use comparison::groups::{
    CompareError, ComparisonSettings, MIN_QUESTIONS_PER_TASK_TYPE, TopicProperty, compare_groups,
    group_name, group_names,
};
pub use comparison::judges::{
    Flips, JudgeComparison, JudgeCounts, JudgePair, JudgedRows, VerdictCell, compare_judges,
};
pub use comparison::named_groups::{GroupNameError, arm_of_protocol, find_group};
pub use comparison::preference::{
    PreferencePair, PreferenceReport, Preferred, summarize_preferences,
};
pub use comparison::prompts::{
    Flip, PromptComparison, PromptComparisonError, PromptEvidence, PromptMeasure, PromptRow,
    PromptSample, SmallestDifference, compare_prompts, error_rate, error_rate_difference,
};
pub use comparison::replaced::{ReplacedComparison, ReplacedError};
pub use comparison::table::{comparison_to_table, trend_to_table};
pub use comparison::trend::trend_over;
pub use detector_check::{
    BinaryScore, CorpusError, CountedShare, CritiqueClass, DetectorCheck, DetectorScore,
    DifferingScore, LabelledCritique, PredictiveValues, ReaderAgreement, TwoLabels, check_detector,
    check_shipped_corpus, detector_check_to_text, parse_corpus,
};
pub use hidden_characters::{TextCharacter, classify_characters};
pub use report::arm_names::{ArmNames, condense_arm};
pub use report::arm_table::{arms_to_table, format_cell};
pub use report::chair_names::ChairNames;
pub use report::csv_cells::{defuse_cell, restore_cell};
pub use report::debate_filter::{DebateFilter, NoDebateHas, keep_debates};
pub use report::figure::{
    Advantage, Compared, ComparisonTest, DetectorError, Dimension, Figure, FigureKey,
    IntervalSubject, Measure, Report, ReportSection, Unit,
};
pub use report::figure_part::FigurePart;
pub use report::groups::debate_value;
pub use report::json_csv::{to_csv, to_json};
pub use report::learning::teaching_runs;
pub use report::left_out::LeftOutReason;
pub use report::natural_order::compare_naturally;
pub use report::pivot::{Pivot, PivotShape, TableFormat, build_pivots, with_totals};
pub use report::summary::{
    HEADLINES, describe_caveats, describe_findings, find_headline, first_figure, to_lines,
};
pub use report::table::{figure_name, intervals_in_brackets, left_out_text, to_table};
pub use report::text_layout::format_value;
pub use report::unfinished::{RunProgress, UnfinishedRuns};
pub use report::{ReportError, ReportSettings, ReportSubject, compute_report};
pub use rows::{
    Alert, DebateOrigin, DebateOutcome, DebateRow, DecisionLabel, DecisionRow, FindingRow,
    FindingTarget, Forks, GaugeKind, GaugeRow, GuardOutcome, GuardRow, HumanTurns, JudgedBy,
    JudgingResult, LearningPhase, LessonOutcome, MissingAnswer, OrdersRow, PickOutcome, PickRow,
    ReplyEnd, RulesFound, ServedRow, TextHash, TurnRow, TurnSafety, UsageRow,
};
pub use sections::game::{final_answer_right, outcome_right};
pub use selection::{
    CurveTopics, Selection, SelectionError, SelectionSettings, repeated_seats, selection_report,
};
pub use statistics::agreement::{
    AuditedTurn, ContingencyTable, Correction, CorrectionError, NoErrorRates, Ratings, Scale,
    correct_rate,
};
pub use statistics::confidence_sequence::{SequenceReport, confidence_sequence};
pub use statistics::evaluator_error::{
    EvaluatorError, EvaluatorErrorOutOfRange, RoganGladenError, agreement_noise_floor, rogan_gladen,
};
pub use statistics::interval::{
    Interval, IntervalMethod, Resampling, TopicSums, mean_interval, share_interval, wilson_interval,
};
pub use statistics::p_value::PValue;
pub use statistics::paired_tests::{
    PairedTest, adjust_by_holm, mcnemar_exact, mcnemar_mid_p, sign_flip,
};
pub use statistics::power::{PLANNED_POWER, find_detectable_differences, mcnemar_power};
pub use topic_names::RowTopic;
pub use training_export::{advantages_to_csv, advantages_to_json, advantages_to_table};
pub use validate::{
    AnnotatorRole, ArmRate, Basis, Blinding, BlindingRule, Calibration, ConfusionMatrix,
    CorrectedRate, ErrorDifference, Estimate, EvaluatorFinding, EvaluatorReport, EvaluatorRole,
    GivenLabel, GoldRule, LabelClasses, LabelCommand, LabelDraw, LabelSide, MoreLabels,
    MoreOfStratum, NO_VERDICT, NextLabels, NoGold, OVERVIEW_COLUMNS, Overview, OverviewRow,
    PartDimension, PermutationLevel, Quantity, ReliabilityBin, ShownEvaluators, TurnPlace,
    UNPARSED, ValidateOptions, ValidateRow, Validation, ValidationSection, ValidationSubject,
    compute_validation, evaluator_to_text, find_best_label, find_gold_side, median_seconds,
    name_calls, people_to_text, validation_to_csv, validation_to_json, validation_to_table,
};
pub use visible_text::{Keep, make_visible};
pub use wrapped_line::wrap_line;

#[cfg(test)]
#[allow(
    clippy::disallowed_macros,
    clippy::disallowed_methods,
    clippy::disallowed_types,
    reason = "tests read fixtures and print what they counted"
)]
mod tests;
