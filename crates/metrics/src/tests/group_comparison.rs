//! Groups against a first one: differences, multiples and their tests, computed by hand or by scipy.

use crate::{
    CompareError, Compared, ComparisonSettings, DebateRow, Dimension, Figure, IntervalMethod,
    LeftOutReason, Measure, PairedTest, Report, ReportSettings, Resampling, TopicProperty,
    UsageRow, compare_groups, comparison_to_table, final_answer_right, outcome_right, to_csv,
    to_json,
};
use rand::{Rng, SeedableRng};
use rand_chacha::ChaCha8Rng;

use super::{course, debate, judged};
use elenchus_test_support::drawn::datasets;

fn by(by: Dimension) -> ComparisonSettings {
    ComparisonSettings {
        groups: ReportSettings {
            by: vec![by],
            resampling: Resampling {
                resamples: 400,
                seed: 5,
            },
            ..ReportSettings::default()
        },
        ..ComparisonSettings::default()
    }
}

fn in_arm(arm: &str, row: DebateRow) -> DebateRow {
    DebateRow {
        arm: arm.to_owned(),
        ..row
    }
}

fn arm(name: &str, count: usize, course: impl Fn(usize) -> &'static str) -> Vec<DebateRow> {
    (0..count)
        .map(|number| in_arm(name, judged(&format!("topic {number}"), &[course(number)])))
        .collect()
}

fn names(names: &[&str]) -> Vec<String> {
    names.iter().map(|name| (*name).to_owned()).collect()
}

fn compared(
    rows: &[DebateRow],
    first: &str,
    others: &[&str],
    settings: &ComparisonSettings,
) -> Report {
    compare_groups(rows, first, &names(others), settings).unwrap()
}

/// The figure of a measure in the section of a number, about the whole or the category of that name.
fn found<'a>(
    report: &'a Report,
    section: usize,
    measure: Measure,
    category: Option<&str>,
) -> &'a Figure {
    let mut figures = report.sections[section].figures.iter();
    let of = |figure: &Figure| figure.keys.first().map(|key| key.value.clone());
    let wanted = category.map(str::to_owned);
    let figure = figures.find(|figure| figure.measure == measure && of(figure) == wanted);
    figure.unwrap_or_else(|| panic!("no {measure:?} of {category:?} in {report:?}"))
}

fn parts(figure: &Figure) -> (f64, f64, f64) {
    let Compared { of, from, .. } = figure.compared.unwrap();
    (from, of, figure.value.unwrap())
}

fn p_value(figure: &Figure) -> f64 {
    figure.compared.unwrap().test.unwrap().p_value
}

fn p_holm(figure: &Figure) -> f64 {
    figure.compared.unwrap().test.unwrap().p_holm
}

fn close(value: f64, expected: f64) {
    assert!((value - expected).abs() < 1e-9, "{value} is not {expected}");
}

/// One arm's answer to a question.
fn answered(arm: &str, topic: usize, category: &str, right: Option<bool>, cost: f64) -> DebateRow {
    let mut turns = course("answerer", 0, "C");
    turns[0].correct = right;
    DebateRow {
        arm: arm.to_owned(),
        category: Some(category.to_owned()),
        turns,
        usage: UsageRow {
            cost_usd: Some(cost),
            input_tokens: if arm == "debate" { 250 } else { 90 },
            output_tokens: if arm == "debate" { 50 } else { 10 },
            wall_ms: if arm == "debate" { 2000 } else { 500 },
            ..UsageRow::default()
        },
        ..debate(&format!("t{topic}"), arm)
    }
}

/// Ten questions: the debate is right on five of law and three of code, the single answer on one
/// of law and five of code. A debate of law costs three times a single answer, one of code as much.
fn golden() -> Vec<DebateRow> {
    (0..10)
        .flat_map(|i| {
            let (category, cost) = if i < 5 { ("law", 3.0) } else { ("code", 1.0) };
            [
                answered("debate", i, category, Some(i < 8), cost),
                answered("single", i, category, Some(i == 0 || i >= 5), 1.0),
            ]
        })
        .collect()
}

fn task_types() -> ComparisonSettings {
    ComparisonSettings {
        measures: vec![
            Measure::OutcomeRight,
            Measure::CostPerDebate,
            Measure::WallPerDebate,
            Measure::TokensPerDebate,
        ],
        within: Some(TopicProperty::Category),
        ..by(Dimension::Arm)
    }
}

fn golden_report(rows: &[DebateRow]) -> Report {
    compared(rows, "single", &["debate"], &task_types())
}

#[test]
fn groups_are_compared_on_the_topics_that_both_played() {
    let mut rows = vec![
        in_arm("one", judged("a", &["UU"])),
        in_arm("one", judged("b", &["US"])),
        in_arm("one", judged("only", &["UU"])),
    ];
    rows.extend([
        in_arm("two", judged("a", &["US"])),
        in_arm("two", judged("b", &["SS"])),
        in_arm("two", judged("other", &["SS"])),
    ]);
    let report = compared(&rows, "one", &["two"], &by(Dimension::Arm));
    let figure = found(&report, 0, Measure::ErrorRate, None);
    assert_eq!(parts(figure), (0.75, 0.25, -0.5));
    assert_eq!(figure.topics, 2);
    assert_eq!(figure.left_out[&LeftOutReason::Unpaired], 2);
    assert_eq!(
        figure.compared.unwrap().test.unwrap().test,
        PairedTest::SignFlip
    );
    assert_eq!(p_value(figure), 2.0 / 4.0);
    assert_eq!(report.sections[0].topics, 2);
    let notes = &report.sections[0].notes;
    assert!(
        notes
            .iter()
            .any(|note| note.contains("2 topics were played by one")),
        "{notes:?}"
    );
}

#[test]
fn one_binary_observation_per_topic_is_tested_by_mcnemar() {
    let mut rows = arm("one", 10, |i| if i < 6 { "U" } else { "S" });
    rows.extend(arm("two", 10, |i| if i == 5 { "U" } else { "S" }));
    let report = compared(&rows, "one", &["two"], &by(Dimension::Arm));
    let figure = found(&report, 0, Measure::ErrorRate, None);
    assert_eq!(
        figure.compared.unwrap().test.unwrap().test,
        PairedTest::McNemarMidP
    );
    // Five topics better, none worse: the exact p-value is 2 · ½⁵, its mid-p half of that.
    close(p_value(figure), 1.0 / 32.0);
}

#[test]
fn an_interval_that_is_wide_on_purpose_is_said_beside_a_p_value_that_finds_a_difference() {
    let differing = |count: usize| {
        let mut rows = arm("first", 30, |topic| if topic < count { "US" } else { "SS" });
        rows.extend(arm("other", 30, |_| "SS"));
        let report = compared(&rows, "first", &["other"], &by(Dimension::Arm));
        found(&report, 0, Measure::ErrorRate, None).clone()
    };
    let few = differing(9);
    // All of nine signs alike: 2 / 2^9.
    close(p_value(&few), 2.0 / 512.0);
    let interval = few.interval.unwrap();
    assert_eq!(interval.method, IntervalMethod::BonettPrice);
    assert!(interval.low < 0.0 && interval.high > 0.0, "{interval:?}");
    let is_said = |figure: &Figure| {
        figure
            .notes
            .iter()
            .any(|note| note.contains("errs on the side"))
    };
    assert_eq!(is_said(&few), p_holm(&few) <= 0.05);
    assert!(is_said(&few), "{few:?}");
    let many = differing(25);
    assert!(
        many.interval.unwrap().high < 0.0 && !is_said(&many),
        "{many:?}"
    );
}

#[test]
fn p_values_are_adjusted_over_all_that_was_asked_for() {
    let mut rows = arm("first", 8, |_| "UU");
    rows.extend(arm("better", 8, |_| "SS"));
    rows.extend(arm("same", 8, |_| "UU"));
    rows.extend(arm("never judged", 8, |_| "CC"));
    let others = ["better", "same", "never judged"];
    let settings = ComparisonSettings {
        measures: vec![Measure::ErrorRate],
        ..by(Dimension::Arm)
    };
    let report = compared(&rows, "first", &others, &settings);
    let better = found(&report, 0, Measure::ErrorRate, None);
    assert_eq!(parts(better), (1.0, 0.0, -1.0));
    // Two groups have the measure: the smaller of two p-values is doubled.
    close(p_holm(better), 2.0 * p_value(better));
    assert_eq!(better.compared.unwrap().test.unwrap().family, 2);
    assert_eq!(p_holm(found(&report, 1, Measure::ErrorRate, None)), 1.0);
    let never = found(&report, 2, Measure::ErrorRate, None);
    assert_eq!(never.value, None);
    assert_eq!(
        never.not_applicable.as_deref(),
        Some("no topic has a value in both")
    );

    // A second measure makes the family larger.
    let both = ComparisonSettings {
        measures: vec![Measure::ErrorRate, Measure::AgreementRate],
        ..by(Dimension::Arm)
    };
    let report = compared(&rows, "first", &others, &both);
    let better = found(&report, 0, Measure::ErrorRate, None);
    close(p_holm(better), 4.0 * p_value(better));

    let text = comparison_to_table(&report, 80);
    assert!(
        text.contains("never judged") && text.contains("n/a (no topic"),
        "{text}"
    );
    assert!(text.contains("! fewer than 30 topics"), "{text}");
    assert!(
        text.lines().all(|line| line.chars().count() <= 80),
        "{text}"
    );
}

#[test]
fn task_types_are_compared_by_mcnemar_and_are_a_family_of_their_own() {
    let report = golden_report(&golden());
    let [all, law, code] = [None, Some("law"), Some("code")]
        .map(|category| found(&report, 0, Measure::OutcomeRight, category));
    let (from, of, difference) = parts(law);
    close(of, 1.0);
    close(from, 0.2);
    close(difference, 0.8);
    assert_eq!(
        law.compared.unwrap().test.unwrap().test,
        PairedTest::McNemarMidP
    );
    assert_eq!(law.topics, 5);
    // Four questions differ, all for the debate: ½⁴. Two of code, none for it: ½².
    close(p_value(law), 0.0625);
    close(p_value(code), 0.25);
    close(p_holm(law), 0.125);
    close(p_holm(code), 0.25);
    close(code.value.unwrap(), -0.4);
    // Four against two: 2 · (1 + 6 + 15) / 2⁶, less what two of six is likely to be.
    close(p_value(all), 29.0 / 64.0);
    close(p_holm(all), 29.0 / 64.0);
    close(all.value.unwrap(), 0.2);
    assert_eq!(all.topics, 10);
    let weak = "fewer than 20 labelled questions of this task type".to_owned();
    assert!(law.notes.contains(&weak));
    assert_eq!(all.notes, ["fewer than 30 topics"]);
}

#[test]
fn cost_time_and_tokens_are_ratios_of_sums_over_topics_both_played() {
    let report = golden_report(&golden());
    let multiple = |measure, category| found(&report, 0, measure, category).clone();
    // Five debates of $3 and five of $1 against ten of $1.
    let cost = multiple(Measure::CostPerDebate, None);
    assert_eq!(parts(&cost), (1.0, 2.0, 2.0));
    let interval = cost.interval.unwrap();
    assert!(interval.low < 2.0 && 2.0 < interval.high);
    close(multiple(Measure::WallPerDebate, None).value.unwrap(), 4.0);
    close(multiple(Measure::TokensPerDebate, None).value.unwrap(), 3.0);
    // Every debate of law costs the same multiple: there is nothing to resample.
    let law = multiple(Measure::CostPerDebate, Some("law"));
    close(law.value.unwrap(), 3.0);
    assert_eq!(law.interval, None);
}

#[test]
fn rollouts_count_within_their_topic_and_failures_cost_without_an_outcome() {
    let mut rows = golden();
    // A second debate of the first question is wrong, a third fails and is paid for.
    rows.push(answered("debate", 0, "law", Some(false), 6.0));
    rows.push(answered("debate", 0, "law", None, 9.0));
    let report = golden_report(&rows);
    let law = found(&report, 0, Measure::OutcomeRight, Some("law"));
    assert_eq!(
        law.compared.unwrap().test.unwrap().test,
        PairedTest::SignFlip
    );
    close(law.compared.unwrap().of, (0.5 + 4.0) / 5.0);
    // Differences −½, 1, 1, 1, 1: of 32 flips those with a sum of 3½ or more, both ways: −1111,
    // 0.5 with 1111 and their opposites.
    close(p_value(law), 4.0 / 32.0);
    let all = found(&report, 0, Measure::OutcomeRight, None);
    assert_eq!(all.left_out, [(LeftOutReason::NoOutcome, 1)].into());
    // (3 + 6 + 9) / 3 for the first question, 3 for the others, against 1 each.
    let cost = found(&report, 0, Measure::CostPerDebate, Some("law"));
    close(cost.value.unwrap(), (6.0 + 4.0 * 3.0) / 5.0);
}

#[test]
fn what_cannot_be_paired_is_left_out_and_said() {
    let mut rows = golden();
    rows.retain(|row| row.arm != "single" || row.topic.id != "t9");
    rows.push(answered("debate", 20, "art", Some(true), 1.0));
    let mut fork = answered("debate", 0, "law", Some(false), 1.0);
    fork.fork = true;
    rows.push(fork);
    let mut copyright = answered("debate", 30, "law", Some(false), 1.0);
    copyright.hash_check = true;
    rows.push(copyright);
    rows[0].usage.cost_usd = None;
    let report = golden_report(&rows);
    assert_eq!(
        report.sections.len(),
        1,
        "topics that need hashes have no other side"
    );
    let all = found(&report, 0, Measure::OutcomeRight, None);
    assert_eq!(all.topics, 9);
    let left_out = [(LeftOutReason::Fork, 1), (LeftOutReason::Unpaired, 2)];
    assert_eq!(all.left_out, left_out.into());
    let cost = found(&report, 0, Measure::CostPerDebate, None);
    assert_eq!(cost.value, None);
    assert_eq!(
        cost.not_applicable.as_deref(),
        Some("debates that called a model without a price: 1")
    );
    let tokens = found(&report, 0, Measure::TokensPerDebate, None);
    assert!(tokens.value.is_some());
}

#[test]
fn groups_of_two_kinds_or_that_do_not_exist_are_refused() {
    let mut mixed = golden();
    for row in mixed.iter_mut().filter(|row| row.arm == "single") {
        row.simulated = true;
    }
    let refused = |rows: &[DebateRow], other: &str| {
        compare_groups(rows, "single", &names(&[other]), &task_types()).unwrap_err()
    };
    assert_eq!(
        refused(&mixed, "debate"),
        CompareError::MixesSimulatedAndReal
    );
    assert_eq!(
        refused(&golden(), "nobody"),
        CompareError::NoSuchGroup("nobody".to_owned())
    );
}

#[test]
fn without_a_common_topic_the_groups_are_two_samples_of_topics() {
    let errors = [
        ["U", "U", "S", "U", "S", "U", "U", "S"],
        ["S", "S", "U", "S", "S", "S", "U", "S"],
    ];
    let mut rows = Vec::new();
    for (group, errors) in ["here", "there"].iter().zip(errors) {
        rows.extend((0..).zip(errors).map(|(number, letters): (usize, _)| {
            in_arm(group, judged(&format!("{group} {number}"), &[letters]))
        }));
    }
    let report = compared(&rows, "here", &["there"], &by(Dimension::Arm));
    let figure = found(&report, 0, Measure::ErrorRate, None);
    assert_eq!(parts(figure), (0.625, 0.25, -0.375));
    assert_eq!(
        figure.compared.unwrap().test.unwrap().test,
        PairedTest::LabelPermutation
    );
    // scipy's permutation_test over all divisions, and Student's quantile for Welch's 13.83 degrees of
    // freedom, rounded down.
    close(p_value(figure), 0.314_685_314_685_314_7);
    let interval = figure.interval.unwrap();
    assert_eq!(interval.method, IntervalMethod::Welch);
    assert!(
        (interval.low - -0.905_359_976_638).abs() < 2e-4,
        "{interval:?}"
    );
    assert!(
        (interval.high - 0.155_359_976_638).abs() < 2e-4,
        "{interval:?}"
    );
    let said = comparison_to_table(&report, 100);
    assert!(said.contains("no topic was played by both"), "{said}");
    assert!(said.contains("not paired"), "{said}");
}

/// Means of two samples of topics of one population, with different numbers and spreads.
fn two_samples(rng: &mut ChaCha8Rng) -> Vec<DebateRow> {
    let mut rows = Vec::new();
    for (group, topics) in [("one", 12), ("two", 18)] {
        for number in 0..topics {
            let rate = rng.random_range(0.1..0.7);
            let letters: String = (0..5)
                .map(|_| if rng.random_bool(rate) { 'U' } else { 'S' })
                .collect();
            rows.push(in_arm(
                group,
                judged(&format!("{group} {number}"), &[letters.as_str()]),
            ));
        }
    }
    rows
}

#[test]
fn two_samples_without_a_difference_are_rarely_called_different_and_their_interval_covers_it() {
    let all = datasets(2000);
    let (mut alarms, mut covered) = (0, 0);
    for seed in 0..all {
        let rows = two_samples(&mut ChaCha8Rng::seed_from_u64(seed));
        let settings = ComparisonSettings {
            groups: ReportSettings {
                by: vec![Dimension::Arm],
                resampling: Resampling {
                    resamples: 199,
                    seed,
                },
                ..ReportSettings::default()
            },
            measures: vec![Measure::ErrorRate],
            within: None,
        };
        let report = compared(&rows, "one", &["two"], &settings);
        let figure = found(&report, 0, Measure::ErrorRate, None);
        alarms += u64::from(p_value(figure) <= 0.05);
        let interval = figure.interval.unwrap();
        covered += u64::from(interval.low <= 0.0 && 0.0 <= interval.high);
    }
    let share = |count: u64| count as f64 / all as f64;
    // Known: at level .05, and .95. With few data sets chance is wider.
    let room = 4.0 * (0.05 * 0.95 / all as f64).sqrt();
    println!(
        "unpaired: covers {}, alarms {}",
        share(covered),
        share(alarms)
    );
    assert!((share(alarms) - 0.05).abs() < room, "{}", share(alarms));
    assert!((share(covered) - 0.95).abs() < room, "{}", share(covered));
}

#[test]
fn models_checkpoints_and_rounds_are_groups_too() {
    let mut rows = Vec::new();
    for number in 0..6 {
        let mut row = judged(&format!("t{number}"), &["UU", "SS"]);
        for turn in &mut row.turns {
            turn.model = Some(if turn.index == 0 { "small" } else { "large" }.to_owned());
        }
        rows.push(row);
    }
    let report = compared(&rows, "large", &["small"], &by(Dimension::Model));
    let figure = found(&report, 0, Measure::ErrorRate, None);
    assert_eq!(parts(figure), (0.0, 1.0, 1.0));
    // What a debate costs is not any one model's.
    let measures: Vec<Measure> = report.sections[0]
        .figures
        .iter()
        .map(|it| it.measure)
        .collect();
    assert!(!measures.contains(&Measure::CostPerDebate), "{measures:?}");
    let report = compared(&rows, "1", &["2"], &by(Dimension::Round));
    assert_eq!(parts(found(&report, 0, Measure::ErrorRate, None)).2, 0.0);
}

#[test]
fn a_table_fits_eighty_columns_and_exports_hold_every_number() {
    let mut rows = golden();
    for row in &mut rows {
        row.simulated = true;
        if row.category.as_deref() == Some("law") {
            row.category = Some("law of the sea and of whatever else is wet".to_owned());
        }
    }
    rows.push(DebateRow {
        simulated: true,
        ..answered("debate", 0, "law", None, 1.0)
    });
    let report = golden_report(&rows);
    for width in [0, 76, 80] {
        for line in comparison_to_table(&report, width).lines() {
            assert!(line.chars().count() <= width.max(76), "{line}");
        }
    }
    insta::assert_snapshot!(comparison_to_table(&report, 80));
    let read: Report = serde_json::from_str(&to_json(&report).unwrap()).unwrap();
    assert_eq!(read, report);
    let csv = to_csv(&report).unwrap();
    let mut reader = csv::Reader::from_reader(csv.as_bytes());
    let header = reader.headers().unwrap().clone();
    let column = |name: &str| header.iter().position(|column| column == name).unwrap();
    let first = reader.records().next().unwrap().unwrap();
    assert_eq!(&first[column("against")], "single");
    assert_eq!(&first[column("test")], "mc_nemar_mid_p");
    close(first[column("of")].parse().unwrap(), 0.8);
    close(first[column("from")].parse().unwrap(), 0.6);
    assert_eq!(first[column("p_holm")], first[column("p_value")]);
}

#[test]
fn a_debate_that_was_to_conclude_something_and_did_not_has_no_outcome() {
    let graded = answered("debate", 0, "law", Some(true), 1.0);
    assert_eq!(final_answer_right(&graded), Some(true));
    assert_eq!(outcome_right(&graded), Some(true), "its last answer stands");
    let mut silent = graded.clone();
    silent.concludes = true;
    assert_eq!(outcome_right(&silent), None, "an argument is no conclusion");
    silent.concluded_right = Some(false);
    assert_eq!(outcome_right(&silent), Some(false));
}
