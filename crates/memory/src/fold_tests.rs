use proptest::prelude::*;

use super::*;

pub(super) fn timestamp(second: u32) -> String {
    format!("2026-01-01T00:00:{second:02}Z")
}

pub(super) fn entry_id(name: &str) -> EntryId {
    EntryId(name.to_owned())
}

fn added_event(name: &str, second: u32) -> MemoryEvent {
    MemoryEvent::EntryAdded {
        id: entry_id(name),
        text: format!("text of {name}"),
        origin: None,
        batch: None,
        at: timestamp(second),
    }
}

fn edited_event(name: &str, text: &str, second: u32) -> MemoryEvent {
    MemoryEvent::EntryEdited {
        id: entry_id(name),
        text: text.to_owned(),
        at: timestamp(second),
    }
}

fn entry_origin(session: &str, batch: Option<u32>) -> EntryOrigin {
    EntryOrigin {
        session: session.to_owned(),
        run: Some("run-1".to_owned()),
        topic_id: format!("topic of {session}"),
        topic_text: format!("what {session} was about"),
        said_before: String::new(),
        root_session: session.to_owned(),
        batch,
    }
}

pub(super) fn fold_all(journals: &[(&str, Vec<MemoryEvent>)]) -> MemoryFold {
    let journals = journals.iter();
    fold_journals(journals.map(|(name, events)| WriterJournal { name, events }))
}

#[test]
fn a_change_in_one_journal_reaches_an_entry_of_another() {
    let memory = fold_all(&[
        // Sorted before the journal that added the entry, and written by a clock that was slow.
        ("a-person", vec![edited_event("x", "better", 1)]),
        ("run", vec![added_event("x", 5)]),
        ("z-person", vec![edited_event("x", "best", 2)]),
    ]);
    assert!(memory.misfits.is_empty());
    let entry = memory.find_entry(&entry_id("x")).unwrap();
    assert_eq!((entry.text.as_str(), entry.revision), ("best", 2));
    let texts: Vec<(String, String)> = entry
        .collect_versions()
        .into_iter()
        .map(|version| (version.text, version.journal))
        .collect();
    let journal_texts = [
        ("text of x", "run"),
        ("better", "a-person"),
        ("best", "z-person"),
    ];
    assert_eq!(
        texts,
        journal_texts.map(|(text, by)| (text.to_owned(), by.to_owned()))
    );
}

#[test]
fn the_lines_of_a_journal_keep_their_order_where_its_clock_went_back() {
    let memory = fold_all(&[
        ("run", vec![added_event("x", 0)]),
        (
            "p",
            vec![
                edited_event("x", "first", 9),
                edited_event("x", "second", 1),
            ],
        ),
        ("q", vec![edited_event("x", "between", 5)]),
    ]);
    let entry = memory.find_entry(&entry_id("x")).unwrap();
    assert_eq!(entry.text, "second");
    assert_eq!(entry.earlier[1].text, "between");
}

#[test]
fn a_merged_lesson_is_an_origin_and_a_name_of_the_entry_it_became_part_of() {
    let merge = MemoryEvent::EntryMerged {
        into: entry_id("x"),
        id: entry_id("lesson"),
        origin: entry_origin("s2", None),
        from_text: "nearly the same".to_owned(),
        at: timestamp(3),
    };
    let again = MemoryEvent::EntryMerged {
        into: entry_id("x"),
        id: entry_id("x"),
        origin: entry_origin("s3", None),
        from_text: String::new(),
        at: timestamp(4),
    };
    let memory = fold_all(&[("run", vec![added_event("x", 0), merge, again])]);
    let entry = memory.find_entry(&entry_id("lesson")).unwrap();
    assert_eq!(entry.id, entry_id("x"));
    assert!(entry.has_id(&entry_id("lesson")));
    assert_eq!(entry.origins, [entry_origin("s2", None)]);
    assert_eq!(entry.merged[0].text, "nearly the same");
    assert_eq!(entry.text, "text of x");
    assert_eq!(memory.misfits.len(), 1);
    assert_eq!(memory.misfits[0].line, 3);
}

#[test]
fn what_is_deleted_can_be_restored_and_disabling_is_kept_apart() {
    let delete = MemoryEvent::EntryDeleted {
        id: entry_id("x"),
        at: timestamp(2),
    };
    let disable = MemoryEvent::EntryDisabled {
        id: entry_id("x"),
        at: timestamp(1),
    };
    let restore = MemoryEvent::EntryRestored {
        id: entry_id("x"),
        at: timestamp(3),
    };
    let all = [added_event("x", 0), disable, delete, restore];
    let standing = |count: usize| {
        let memory = fold_all(&[("run", all[..count].to_vec())]);
        memory.entries[0].availability()
    };
    assert_eq!(standing(1), EntryStatus::Live);
    assert_eq!(standing(2), EntryStatus::Disabled);
    assert_eq!(standing(3), EntryStatus::Deleted);
    assert_eq!(standing(4), EntryStatus::Disabled);
}

#[test]
fn lines_of_earlier_versions_are_read_with_their_batch_in_the_origin() {
    let line = r#"{"type":"EntryAdded","id":"a","text":"t","origin":{"session":"s","run":"r","topic_id":"1","topic_text":"x","root_session":"s"},"batch":4,"at":"2026-01-01T00:00:00Z"}"#;
    let event: MemoryEvent = serde_json::from_str(line).unwrap();
    let memory = fold_events(std::slice::from_ref(&event));
    assert_eq!(memory.entries[0].origins[0].batch, Some(4));
    // Written again it is the same line.
    assert_eq!(serde_json::to_string(&event).unwrap(), line);
}

#[test]
fn one_origin_that_is_kept_from_the_asker_keeps_the_entry_from_it() {
    let entry = |origins: Vec<EntryOrigin>| {
        let mut entry = fold_events(&[added_event("x", 0)]).entries.remove(0);
        entry.text = "words in common".to_owned();
        entry.origins = origins;
        entry
    };
    let asker = RetrievingDebate {
        topic_id: "asked",
        topic_text: "words in common",
        said_before: "",
        root_session: "root",
        run: Some(("run-1", 3)),
    };
    let ask = |origins| {
        let all = Exclusion::default();
        retrieve_entries(
            &Lexical,
            &asker,
            &[entry(origins)],
            LookupLimits::matches_only(5, DEFAULT_EXAMPLES),
            &all,
        )
        .unwrap()
    };
    let mut own = entry_origin("own", Some(1));
    own.topic_id = "asked".to_owned();
    let retrieval = ask(vec![entry_origin("other", Some(0)), own.clone()]);
    assert!(retrieval.hits.is_empty());
    assert_eq!(retrieval.excluded[0].why, ExclusionReason::SameTopicId);
    assert_eq!(retrieval.excluded[0].origin.as_deref(), Some("own"));
    // Merges of this batch or a later one are not visible to the asker yet.
    own.batch = Some(3);
    let retrieval = ask(vec![entry_origin("other", Some(0)), own]);
    assert_eq!(retrieval.hits.len(), 1);
    let retrieval = ask(vec![
        entry_origin("later", Some(3)),
        entry_origin("other", Some(0)),
    ]);
    assert_eq!(retrieval.excluded[0].why, ExclusionReason::NotEarlierBatch);
}

#[test]
fn an_event_changes_no_entry_of_the_other_kind() {
    let (id, at) = (|| entry_id("x"), || timestamp(2));
    let memory = fold_all(&[(
        "run",
        vec![
            added_event("x", 1),
            MemoryEvent::GuardDisabled { id: id(), at: at() },
            MemoryEvent::GuardRejected { id: id(), at: at() },
        ],
    )]);
    assert!(!memory.entries[0].disabled);
    assert_eq!(memory.misfits.len(), 2);
}

#[test]
fn a_lesson_and_a_guardrail_are_written_with_the_fields_of_their_kind() {
    let text = GuardText {
        intent: "open".to_owned(),
        examples: vec!["how".to_owned()],
    };
    let proposal = MemoryEvent::GuardProposed {
        id: entry_id("g"),
        text: text.clone(),
        origin: None,
        derived: None,
        at: timestamp(2),
    };
    let edit = MemoryEvent::GuardEdited {
        id: entry_id("g"),
        text,
        at: timestamp(3),
    };
    let memory = fold_all(&[("run", vec![added_event("x", 1), proposal, edit])]);
    let lines: Vec<String> = memory
        .entries
        .iter()
        .map(|entry| serde_json::to_string(entry).unwrap())
        .collect();
    assert_eq!(
        lines,
        [
            r#"{"id":"x","text":"text of x","at":"2026-01-01T00:00:01Z","journal":"run","revision":0,"disabled":false,"deleted":false}"#,
            r#"{"id":"g","intent":"open","examples":["how"],"origins":[],"merged":[],"standing":"proposed","revision":1,"disabled":false,"deleted":false,"at":"2026-01-01T00:00:03Z","versions":[{"revision":0,"text":{"intent":"open","examples":["how"]},"at":"2026-01-01T00:00:02Z"}],"derived":null,"tests":[]}"#,
        ]
    );
}

fn any_event() -> impl Strategy<Value = MemoryEvent> {
    let name = prop::sample::select(vec!["a", "b", "c"]);
    (0_u8..12, name, 0_u32..9, "[x-z]").prop_map(|(kind, name, second, text)| {
        let (id, at) = (entry_id(name), timestamp(second));
        match kind {
            0 => MemoryEvent::EntryAdded {
                id,
                text,
                origin: None,
                batch: None,
                at,
            },
            1 => MemoryEvent::EntryEdited { id, text, at },
            2 => MemoryEvent::EntryDisabled { id, at },
            3 => MemoryEvent::EntryEnabled { id, at },
            4 => MemoryEvent::EntryDeleted { id, at },
            5 => MemoryEvent::EntryRestored { id, at },
            6 => MemoryEvent::GuardProposed {
                id,
                text: GuardText {
                    intent: text.clone(),
                    examples: vec![format!("how {text}")],
                },
                origin: Some(entry_origin(&text, Some(second))),
                derived: None,
                at,
            },
            7 => MemoryEvent::GuardEdited {
                id,
                text: GuardText {
                    intent: text,
                    examples: Vec::new(),
                },
                at,
            },
            8 => MemoryEvent::GuardAccepted {
                id,
                how: GuardAcceptance::ByHand,
                batch: None,
                at,
            },
            9 => MemoryEvent::GuardDeleted { id, at },
            10 => MemoryEvent::GuardRejected { id, at },
            _ => MemoryEvent::EntryMerged {
                into: id,
                id: EntryId(format!("lesson {text}")),
                origin: entry_origin(&text, None),
                from_text: text,
                at,
            },
        }
    })
}

proptest! {
    #[test]
    fn the_order_in_which_journals_are_read_does_not_matter(
        one in prop::collection::vec(any_event(), 0..8),
        two in prop::collection::vec(any_event(), 0..8),
        three in prop::collection::vec(any_event(), 0..8),
    ) {
        let forth = [("1", one.clone()), ("2", two.clone()), ("3", three.clone())];
        let back = [("3", three), ("2", two), ("1", one)];
        let memory = fold_all(&forth);
        prop_assert_eq!(&memory, &fold_all(&back));
        // Every line either fits or is reported.
        let lines: usize = forth.iter().map(|(_, events)| events.len()).sum();
        prop_assert!(memory.misfits.len() <= lines);
        for entry in &memory.entries {
            prop_assert_eq!(entry.earlier.len(), entry.revision as usize);
            prop_assert_eq!(memory.find_entry(&entry.id), Some(entry));
        }
    }
}
