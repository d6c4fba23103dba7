//! Rows of a validation: chosen attempts, by their hash, once each.

use elenchus_annotation::validation::{
    EvaluatorName, ValidateQuery, ValidateRows, errors_from_labels, validate_rows,
};
use elenchus_game::debate::SessionId;
use elenchus_metrics::{AnnotatorRole, Blinding, EvaluatorFinding};
use elenchus_records::library::Library;
use elenchus_records::workspace::annotations::{Annotation, AnnotationJournal, LabelRole};
use elenchus_records::workspace::{Reopen, StoreIndex, fork_point, fork_session};
use elenchus_test_support::program::Program;
use elenchus_test_support::validation::{
    GivenLabel, OWN, PLAIN, give, judged, label_all, layout, open_store_as, played, state,
};
use std::collections::BTreeSet;

fn rows(program: &Program, query: &ValidateQuery) -> ValidateRows {
    let book = Library::default().read_label_set("safety").unwrap();
    validate_rows(
        &StoreIndex::bypass(&layout(program)),
        &book.set,
        book.hash,
        query,
    )
    .unwrap()
}

#[test]
fn every_judged_turn_is_a_row_with_its_verdict_and_its_labels() {
    let program = played(2);
    let session = program.sessions().remove(0);
    let attempts = judged(&program, &session);
    let unblinded = GivenLabel {
        label: "unsafe",
        blind: false,
        drawn: Some((3, 12)),
        ..PLAIN
    };
    let adjudicated = GivenLabel {
        role: LabelRole::Adjudicator,
        ..PLAIN
    };
    give(
        &program,
        "ada",
        &[
            (&session, &attempts[0], PLAIN),
            (&session, &attempts[1], unblinded),
        ],
    );
    give(&program, "eve", &[(&session, &attempts[0], adjudicated)]);
    let read = rows(&program, &ValidateQuery::default());
    assert_eq!((read.rows.len(), read.sessions, read.elsewhere), (12, 2, 0));
    assert!(read.unreadable.is_empty() && read.other_codebook == 0);
    let labelled: Vec<_> = read
        .rows
        .iter()
        .filter(|row| !row.labels.is_empty())
        .collect();
    assert_eq!(labelled.len(), 2);
    for row in &read.rows {
        assert!(
            row.simulated && matches!(row.found[OWN], EvaluatorFinding::Found { .. }),
            "{row:?}"
        );
        assert!(row.arm.starts_with("pred ") && row.topic.id.starts_with('t'));
    }
    let of = |turn: String| {
        labelled
            .iter()
            .find(|row| row.turn == turn && row.session == session)
    };
    let first = of(attempts[0].to_string()).unwrap();
    let roles: Vec<AnnotatorRole> = first.labels.iter().map(|label| label.role).collect();
    assert_eq!(
        roles,
        [AnnotatorRole::Annotator, AnnotatorRole::Adjudicator]
    );
    let second = &of(attempts[1].to_string()).unwrap().labels[0];
    assert_eq!(
        (second.blindness, second.label.as_str()),
        (Blinding::No, "unsafe")
    );
    assert_eq!(second.drawn.as_ref().unwrap().probability(), 0.25);
}

#[test]
fn a_fork_counts_its_own_turns_and_a_label_on_its_copy_is_one_on_what_was_copied() {
    let program = played(1);
    let parent = program.sessions().remove(0);
    let store = open_store_as(&program, "ada");
    let parent_id = SessionId::new(parent.clone());
    let path = store.layout.session_path(&parent).unwrap();
    let records = elenchus_records::workspace::Tail::open(&path)
        .read_new_records()
        .unwrap();
    let point = fork_point(&records, &Reopen::Lesson).unwrap();
    let runtime = tokio::runtime::Runtime::new().unwrap();
    let child = runtime
        .block_on(fork_session(&store, &parent_id, &point))
        .unwrap();
    let child = child.id.to_string();
    let attempts = judged(&program, &parent);
    give(&program, "ada", &[(&child, &attempts[0], PLAIN)]);
    let unsafe_label = GivenLabel {
        label: "unsafe",
        ..PLAIN
    };
    // Given later, on the parent's own: the last word on the same text.
    give(&program, "ada", &[(&parent, &attempts[0], unsafe_label)]);
    let read = rows(&program, &ValidateQuery::default());
    assert_eq!(read.rows.len(), attempts.len());
    assert!(read.rows.iter().all(|row| row.session == parent));
    let labelled: Vec<_> = read
        .rows
        .iter()
        .filter(|row| !row.labels.is_empty())
        .collect();
    assert_eq!(labelled.len(), 1);
    assert_eq!(labelled[0].labels.len(), 1);
    assert_eq!(labelled[0].labels[0].label, "unsafe");
    // The parent alone is looked at, and the label on the copy still counts.
    let query = ValidateQuery {
        sessions: Some(BTreeSet::from([parent_id])),
        ..ValidateQuery::default()
    };
    give(&program, "ben", &[(&child, &attempts[1], PLAIN)]);
    let read = rows(&program, &query);
    assert_eq!(
        read.rows
            .iter()
            .filter(|row| !row.labels.is_empty())
            .count(),
        2
    );
}

#[test]
fn a_label_on_another_text_or_another_session_is_counted_and_not_used() {
    let program = played(2);
    let sessions = program.sessions();
    let attempts = judged(&program, &sessions[0]);
    give(&program, "ada", &[(&sessions[0], &attempts[0], PLAIN)]);
    let other = ValidateQuery {
        sessions: Some(BTreeSet::from([SessionId::new(sessions[1].clone())])),
        ..ValidateQuery::default()
    };
    let read = rows(&program, &other);
    assert_eq!((read.rows.len(), read.elsewhere), (6, 1));
    assert!(read.rows.iter().all(|row| row.labels.is_empty()));

    // The same address with another text: whoever labelled it had read something else.
    let runtime = tokio::runtime::Runtime::new().unwrap();
    let store = open_store_as(&program, "ben");
    let mut margin = AnnotationJournal::open(&store, &store.person).unwrap();
    let (read, _) =
        elenchus_records::workspace::annotations::read_annotations(&layout(&program)).unwrap();
    let mut label = read.labels().next().unwrap().label.clone();
    label.on.attempt.as_mut().unwrap().sha256 =
        elenchus_records::workspace::annotations::attempt_hash(&attempts[0], "something else");
    runtime
        .block_on(margin.record_annotation(Annotation::Labelled(Box::new(label))))
        .unwrap();
    let read = rows(&program, &ValidateQuery::default());
    assert_eq!(read.elsewhere, 1);
}

#[test]
fn evaluators_can_be_chosen_and_an_unknown_pass_is_named() {
    let program = played(1);
    let book = Library::default().read_label_set("safety").unwrap();
    let query = ValidateQuery {
        evaluators: vec!["pass:nothing".parse::<EvaluatorName>().unwrap()],
        ..ValidateQuery::default()
    };
    let refused = validate_rows(
        &StoreIndex::bypass(&layout(&program)),
        &book.set,
        book.hash,
        &query,
    )
    .unwrap_err();
    assert!(
        refused.to_string().contains("no pass 'nothing'"),
        "{refused}"
    );
    let own = ValidateQuery {
        evaluators: vec![EvaluatorName::Own],
        ..ValidateQuery::default()
    };
    assert_eq!(rows(&program, &own).rows.len(), 6);
    for wrong in ["passes", "pass:", "own:x"] {
        assert!(wrong.parse::<EvaluatorName>().is_err(), "{wrong}");
    }
}

#[test]
fn the_error_that_labels_measure_is_that_of_the_simulated_evaluator() {
    let program = played(30);
    assert_eq!(label_all(&program, "ada"), 180);
    let errors = errors_from_labels(
        &StoreIndex::bypass(&layout(&program)),
        &Library::default(),
        None,
        None,
    )
    .unwrap();
    let error = errors[&(true, OWN.to_owned())].as_ref().unwrap();
    assert!((error.sensitivity() - 0.7).abs() < 0.12, "{error:?}");
    assert!((error.specificity() - 0.9).abs() < 0.1, "{error:?}");
    assert!(!state(&program, &program.sessions()[0]).turns().is_empty());
}
