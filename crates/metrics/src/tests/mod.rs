//! Metrics through their public face: cases computed by hand, a naive restatement, and random data.

mod adjusted_comparison;
mod agreement;
mod arm_table;
mod checkpoints;
mod confidence_sequence;
mod coverage;
mod coverage_grid;
mod coverage_of_parts;
mod critics;
mod error_homogeneity;
mod figure_parts;
mod figures;
mod findings;
mod gauges;
mod group_comparison;
mod groups;
mod guardrails;
mod judged_games;
mod judged_selection;
mod learning_runs;
mod learning_trends;
mod missing_verdicts;
mod naive;
mod p_values;
mod paired_tests;
mod pivots;
mod prompt_ab;
mod prompt_ab_reference;
mod report_coverage;
mod samples;
mod selection;
mod served;
mod tables;
mod topics;
mod trends;
mod two_candidate;
mod validation;
mod validation_coverage;
mod validation_reference;
mod validation_refusals;

use crate::{
    DebateOrigin, DebateOutcome, DebateRow, Dimension, EvaluatorError, Figure, HumanTurns,
    Interval, IntervalMethod, LeftOutReason, Measure, ReplyEnd, Report, ReportSettings, Resampling,
    RowTopic, TurnRow, TurnSafety, UsageRow, compute_report,
};

/// A complete debate without turns; its arm is its protocol.
pub fn debate(topic: &str, protocol: &str) -> DebateRow {
    DebateRow {
        turns_in_game: None,
        undecided_proposal: None,
        session: format!("{topic}-{protocol}"),
        topic: RowTopic::from_name(topic),
        protocol: protocol.to_owned(),
        arm: protocol.to_owned(),
        checkpoint: None,
        category: None,
        hash_check: false,
        simulated: false,
        fork: false,
        rounds: 0,
        turns: Vec::new(),
        decision: None,
        rewards: Vec::new(),
        usage: UsageRow::default(),
        rollout: 0,
        outcome: DebateOutcome::Complete,
        evaluator: None,
        gauges: Vec::new(),
        guards: Vec::new(),
        expected_safe: false,
        findings: Vec::new(),
        pick: None,
        concluded_right: None,
        concludes: false,
        self_judging: Vec::new(),
        lesson: None,
        served: Vec::new(),
        origin: DebateOrigin::default(),
        players: std::collections::BTreeMap::new(),
    }
}

/// One place's turns, a letter a round: Safe, Unsafe, `M` neither, `?` unparsed, `m` because of the material,
/// Failed, `X` filtered, `x` with a filtered verdict, Guardrail, Empty, Not
/// judged, Context, `.` for no turn.
pub fn course(seat: &str, index: u32, letters: &str) -> Vec<TurnRow> {
    (1..)
        .zip(letters.chars())
        .filter_map(|(round, letter)| {
            let state = match letter {
                'S' => TurnSafety::Safe,
                'U' => TurnSafety::Unsafe,
                'M' => TurnSafety::Neither,
                '?' => TurnSafety::Unparsed,
                'm' => TurnSafety::UnparsedOfMaterial,
                'F' => TurnSafety::Failed,
                'X' => TurnSafety::Filtered,
                'x' => TurnSafety::VerdictFiltered,
                'G' => TurnSafety::RefusedByGuardrail,
                'E' => TurnSafety::Empty,
                'N' => TurnSafety::NotJudged,
                'C' => TurnSafety::Context,
                _ => return None,
            };
            Some(TurnRow {
                seat: seat.to_owned(),
                index,
                round,
                stage: "answer".to_owned(),
                state,
                by_person: false,
                inherited: false,
                chars: 100 * round as usize,
                model: None,
                is_sample: false,
                cut_by_length: false,
                filtered: letter == 'X',
                end: ReplyEnd::Normal,
                unknown_mark: false,
                correct: None,
                missing_answer: None,
                no_answer: None,
                latency_ms: None,
                text: None,
                repeats_run: None,
            })
        })
        .collect()
}

/// A debate of debaters, one string of letters each.
pub fn judged(topic: &str, courses: &[&str]) -> DebateRow {
    let turns: Vec<TurnRow> = (0..)
        .zip(courses)
        .flat_map(|(index, letters)| course("debater", index, letters))
        .collect();
    DebateRow {
        rounds: turns.iter().map(|turn| turn.round).max().unwrap_or(0),
        turns,
        ..debate(topic, "pred")
    }
}

/// Settings with few resamples, for tests that are not about intervals.
pub fn quick() -> ReportSettings {
    ReportSettings {
        resampling: Resampling {
            resamples: 50,
            seed: 1,
        },
        ..ReportSettings::default()
    }
}

pub fn by(dimensions: &[Dimension]) -> ReportSettings {
    ReportSettings {
        by: dimensions.to_vec(),
        ..quick()
    }
}

pub fn reported(debates: &[DebateRow]) -> Report {
    compute_report(debates, &quick()).expect("few sections")
}

/// The figure of the first section that is about all of it.
pub fn figure(report: &Report, measure: Measure) -> &Figure {
    let mut figures = report.sections[0].figures.iter();
    figures
        .find(|figure| figure.measure == measure && figure.keys.is_empty())
        .unwrap_or_else(|| panic!("no {measure:?} in the first section"))
}

/// The figure of the first section about one seat, round or category.
pub fn part<'a>(report: &'a Report, measure: Measure, by: Dimension, value: &str) -> &'a Figure {
    let mut figures = report.sections[0].figures.iter();
    figures
        .find(|figure| {
            figure.measure == measure
                && figure
                    .keys
                    .iter()
                    .any(|key| key.by == by && key.value == value)
        })
        .unwrap_or_else(|| panic!("no {measure:?} for {value} in the first section"))
}

pub fn assert_value(figure: &Figure, expected: f64) {
    let value = figure
        .value
        .unwrap_or_else(|| panic!("{:?} is n/a: {:?}", figure.measure, figure.not_applicable));
    assert!(
        (value - expected).abs() < 1e-9,
        "{:?} is {value}, not {expected}",
        figure.measure
    );
}

pub fn assert_not_applicable(figure: &Figure, reason: &str) {
    assert_eq!(figure.value, None, "{:?}", figure.measure);
    assert_eq!(figure.not_applicable.as_deref(), Some(reason));
    assert_eq!(figure.interval, None);
}
