//! Journals of annotators: labels, notes, tags and names.

use crate::tests::simulated::{SimulatedStore, plan};
use elenchus_game::debate::{AttemptId, SessionId, TurnId};
use elenchus_records::workspace::WorkspaceError;
use elenchus_records::workspace::annotations::{
    Annotation, AnnotationEvent, AnnotationId, AnnotationJournal, AnnotationTarget, Annotations,
    Blindness, Label, LabelRole, QueueDraw, Unblinding, annotator_name, read_annotations,
};
use elenchus_records::workspace::{Reopen, fork_point, fork_session};
use elenchus_store::StoreError;
use proptest::prelude::*;
use std::collections::BTreeSet;
use std::io::Write;

fn open(store: &SimulatedStore, person: &str) -> Result<AnnotationJournal, WorkspaceError> {
    let store_context = &store.store;
    AnnotationJournal::open(store_context, person)
}

fn session() -> SessionId {
    SessionId::new("s1")
}

fn note(text: &str) -> Annotation {
    Annotation::Noted {
        on: AnnotationTarget::from_session(session()),
        text: text.to_owned(),
    }
}

fn tag(tag: &str) -> Annotation {
    Annotation::Tagged {
        session: session(),
        tag: tag.to_owned(),
    }
}

fn name(name: Option<&str>) -> Annotation {
    Annotation::Named {
        session: session(),
        name: name.map(str::to_owned),
    }
}

#[tokio::test]
async fn notes_tags_and_names_are_there_again_after_closing() {
    let store = SimulatedStore::new();
    let mut book = open(&store, "ada").unwrap();
    book.record_annotation(note("Odd.")).await.unwrap();
    book.record_annotation(tag(" odd ")).await.unwrap();
    book.record_annotation(tag("rare")).await.unwrap();
    let untagged = Annotation::Untagged {
        session: session(),
        tag: "rare".to_owned(),
    };
    book.record_annotation(untagged).await.unwrap();
    book.record_annotation(name(Some("The odd one")))
        .await
        .unwrap();
    let written = book.annotations().clone();
    drop(book);
    let (read, unread) = read_annotations(&store.store.layout).unwrap();
    assert!(unread.is_empty(), "{unread:?}");
    assert_eq!(read, written);
    assert_eq!(open(&store, "ada").unwrap().annotations(), &written);
    assert_eq!(read.session_tags(&session()), ["odd"]);
    assert_eq!(read.session_name(&session()), Some("The odd one"));
    let on = session();
    let notes: Vec<_> = read.session_notes(&on).collect();
    assert_eq!(notes[0].text, "Odd.");
    assert_eq!(notes[0].annotator, "ada");
    assert_eq!(read.session_notes(&SessionId::new("s2")).count(), 0);
}

#[tokio::test]
async fn undoing_takes_back_one_mark_after_another_and_can_be_undone() {
    let store = SimulatedStore::new();
    let mut book = open(&store, "ada").unwrap();
    book.record_annotation(name(Some("first"))).await.unwrap();
    book.record_annotation(name(Some("second"))).await.unwrap();
    book.record_annotation(name(None)).await.unwrap();
    let called = |book: &AnnotationJournal| {
        book.annotations()
            .session_name(&session())
            .map(str::to_owned)
    };
    assert_eq!(called(&book), None);
    book.undo_last().await.unwrap();
    assert_eq!(called(&book).as_deref(), Some("second"));
    let undone = book.undo_last().await.unwrap().unwrap();
    assert_eq!(called(&book).as_deref(), Some("first"));
    book.record_annotation(Annotation::Retracted { of: undone })
        .await
        .unwrap();
    assert_eq!(called(&book).as_deref(), Some("second"));
    book.undo_last().await.unwrap();
    book.undo_last().await.unwrap();
    assert_eq!(called(&book), None);
    assert_eq!(book.undo_last().await.unwrap(), None);
}

#[tokio::test]
async fn a_second_process_of_the_same_person_is_told_who_writes_and_others_go_on() {
    let store = SimulatedStore::new();
    let mut ada = open(&store, "ada").unwrap();
    ada.record_annotation(tag("hers")).await.unwrap();
    let refused = open(&store, "ada").unwrap_err();
    assert!(matches!(
        refused,
        WorkspaceError::Store(StoreError::Locked { .. })
    ));
    let who = format!("process {}", std::process::id());
    assert!(refused.to_string().contains(&who), "{refused}");
    let mut ben = open(&store, "ben").unwrap();
    ben.record_annotation(tag("his")).await.unwrap();
    let (all, _) = read_annotations(&store.store.layout).unwrap();
    assert_eq!(all.session_tags(&session()), ["hers", "his"]);
    let of = ben.record_annotation(tag("more")).await.unwrap();
    let refused = ada
        .record_annotation(Annotation::Retracted { of })
        .await
        .unwrap_err();
    assert!(
        refused.to_string().contains("no such annotation"),
        "{refused}"
    );
}

#[tokio::test]
async fn nothing_empty_or_endless_is_written() {
    let store = SimulatedStore::new();
    let mut book = open(&store, "ada").unwrap();
    let long = "x".repeat(2 << 20);
    for mark in [
        note(" \n"),
        note(&long),
        tag(" "),
        tag(&long),
        name(Some("")),
    ] {
        assert!(book.record_annotation(mark).await.is_err());
    }
    assert_eq!(book.annotations().all_notes().count(), 0);
}

#[tokio::test]
async fn an_attempt_has_the_same_hash_in_a_fork_and_another_one_after_an_edit() {
    let store = SimulatedStore::new();
    let parent = store.played(&plan("pred")).await;
    let point = fork_point(&store.records(&parent), &Reopen::Lesson).unwrap();
    let child = fork_session(&store.store, &parent, &point).await.unwrap();
    let id = AttemptId {
        turn: TurnId::try_from("r1.answer.debater-0".to_owned()).unwrap(),
        attempt: 0,
    };
    let spot = |session: &SessionId, id: &AttemptId| {
        AnnotationTarget::from_attempt(session.clone(), &store.state(session), id)
    };
    let (here, there) = (spot(&parent, &id).unwrap(), spot(&child.id, &id).unwrap());
    assert_eq!(here.attempt, there.attempt);
    let other = AttemptId {
        turn: TurnId::try_from("r2.answer.debater-0".to_owned()).unwrap(),
        ..id.clone()
    };
    let other_spot = spot(&parent, &other).unwrap();
    assert_ne!(
        here.attempt.unwrap().sha256,
        other_spot.attempt.unwrap().sha256
    );
    assert_eq!(spot(&parent, &AttemptId { attempt: 7, ..id }), None);
}

#[tokio::test]
async fn what_a_later_version_wrote_is_passed_over_in_reading_and_nothing_is_added_to_it() {
    let store = SimulatedStore::new();
    let mut book = open(&store, "ada").unwrap();
    book.record_annotation(tag("kept")).await.unwrap();
    drop(book);
    let path = store.store.layout.notes_path("ada").unwrap();
    let head = elenchus_store::read_head(&path).unwrap();
    let mut file = std::fs::OpenOptions::new()
        .append(true)
        .open(&path)
        .unwrap();
    writeln!(
        file,
        r#"{{"prev":"{}","at":"2026-01-01T00:00:00Z","by":"person:ada","event":{{"type":"sung","id":"x"}}}}"#,
        head.hash
    )
    .unwrap();
    let (read, unread) = read_annotations(&store.store.layout).unwrap();
    assert_eq!(read.session_tags(&session()), ["kept"]);
    assert_eq!(unread[0].annotator, "ada");
    assert!(unread[0].why.contains("newer elenchus"), "{unread:?}");
    let refused = open(&store, "ada").unwrap_err();
    assert!(refused.to_string().contains("'sung'"), "{refused}");
}

#[test]
fn every_person_can_write_whatever_they_are_called() {
    let store = SimulatedStore::new();
    assert_eq!(annotator_name("ada"), "ada");
    assert_eq!(annotator_name(" Ada Lovelace "), "Ada Lovelace");
    for person in ["", "../up", "Zoë", &"x".repeat(500)] {
        open(&store, person).unwrap();
    }
}

/// What stands, by the definition: from the last mark back, whatever a standing mark retracts is
/// gone; of labels on one store the last one stands.
fn standing_by_definition(did: &[AnnotationEvent]) -> Vec<(String, String)> {
    let mut gone: Vec<AnnotationId> = Vec::new();
    let mut labels: Vec<(String, String)> = Vec::new();
    for event in did.iter().rev() {
        if gone.contains(&event.id) {
            continue;
        }
        match &event.mark {
            Annotation::Retracted { of } => gone.push(of.clone()),
            Annotation::Labelled(label) => {
                let store = label.on.session.to_string();
                if !labels.iter().any(|(known, _)| *known == store) {
                    labels.push((store, label.label.clone()));
                }
            }
            _ => {}
        }
    }
    labels.sort();
    labels
}

fn label_on(store: usize, word: usize) -> Annotation {
    Annotation::Labelled(Box::new(Label {
        on: AnnotationTarget::from_session(SessionId::new(format!("s{store}"))),
        set: "safety".to_owned(),
        codebook: elenchus_store::Hash::ZERO,
        label: format!("word {word}"),
        category: None,
        strength: None,
        note: None,
        flagged: false,
        drawn: None,
        blind: Blindness::Blind,
        role: LabelRole::Annotator,
        repeat: 0,
        spent_ms: None,
        source: None,
        marks_cut: false,
    }))
}

proptest! {
    #[test]
    fn marks_taken_one_by_one_leave_what_the_definition_says(
        steps in prop::collection::vec((0_usize..3, 0_usize..3, 0_usize..40), 1..40)
    ) {
        let mut annotations = Annotations::default();
        let mut did: Vec<AnnotationEvent> = Vec::new();
        for (at, (kind, store, which)) in steps.into_iter().enumerate() {
            let mark = match kind {
                0 if !did.is_empty() => Annotation::Retracted { of: did[which % did.len()].id.clone() },
                _ => label_on(store, at),
            };
            let event = AnnotationEvent { id: AnnotationId::new(format!("m{at}")), mark };
            did.push(event.clone());
            annotations.add_events("ada", [(format!("t{at:03}"), event)]);
            let mut standing: Vec<(String, String)> = annotations
                .labels()
                .map(|it| (it.label.on.session.to_string(), it.label.label.clone()))
                .collect();
            standing.sort();
            prop_assert_eq!(&standing, &standing_by_definition(&did));
            let order: Vec<&str> = annotations.labels().map(|it| it.at.as_str()).collect();
            prop_assert!(order.is_sorted(), "{order:?}");
        }
    }
}

#[tokio::test]
async fn what_a_person_was_shown_they_cannot_take_back() {
    let store = SimulatedStore::new();
    let mut book = open(&store, "ada").unwrap();
    let saw = BTreeSet::from([Unblinding::Verdict]);
    let shown = Annotation::Unblinded {
        session: session(),
        saw: saw.clone(),
    };
    let of = book.record_annotation(shown).await.unwrap();
    assert_eq!(book.undo_last().await.unwrap(), None);
    let refused = book
        .record_annotation(Annotation::Retracted { of })
        .await
        .unwrap_err();
    assert!(
        refused.to_string().contains("cannot be retracted"),
        "{refused}"
    );
    assert_eq!(book.annotations().unblindings("ada", &session()), saw);
}

#[test]
fn a_turn_of_two_pairs_is_likelier_to_be_drawn_than_either() {
    let drawn = |chances| QueueDraw {
        queue: "q".to_owned(),
        stratum: "all".to_owned(),
        taken: 3,
        of: 10,
        chances,
        by_verdict: false,
        is_stated: false,
    };
    assert_eq!(drawn(1).probability(), 0.3);
    // Neither of two of ten pairs is among three: 8/10 · 7/9 · 6/8 = 7/15.
    assert!((drawn(2).probability() - 8.0 / 15.0).abs() < 1e-12);
    let all = QueueDraw {
        taken: 10,
        ..drawn(2)
    };
    assert_eq!(all.probability(), 1.0);
}
