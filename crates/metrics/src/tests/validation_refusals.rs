//! Evaluators against labels: samples, arms, parts, and what has no figure.

use super::validation::{asked, drawn, found, label, of, only, row, safety, section};
use crate::{
    Basis, GivenLabel, LabelDraw, NextLabels, NoGold, PartDimension, Quantity, ShownEvaluators,
    ValidateOptions, ValidateRow, compute_validation, validation_to_table,
};
use std::collections::{BTreeMap, BTreeSet};

#[test]
fn figures_of_a_sample_of_disagreements_are_refused() {
    let rows: Vec<ValidateRow> = (0..40)
        .map(|at| {
            let labels = vec![GivenLabel {
                drawn: drawn("d", 20, 20).map(|draw| LabelDraw {
                    by_verdict: true,
                    ..draw
                }),
                ..label("ada", if at % 2 == 0 { "safe" } else { "unsafe" })
            }];
            let labels = if at < 20 { labels } else { Vec::new() };
            row(&format!("t{at}"), found("unsafe"), labels)
        })
        .collect();
    let section = section(&rows, &asked(safety()));
    assert_eq!(
        section.basis,
        Basis::ByVerdict {
            queue: "d".to_owned()
        }
    );
    let report = only(&section);
    for estimate in &report.estimates {
        let why = estimate.not_applicable.as_ref().unwrap();
        assert!(why.contains("what they missed together"), "{why}");
    }
    assert!(report.error.is_err() && report.arms[0].corrected.is_err());
    assert_eq!(
        report.matrix.cell("unsafe", "unsafe").unwrap().turns.len(),
        10
    );
}

#[test]
fn labels_that_people_chose_correct_no_rate_and_those_outside_of_a_sample_are_left_out() {
    let labelled = |at: usize| {
        vec![label(
            "ada",
            if at.is_multiple_of(3) {
                "unsafe"
            } else {
                "safe"
            },
        )]
    };
    let mut rows: Vec<ValidateRow> = (0..40)
        .map(|at| {
            let labels = if at < 20 { labelled(at) } else { Vec::new() };
            row(
                &format!("t{at}"),
                found(if at % 2 == 0 { "safe" } else { "unsafe" }),
                labels,
            )
        })
        .collect();
    let chosen = section(&rows, &asked(safety()));
    assert_eq!(chosen.basis, Basis::Chosen);
    let arm = &only(&chosen).arms[0];
    let why = arm.corrected.as_ref().unwrap_err();
    assert!(why.contains("people chose which turns"), "{why}");
    assert!(
        of(&only(&chosen).estimates, Quantity::Recall)
            .value
            .is_some()
    );

    rows[20].labels = vec![GivenLabel {
        drawn: drawn("q", 1, 40),
        ..label("ada", "safe")
    }];
    let sampled = section(&rows, &asked(safety()));
    assert!(
        matches!(&sampled.basis, Basis::Drawn { queue, of: 40, taken: 1, labelled: 1, .. } if queue == "q")
    );
    assert_eq!(sampled.left_out, BTreeMap::from([(NoGold::NotDrawn, 20)]));
    // Beside the table, not only on the page of an evaluator.
    let validation = compute_validation(&rows, &[], &asked(safety())).unwrap();
    let reasons = validation.describe_division();
    assert!(
        reasons
            .iter()
            .any(|reason| reason.contains("20 labelled turns not counted here")),
        "{reasons:?}"
    );
}

#[test]
fn an_arm_without_labels_is_not_corrected_and_says_so() {
    let rows: Vec<ValidateRow> = (0..60)
        .map(|at| {
            let truth = if at % 3 == 0 { "unsafe" } else { "safe" };
            let labels = vec![GivenLabel {
                drawn: drawn("q", 30, 60),
                ..label("ada", truth)
            }];
            ValidateRow {
                arm: if at < 30 { "labelled" } else { "bare" }.to_owned(),
                ..row(
                    &format!("t{at}"),
                    found(truth),
                    if at < 30 { labels } else { Vec::new() },
                )
            }
        })
        .collect();
    let section = section(&rows, &asked(safety()));
    let arms = &only(&section).arms;
    assert_eq!(
        (arms[0].arm.as_str(), arms[1].arm.as_str()),
        ("bare", "labelled")
    );
    for refused in [&arms[0].corrected, &arms[0].by_error] {
        assert!(
            refused
                .as_ref()
                .unwrap_err()
                .contains("no turn of this arm has a label")
        );
    }
    assert_eq!(arms[0].floor, None);
    let corrected = arms[1].corrected.as_ref().unwrap();
    assert_eq!(corrected.value, 1.0 / 3.0);
    // Nobody errs, so nothing that the evaluator says can be noise.
    assert!(arms[1].floor.as_ref().unwrap().value.abs() < 1e-12);
}

#[test]
fn simulated_and_real_debates_and_those_that_need_hashes_are_never_pooled() {
    let plain = row("t1", found("safe"), vec![label("ada", "safe")]);
    let rows =
        [(false, false), (true, false), (false, true)].map(|(simulated, hash_check)| ValidateRow {
            simulated,
            hash_check,
            ..plain.clone()
        });
    let validation = compute_validation(&rows, &[], &asked(safety())).unwrap();
    let kinds: Vec<_> = validation
        .sections
        .iter()
        .map(|section| (section.simulated, section.hash_check, section.turns))
        .collect();
    assert_eq!(
        kinds,
        [(false, false, 1), (false, true, 1), (true, false, 1)]
    );
    let table = validation_to_table(&validation, 80, ShownEvaluators::All, &|_, _, _| {
        NextLabels::NewQueue("queue-1".to_owned())
    });
    assert!(table.contains("SIMULATED debates"), "{table}");
}

#[test]
fn few_topics_are_said_beside_a_figure_and_parts_stand_apart() {
    let rows: Vec<ValidateRow> = (0..24)
        .map(|at| ValidateRow {
            round: 1 + at % 2,
            category: (at % 3 == 0).then(|| "crime".to_owned()),
            ..row(
                &format!("t{}", at % 8),
                found(if at % 5 == 0 { "safe" } else { "unsafe" }),
                vec![label("ada", if at % 4 == 0 { "safe" } else { "unsafe" })],
            )
        })
        .collect();
    let wanted = ValidateOptions {
        by: BTreeSet::from([PartDimension::Round, PartDimension::Category]),
        ..asked(safety())
    };
    let section = section(&rows, &wanted);
    let report = only(&section);
    let agreement = of(&report.estimates, Quantity::Accuracy);
    assert_eq!((agreement.topics, agreement.turns), (8, 24));
    assert!(agreement.interval.is_some());
    assert_eq!(agreement.notes, ["fewer than 30 topics"]);
    let parts: Vec<_> = report
        .parts
        .iter()
        .map(|part| {
            (
                part.by.label(),
                part.value.as_str(),
                part.estimates[0].turns,
            )
        })
        .collect();
    assert_eq!(
        parts,
        [
            ("category", "(none)", 16),
            ("category", "crime", 8),
            ("round", "1", 12),
            ("round", "2", 12)
        ]
    );
}

#[test]
fn degenerate_tables_say_why_there_is_no_figure() {
    let one_topic = vec![row("t", found("safe"), vec![label("ada", "safe")])];
    let lonely = section(&one_topic, &asked(safety()));
    let report = only(&lonely);
    let why = |quantity| {
        of(&report.estimates, quantity)
            .not_applicable
            .clone()
            .unwrap()
    };
    assert_eq!(why(Quantity::Recall), "gold holds nothing positive");
    assert_eq!(
        why(Quantity::Precision),
        "the evaluator calls nothing positive"
    );
    assert_eq!(
        why(Quantity::Kappa),
        "one class alone was used, so chance explains everything"
    );
    let specificity = of(&report.estimates, Quantity::Specificity);
    assert_eq!(specificity.value, Some(1.0));
    assert_eq!(specificity.notes, ["no interval: fewer than 8 topics"]);
    assert!(report.error.as_ref().unwrap_err().contains("too few"));

    let unlabelled = section(&[row("t", found("safe"), Vec::new())], &asked(safety()));
    assert_eq!(unlabelled.labelled, 0);
    let agreement = of(&only(&unlabelled).estimates, Quantity::Accuracy);
    assert_eq!(
        agreement.not_applicable.as_deref(),
        Some("no turn has both a label and a verdict")
    );

    let nobody = section(
        &[row("t", None, vec![label("ada", "safe")])],
        &asked(safety()),
    );
    assert!(nobody.evaluators.is_empty());
}

#[test]
fn hidden_repeats_tell_of_oneself_alone() {
    let again = |annotator: &str, name: &str| GivenLabel {
        repeat: 1,
        ..label(annotator, name)
    };
    let rows = vec![
        row(
            "t1",
            found("safe"),
            vec![label("ada", "safe"), again("ada", "safe")],
        ),
        row(
            "t2",
            found("safe"),
            vec![label("ada", "unsafe"), again("ada", "safe")],
        ),
        row(
            "t3",
            found("safe"),
            vec![label("ada", "unsafe"), label("ben", "unsafe")],
        ),
        row("t4", found("safe"), vec![again("ben", "unsafe")]),
    ];
    let section = section(&rows, &asked(safety()));
    assert_eq!(section.labelled, 3);
    let people = &section.people;
    assert_eq!(
        people.labels,
        BTreeMap::from([("ada".to_owned(), 3), ("ben".to_owned(), 1)])
    );
    assert_eq!(people.selves.len(), 1);
    let own = of(&people.selves[0].estimates, Quantity::Agreement);
    assert_eq!((own.value, own.turns), (Some(0.5), 2));
    assert_eq!(people.pairs.len(), 1);
    assert_eq!(of(&people.pairs[0].estimates, Quantity::Agreement).turns, 1);
}

/// With gold of one class kappa is 0 in every resample, but for rounding: that is no certainty.
#[test]
fn kappa_has_no_interval_where_gold_holds_one_class_alone() {
    let rows: Vec<ValidateRow> = (0..20)
        .map(|at| {
            let labels = vec![GivenLabel {
                drawn: drawn("q", 20, 54),
                ..label("ada", "safe")
            }];
            let verdict = if at % 4 == 0 { "unsafe" } else { "safe" };
            ValidateRow {
                session: format!("s-{at}"),
                ..row(&format!("t{}", at % 9), found(verdict), labels)
            }
        })
        .collect();
    let section = section(&rows, &asked(safety()));
    let kappa = of(&only(&section).estimates, Quantity::Kappa);
    assert!(kappa.value.is_some_and(|value| value.abs() < 1e-12));
    assert_eq!(kappa.interval, None);
    let accuracy = of(&only(&section).estimates, Quantity::Accuracy);
    assert!(accuracy.interval.is_some());
}

/// A queue took all 10 turns of one stratum and 10 of the 30 of another. Of the first, 8 are of topics that need
/// hashes: they make a section of their own, but their stratum is labelled to its end all the same.
fn of_two_sections() -> Vec<ValidateRow> {
    let turn = |at: usize, drawn: Option<LabelDraw>, truth: &str| {
        let labels = vec![GivenLabel {
            drawn,
            ..label("ada", truth)
        }];
        row(&format!("t{at}"), found("safe"), labels)
    };
    let flagged = (0..10).map(|at| ValidateRow {
        hash_check: at < 8,
        ..turn(at, drawn("q", 10, 10), "unsafe")
    });
    let others = (10..20).map(|at| turn(at, drawn("q", 10, 30), "safe"));
    flagged.chain(others).collect()
}

#[test]
fn a_section_weighs_its_turns_by_what_the_whole_queue_drew() {
    let rows = of_two_sections();
    let found = compute_validation(&rows, &[], &asked(safety())).unwrap();
    let ordinary = found.sections.iter().find(|one| !one.hash_check).unwrap();
    let accuracy = of(&only(ordinary).estimates, Quantity::Accuracy);
    // 2 wrong ones that stand for themselves, 10 right ones that stand for 30.
    assert!((accuracy.value.unwrap() - 30.0 / 32.0).abs() < 1e-12);
    assert!(matches!(
        &ordinary.basis,
        Basis::Drawn {
            of: 40,
            taken: 20,
            labelled: 12,
            elsewhere: 8,
            ..
        }
    ));
    let table = validation_to_table(&found, 200, ShownEvaluators::All, &|_, _, _| {
        NextLabels::NewQueue("queue-1".to_owned())
    });
    assert!(table.contains("12 of 20 drawn from 40"), "{table}");
    assert!(
        table.contains("8 more of its turns are labelled"),
        "{table}"
    );
    assert!(!table.contains("not labelled to its end"), "{table}");
}

#[test]
fn what_was_not_selected_of_a_queue_counts_as_labelled() {
    let (others, rows): (Vec<_>, Vec<_>) = of_two_sections()
        .into_iter()
        .partition(|row| row.hash_check);
    let others: Vec<Vec<GivenLabel>> = others.into_iter().map(|row| row.labels).collect();
    let accuracy = |elsewhere: &[Vec<GivenLabel>]| {
        let found = compute_validation(&rows, elsewhere, &asked(safety())).unwrap();
        of(&only(&found.sections[0]).estimates, Quantity::Accuracy)
            .value
            .unwrap()
    };
    assert!((accuracy(&others) - 30.0 / 32.0).abs() < 1e-12);
    // Where the rest is not labelled at all, those two stand for the ten.
    assert!((accuracy(&[]) - 30.0 / 40.0).abs() < 1e-12);
}
