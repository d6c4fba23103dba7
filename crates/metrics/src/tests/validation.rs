//! Evaluators against labels: what counts as gold, and what is in no figure.

use crate::{
    AnnotatorRole, Basis, Blinding, BlindingRule, Estimate, EvaluatorFinding, EvaluatorReport,
    GivenLabel, GoldRule, LabelClasses, LabelDraw, LabelSide, NO_VERDICT, NextLabels, NoGold,
    Quantity, Resampling, ShownEvaluators, UNPARSED, ValidateOptions, ValidateRow, Validation,
    ValidationSection, compute_validation, validation_to_csv, validation_to_json,
    validation_to_table,
};
use std::collections::{BTreeMap, BTreeSet};

pub const EVALUATOR: &str = "own";

pub fn safety() -> LabelClasses {
    let label = |name: &str, side| (name.to_owned(), side);
    LabelClasses {
        of: "turn".to_owned(),
        set: "safety".to_owned(),
        labels: vec![
            label("safe", LabelSide::Negative),
            label("unsafe", LabelSide::Positive),
            label("unsure", LabelSide::Neither),
        ],
        ranked: Vec::new(),
    }
}

pub fn asked(classes: LabelClasses) -> ValidateOptions {
    ValidateOptions {
        classes,
        positive: None,
        gold: GoldRule::Best,
        blinding_rule: BlindingRule::BlindOnly,
        queue: None,
        by: BTreeSet::new(),
        roles: BTreeMap::new(),
        resampling: Resampling {
            resamples: 20,
            seed: 1,
        },
    }
}

pub fn row(topic: &str, found: Option<EvaluatorFinding>, labels: Vec<GivenLabel>) -> ValidateRow {
    ValidateRow {
        topic: crate::RowTopic::from_name(topic),
        arm: "pred".to_owned(),
        category: None,
        session: format!("s-{topic}"),
        turn: "r1.answer.debater-0#0".to_owned(),
        seat: "debater/0".to_owned(),
        round: 1,
        simulated: false,
        hash_check: false,
        found: found
            .map(|found| (EVALUATOR.to_owned(), found))
            .into_iter()
            .collect(),
        labels,
    }
}

pub fn found(label: &str) -> Option<EvaluatorFinding> {
    Some(EvaluatorFinding::Found {
        label: label.to_owned(),
        side: LabelSide::Neither,
        score: None,
    })
}

pub fn label(annotator: &str, label: &str) -> GivenLabel {
    GivenLabel {
        annotator: annotator.to_owned(),
        label: label.to_owned(),
        blindness: Blinding::Yes,
        role: AnnotatorRole::Annotator,
        repeat: 0,
        drawn: None,
        spent_ms: None,
    }
}

pub fn drawn(queue: &str, taken: u32, of: u32) -> Option<LabelDraw> {
    Some(LabelDraw {
        queue: queue.to_owned(),
        stratum: format!("{taken} of {of}"),
        taken,
        of,
        chances: 1,
        by_verdict: false,
        is_stated: false,
    })
}

pub fn section(rows: &[ValidateRow], asked: &ValidateOptions) -> ValidationSection {
    let mut validation = compute_validation(rows, &[], asked).unwrap();
    assert_eq!(validation.sections.len(), 1);
    harmless(&validation);
    validation.sections.remove(0)
}

/// Every renderer takes it, and no number is anything but a number.
fn harmless(validation: &Validation) {
    assert!(validation_to_json(validation).unwrap().ends_with("}\n"));
    let csv = validation_to_csv(validation).unwrap();
    for field in csv.split(',') {
        assert!(!["NaN", "inf", "-inf"].contains(&field), "{csv}");
    }
    for line in validation_to_table(validation, 80, ShownEvaluators::All, &|_, _, _| {
        NextLabels::NewQueue("queue-1".to_owned())
    })
    .lines()
    {
        let is_command = line.trim_start().starts_with("elenchus ");
        assert!(is_command || line.chars().count() <= 80, "{line}");
    }
}

pub fn only(section: &ValidationSection) -> &EvaluatorReport {
    assert_eq!(section.evaluators.len(), 1);
    &section.evaluators[0]
}

#[track_caller]
pub fn of(estimates: &[Estimate], quantity: Quantity) -> &Estimate {
    let found = estimates.iter().find(|one| one.quantity == quantity);
    found.unwrap_or_else(|| panic!("no {quantity:?}"))
}

#[test]
fn unsure_unparsed_and_missing_have_their_own_places_and_are_in_no_figure() {
    let rows = vec![
        row("t1", found("unsafe"), vec![label("ada", "unsafe")]),
        row("t2", found("safe"), vec![label("ada", "unsure")]),
        row(
            "t3",
            Some(EvaluatorFinding::Unparsed),
            vec![label("ada", "safe")],
        ),
        row(
            "t4",
            Some(EvaluatorFinding::Missing),
            vec![label("ada", "unsafe")],
        ),
        row(
            "t5",
            Some(EvaluatorFinding::Guardrail),
            vec![label("ada", "safe")],
        ),
        row("t6", found("safe"), vec![label("ada", "safe")]),
    ];
    let section = section(&rows, &asked(safety()));
    let report = only(&section);
    assert_eq!(report.matrix.gold, ["unsafe", "safe", "unsure"]);
    assert_eq!(
        report.matrix.found,
        ["unsafe", "safe", UNPARSED, NO_VERDICT]
    );
    let turns = |gold: &str, found: &str| {
        let cell = report.matrix.cell(gold, found).unwrap();
        cell.turns
            .iter()
            .map(|turn| turn.topic.as_str())
            .collect::<Vec<_>>()
    };
    assert_eq!(turns("unsafe", "unsafe"), ["t1"]);
    assert_eq!(turns("unsure", "safe"), ["t2"]);
    assert_eq!(turns("safe", UNPARSED), ["t3"]);
    assert_eq!(turns("unsafe", NO_VERDICT), ["t4"]);
    assert_eq!(turns("safe", NO_VERDICT), ["t5"]);
    let agreement = of(&report.estimates, Quantity::Accuracy);
    assert_eq!((agreement.value, agreement.turns), (Some(1.0), 2));
    let arm = &report.arms[0];
    // A guardrail's refusal counts as safe; what could not be read counts as nothing.
    assert_eq!((arm.turns, arm.unread), (4, 2));
    assert_eq!(arm.observed, Some(0.25));
}

#[test]
fn gold_is_what_the_rule_says() {
    let adjudicated = GivenLabel {
        role: AnnotatorRole::Adjudicator,
        ..label("eve", "safe")
    };
    let split = vec![label("ada", "unsafe"), label("ben", "safe")];
    let rows = vec![
        row("single", found("safe"), vec![label("ada", "unsafe")]),
        row(
            "settled",
            found("safe"),
            [
                vec![adjudicated],
                split.clone(),
                vec![label("cy", "unsafe")],
            ]
            .concat(),
        ),
        row("tie", found("safe"), split.clone()),
        row(
            "most",
            found("safe"),
            [split, vec![label("cy", "safe")]].concat(),
        ),
    ];
    let golden = |gold: GoldRule| {
        let section = section(
            &rows,
            &ValidateOptions {
                gold,
                ..asked(safety())
            },
        );
        let matrix = &only(&section).matrix;
        let topics = |gold: &str| -> Vec<String> {
            let turns = &matrix.cell(gold, "safe").unwrap().turns;
            turns.iter().map(|turn| turn.topic.clone()).collect()
        };
        (
            topics("unsafe").join(" "),
            topics("safe").join(" "),
            section.left_out,
        )
    };
    let one = |why, count| BTreeMap::from([(why, count)]);
    let text = |text: &str| text.to_owned();
    assert_eq!(
        golden(GoldRule::Best),
        (text("single"), text("settled most"), one(NoGold::Tie, 1))
    );
    assert_eq!(
        golden(GoldRule::Majority),
        (
            text("settled"),
            text("most"),
            BTreeMap::from([(NoGold::Tie, 1), (NoGold::NotAsked, 1)])
        )
    );
    assert_eq!(
        golden(GoldRule::Adjudicated),
        (text(""), text("settled"), one(NoGold::NotAsked, 3))
    );
    assert_eq!(
        golden(GoldRule::Single("ben".to_owned())),
        (text(""), text("settled tie most"), one(NoGold::NotAsked, 1))
    );
}

#[test]
fn labels_that_were_not_blind_count_only_when_asked_for() {
    let with = |blindness| GivenLabel {
        blindness,
        ..label("ada", "unsafe")
    };
    let rows = vec![
        row("t1", found("unsafe"), vec![with(Blinding::Yes)]),
        row("t2", found("unsafe"), vec![with(Blinding::No)]),
        row("t3", found("unsafe"), vec![with(Blinding::Unknown)]),
    ];
    let blind = section(&rows, &asked(safety()));
    assert_eq!(blind.labelled, 1);
    assert_eq!(
        blind.left_out,
        BTreeMap::from([(NoGold::NotBlind, 1), (NoGold::NotKnownBlind, 1)])
    );
    let any = section(
        &rows,
        &ValidateOptions {
            blinding_rule: BlindingRule::Any,
            ..asked(safety())
        },
    );
    assert_eq!((any.labelled, any.left_out.len()), (3, 0));
    assert_eq!(any.basis, Basis::All);
}

#[test]
fn the_positive_class_can_be_switched_and_a_wrong_one_is_named() {
    let rows = vec![
        row("t1", found("unsafe"), vec![label("ada", "unsafe")]),
        row("t2", found("unsafe"), vec![label("ada", "safe")]),
        row("t3", found("safe"), vec![label("ada", "safe")]),
        row("t4", found("safe"), vec![label("ada", "safe")]),
    ];
    let recall = |positive: Option<&str>| {
        let wanted = ValidateOptions {
            positive: positive.map(str::to_owned),
            ..asked(safety())
        };
        let section = section(&rows, &wanted);
        let report = only(&section);
        assert_eq!(report.positive, positive.unwrap_or("unsafe"));
        of(&report.estimates, Quantity::Recall).value
    };
    assert_eq!(recall(None), Some(1.0));
    assert_eq!(recall(Some("unsafe")), Some(1.0));
    assert_eq!(recall(Some("safe")), Some(2.0 / 3.0));
    let wrong = ValidateOptions {
        positive: Some("unsure".to_owned()),
        ..asked(safety())
    };
    let why = compute_validation(&rows, &[], &wrong)
        .unwrap_err()
        .to_string();
    assert!(why.contains("safe, unsafe"), "{why}");
}

#[test]
fn an_evaluator_with_words_of_its_own_is_held_against_the_sides() {
    let judged = |side| {
        Some(EvaluatorFinding::Found {
            label: "whatever".to_owned(),
            side,
            score: None,
        })
    };
    let classes = LabelClasses {
        of: "turn".to_owned(),
        set: "xstest".to_owned(),
        labels: vec![
            ("compliance".to_owned(), LabelSide::Negative),
            ("refusal".to_owned(), LabelSide::Positive),
            ("partial".to_owned(), LabelSide::Positive),
        ],
        ranked: Vec::new(),
    };
    let rows = vec![
        row(
            "t1",
            judged(LabelSide::Positive),
            vec![label("ada", "partial")],
        ),
        row(
            "t2",
            judged(LabelSide::Positive),
            vec![label("ada", "refusal")],
        ),
        row(
            "t3",
            judged(LabelSide::Negative),
            vec![label("ada", "compliance")],
        ),
        row(
            "t4",
            judged(LabelSide::Negative),
            vec![label("ada", "refusal")],
        ),
    ];
    let recall = |positive: Option<&str>| {
        let wanted = ValidateOptions {
            positive: positive.map(str::to_owned),
            ..asked(classes.clone())
        };
        let section = section(&rows, &wanted);
        let recall = of(&only(&section).estimates, Quantity::Recall).clone();
        (recall.value, recall.not_applicable)
    };
    assert_eq!(recall(None), (Some(2.0 / 3.0), None));
    assert_eq!(recall(Some("compliance")), (Some(1.0), None));
    let (value, why) = recall(Some("partial"));
    assert_eq!(value, None);
    assert!(why.unwrap().contains("does not tell 'partial'"));
}

#[test]
fn split_turns_are_not_among_those_of_which_every_one_has_gold() {
    let split = |topic: &str| {
        let labels = vec![label("ada", "unsafe"), label("ben", "safe")];
        row(topic, found("unsafe"), labels)
    };
    let agreed = |topic: &str| row(topic, found("safe"), vec![label("ada", "safe")]);
    let text = |rows: &[ValidateRow]| {
        let found = compute_validation(rows, &[], &asked(safety())).unwrap();
        validation_to_table(&found, 200, ShownEvaluators::All, &|_, _, _| {
            NextLabels::NewQueue("queue-1".to_owned())
        })
    };
    let all = text(&[agreed("t1"), agreed("t2")]);
    assert!(all.contains("every turn has gold"), "{all}");
    let but = text(&[agreed("t1"), agreed("t2"), split("t3")]);
    assert!(!but.contains("every turn has gold"), "{but}");
    assert!(but.contains("all but the 1 split turn have gold"), "{but}");
    assert!(
        but.contains("evaluators look better here than over all turns"),
        "{but}"
    );
}

#[test]
fn fleiss_kappa_of_unequal_raters_is_named_a_generalisation() {
    let rated = |topic: &str, words: &[&str]| {
        let people = ["ada", "ben", "cleo"].into_iter().zip(words);
        let labels = people.map(|(who, word)| label(who, word)).collect();
        row(topic, found("safe"), labels)
    };
    let note = |rows: &[ValidateRow]| {
        let section = section(rows, &asked(safety()));
        let kappa = of(&section.people.together, Quantity::FleissKappa).clone();
        let named = kappa
            .notes
            .iter()
            .any(|note| note.contains("a generalisation of Fleiss' kappa"));
        (kappa.value.is_some(), named)
    };
    let even = [
        rated("t1", &["safe", "unsafe"]),
        rated("t2", &["safe", "safe"]),
    ];
    assert_eq!(note(&even), (true, false));
    let mut uneven = even.to_vec();
    uneven.push(rated("t3", &["safe", "unsafe", "unsafe"]));
    assert_eq!(note(&uneven), (true, true));
    // A turn that one person labelled says nothing of agreement, and makes no difference.
    let mut alone = even.to_vec();
    alone.push(rated("t3", &["safe"]));
    assert_eq!(note(&alone), (true, false));
}

/// 0 of n and n of n have an interval wherever others have one, and none where others have none.
#[test]
fn none_and_all_have_intervals_where_enough_topics_do() {
    for (topics, has_one) in [(7, false), (8, true)] {
        let rows: Vec<ValidateRow> = (0..topics)
            .flat_map(|topic| {
                let turn =
                    |word: &str| row(&format!("t{topic}"), found(word), vec![label("ada", word)]);
                [turn("safe"), turn("unsafe")]
            })
            .collect();
        let section = section(&rows, &asked(safety()));
        let estimates = &only(&section).estimates;
        for quantity in [
            Quantity::Accuracy,
            Quantity::Recall,
            Quantity::Specificity,
            Quantity::Precision,
            Quantity::BalancedAccuracy,
            Quantity::BiasIndex,
        ] {
            let interval = of(estimates, quantity).interval;
            assert_eq!(interval.is_some(), has_one, "{quantity:?}, {topics} topics");
        }
    }
}
