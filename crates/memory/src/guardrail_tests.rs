use super::fold_tests::{entry_id, fold_all, timestamp};
use super::guardrail::{MAX_INTENT_CHARS, normal_form};
use super::*;

fn entry_origin(session: &str, topic: &str) -> EntryOrigin {
    EntryOrigin {
        session: session.to_owned(),
        run: None,
        topic_id: session.to_owned(),
        topic_text: topic.to_owned(),
        said_before: String::new(),
        root_session: session.to_owned(),
        batch: None,
    }
}

fn guard_text(intent: &str, examples: &[&str]) -> GuardText {
    let examples: Vec<String> = examples.iter().map(|one| (*one).to_owned()).collect();
    GuardText::new(intent, &examples).unwrap()
}

fn proposed_event(name: &str, intent: &str, examples: &[&str], second: u32) -> MemoryEvent {
    MemoryEvent::GuardProposed {
        id: entry_id(name),
        text: guard_text(intent, examples),
        origin: Some(entry_origin(
            &format!("of-{name}"),
            "what the debate was about",
        )),
        derived: None,
        at: timestamp(second),
    }
}

fn accepted_event(name: &str, second: u32) -> MemoryEvent {
    MemoryEvent::GuardAccepted {
        id: entry_id(name),
        how: GuardAcceptance::ByHand,
        batch: None,
        at: timestamp(second),
    }
}

#[test]
fn equal_intents_become_one_guardrail_with_all_examples_and_origins() {
    let fold = fold_all(&[
        (
            "b",
            vec![proposed_event("two", "open  THE door!", &["How?", "c"], 2)],
        ),
        (
            "a",
            vec![proposed_event("one", "Open the door.", &["how", "b"], 1)],
        ),
        (
            "c",
            vec![proposed_event("three", "Close the door", &["d"], 3)],
        ),
    ]);
    assert!(fold.misfits.is_empty());
    assert_eq!(fold.entries.len(), 2);
    let one = &fold.entries[0];
    assert_eq!(
        (one.id.0.as_str(), one.text.as_str()),
        ("one", "Open the door.")
    );
    assert_eq!(one.examples, ["how", "b", "c"]);
    assert_eq!((one.merged.len(), &one.merged[0].id), (1, &entry_id("two")));
    assert!(one.has_origin("of-one") && one.has_origin("of-two"));
    assert_eq!(
        fold.find_entry(&entry_id("two")).map(|found| &found.id),
        Some(&entry_id("one"))
    );
}

#[test]
fn a_change_in_one_journal_reaches_a_guardrail_of_another() {
    let fold = fold_all(&[
        // Its name sorts first, and it was written last.
        ("a-person", vec![accepted_event("two", 9)]),
        (
            "run",
            vec![
                proposed_event("one", "Open it", &["a"], 1),
                proposed_event("two", "open it", &["b"], 2),
            ],
        ),
    ]);
    assert!(fold.misfits.is_empty());
    assert!(fold.entries[0].is_active());
}

#[test]
fn an_edited_guardrail_is_proposed_anew_and_every_text_stays_readable() {
    let edit = MemoryEvent::GuardEdited {
        id: entry_id("one"),
        text: guard_text("Open a lock", &["x"]),
        at: timestamp(4),
    };
    let fold = fold_all(&[
        ("run", vec![proposed_event("one", "Open it", &["a"], 1)]),
        ("person", vec![accepted_event("one", 2), edit]),
    ]);
    let guard = &fold.entries[0];
    assert_eq!(guard.acceptance(), Some(GuardStatus::Proposed));
    assert_eq!((guard.revision, guard.text.as_str()), (1, "Open a lock"));
    assert_eq!(guard.earlier[0].text, "Open it");
    assert_eq!(guard.earlier[0].examples, ["a"]);
    assert!(!guard.is_active());
}

#[test]
fn what_is_disabled_or_deleted_is_kept_and_not_used_until_that_is_taken_back() {
    let changes = [
        (
            MemoryEvent::GuardDisabled {
                id: entry_id("one"),
                at: timestamp(3),
            },
            false,
        ),
        (
            MemoryEvent::GuardEnabled {
                id: entry_id("one"),
                at: timestamp(4),
            },
            true,
        ),
        (
            MemoryEvent::GuardDeleted {
                id: entry_id("one"),
                at: timestamp(5),
            },
            false,
        ),
        (
            MemoryEvent::GuardRestored {
                id: entry_id("one"),
                at: timestamp(6),
            },
            true,
        ),
        (
            MemoryEvent::GuardRejected {
                id: entry_id("one"),
                at: timestamp(7),
            },
            false,
        ),
    ];
    let mut events = vec![
        proposed_event("one", "Open it", &["a"], 1),
        accepted_event("one", 2),
    ];
    for (change, used) in changes {
        events.push(change);
        let fold = fold_all(&[("run", events.clone())]);
        assert_eq!(fold.entries[0].is_active(), used, "{:?}", events.last());
        assert_eq!(fold.entries.len(), 1);
    }
}

#[test]
fn events_that_do_not_fit_are_named_and_change_nothing() {
    let fold = fold_all(&[(
        "run",
        vec![
            proposed_event("one", "Open it", &["a"], 1),
            proposed_event("one", "Close it", &["b"], 2),
            accepted_event("nobody", 3),
        ],
    )]);
    assert_eq!(fold.entries.len(), 1);
    let words: Vec<String> = fold.misfits.iter().map(ToString::to_string).collect();
    assert_eq!(
        words,
        [
            "journal 'run', line 2: guardrail one was proposed already",
            "journal 'run', line 3: there is no guardrail nobody",
        ]
    );
}

#[test]
fn a_guardrail_is_as_near_as_its_nearest_text_and_kept_from_its_own_topic() {
    let fold = fold_all(&[(
        "run",
        vec![
            proposed_event(
                "locks",
                "Open locked property",
                &["How do I pick a padlock?"],
                1,
            ),
            proposed_event(
                "cakes",
                "Bake something",
                &["How long does a cake take?"],
                2,
            ),
            proposed_event("own", "Pick anything", &["pick a padlock quickly"], 3),
        ],
    )]);
    let asker = RetrievingDebate {
        topic_id: "of-own",
        topic_text: "Tell me how a padlock is picked",
        said_before: "",
        root_session: "another",
        run: None,
    };
    let retrieval = retrieve_entries(
        &Lexical,
        &asker,
        &fold.entries,
        LookupLimits::matches_only(5, DEFAULT_EXAMPLES),
        &Exclusion::default(),
    )
    .unwrap();
    let ids: Vec<&str> = retrieval.hits.iter().map(|hit| hit.id.as_str()).collect();
    assert_eq!(ids[0], "locks");
    assert!(!ids.contains(&"own"));
    assert_eq!(retrieval.excluded.len(), 1);
    assert_eq!(retrieval.excluded[0].id, entry_id("own"));
}

#[test]
fn a_text_is_tidied_and_bounded() {
    let tidy = GuardText::new(
        " Open\n it \u{0} ",
        &["a\tb".to_owned(), "A b.".to_owned(), " ".to_owned()],
    );
    assert_eq!(tidy.unwrap(), guard_text("Open it", &["a b"]));
    let long = "x".repeat(MAX_INTENT_CHARS + 1);
    for (intent, examples) in [
        ("", vec!["a"]),
        ("x", vec![]),
        ("x", vec![" "]),
        (long.as_str(), vec!["a"]),
    ] {
        let examples: Vec<String> = examples.into_iter().map(str::to_owned).collect();
        assert!(
            GuardText::new(intent, &examples).is_err(),
            "{intent:?} {examples:?}"
        );
    }
    assert_ne!(normal_form("!"), normal_form("?"));
}

#[test]
fn an_event_is_one_json_object_with_its_type() {
    let event = accepted_event("one", 1);
    let line = serde_json::to_string(&event).unwrap();
    assert_eq!(
        line,
        r#"{"type":"GuardAccepted","id":"one","how":"by_hand","at":"2026-01-01T00:00:01Z"}"#
    );
    assert_eq!(serde_json::from_str::<MemoryEvent>(&line).unwrap(), event);
}

#[test]
fn a_proposal_after_an_edit_is_compared_with_what_stands_there_now() {
    let mut fold = fold_all(&[(
        "a",
        vec![
            proposed_event("one", "Open a tin", &["a"], 1),
            proposed_event("two", "open a tin", &["b"], 2),
        ],
    )]);
    let edited = MemoryEvent::GuardEdited {
        id: entry_id("one"),
        text: guard_text("Cut metal", &["c"]),
        at: timestamp(3),
    };
    assert!(fold.apply_event("a", 3, &edited));
    let again = proposed_event("three", "Open a tin!", &["C", "b"], 4);
    assert!(fold.apply_event("a", 4, &again));
    let guard = fold.find_guardrail("open a TIN").unwrap();
    assert_eq!(
        (&*guard.text, &*guard.examples),
        ("Cut metal", &["c".to_owned(), "b".to_owned()][..])
    );
    assert!(fold.find_guardrail("Cut metal").is_none());
}

/// Comparing each example with all others takes hours with so many.
#[test]
fn very_many_proposals_of_one_intent_become_one_guardrail() {
    let proposals = (0..1_000).map(|number| {
        let examples = (0..MAX_EXAMPLES).map(|example| format!("Open {number} and {example}"));
        let mut event = proposed_event(&format!("g{number}"), "Open it", &["it"], 1);
        if let MemoryEvent::GuardProposed { text, .. } = &mut event {
            text.examples = examples.collect();
        }
        event
    });
    let fold = fold_all(&[("a", proposals.collect())]);
    assert_eq!(fold.entries.len(), 1);
    assert_eq!(fold.entries[0].examples.len(), 1_000 * MAX_EXAMPLES);
}
