use std::collections::BTreeMap;

mod many_vectors;
mod vectors_killed;

use proptest::prelude::*;

use super::fold::MisfitReason;
use super::retrieve::{NEAR_DUPLICATE_SIMILARITY, Retrieval};
use super::text_similarity::split_words;
use super::*;

fn id(name: &str) -> EntryId {
    EntryId(name.to_owned())
}

fn added(name: &str, text: &str) -> MemoryEvent {
    MemoryEvent::EntryAdded {
        id: id(name),
        text: text.to_owned(),
        origin: None,
        batch: None,
        at: "2026-01-01T00:00:00Z".to_owned(),
    }
}

fn entry(name: &str, text: &str, origin: Option<EntryOrigin>) -> MemoryEntry {
    MemoryEntry {
        origins: origin.into_iter().collect(),
        ..MemoryEntry::new(&id(name), text, "2026-01-01T00:00:00Z", "")
    }
}

fn origin(topic_id: &str, topic_text: &str, root: &str) -> EntryOrigin {
    EntryOrigin {
        session: format!("{root}-fork"),
        run: Some("run-1".to_owned()),
        topic_id: topic_id.to_owned(),
        topic_text: topic_text.to_owned(),
        said_before: String::new(),
        root_session: root.to_owned(),
        batch: None,
    }
}

fn asker(topic_text: &str) -> RetrievingDebate<'_> {
    RetrievingDebate {
        topic_id: "asked",
        topic_text,
        said_before: "",
        root_session: "root-of-asker",
        run: Some(("run-1", 3)),
    }
}

fn items(entries: &[MemoryEntry]) -> Vec<RetrievalItem<'_>> {
    let items = entries.iter().map(|entry| RetrievalItem {
        id: &entry.id.0,
        text: &entry.text,
    });
    items.collect()
}

fn ids(retrieved: &Retrieval) -> Vec<&str> {
    retrieved.hits.iter().map(|hit| hit.id.as_str()).collect()
}

#[test]
fn an_edit_replaces_the_text_and_disabling_can_be_taken_back() {
    let at = || "2026-01-02T00:00:00Z".to_owned();
    let events = [
        added("a", "old"),
        added("b", "other"),
        MemoryEvent::EntryEdited {
            id: id("a"),
            text: "new".to_owned(),
            at: at(),
        },
        MemoryEvent::EntryDisabled {
            id: id("a"),
            at: at(),
        },
        MemoryEvent::EntryDisabled {
            id: id("b"),
            at: at(),
        },
        MemoryEvent::EntryEnabled {
            id: id("a"),
            at: at(),
        },
    ];
    let folded = fold_events(&events);
    assert!(folded.misfits.is_empty());
    let (a, b) = (&folded.entries[0], &folded.entries[1]);
    assert_eq!((a.text.as_str(), a.revision, a.disabled), ("new", 1, false));
    assert_eq!((a.at.as_str(), b.disabled), ("2026-01-02T00:00:00Z", true));
}

#[test]
fn an_event_that_does_not_fit_is_reported_and_changes_nothing() {
    let events = [
        added("a", "first"),
        added("a", "second"),
        MemoryEvent::EntryDisabled {
            id: id("nobody"),
            at: String::new(),
        },
    ];
    let folded = fold_events(&events);
    assert_eq!(folded.entries, [entry("a", "first", None)]);
    assert_eq!(
        folded.misfits,
        [
            Misfit {
                journal: String::new(),
                line: 2,
                why: MisfitReason::AddedTwice(id("a"))
            },
            Misfit {
                journal: String::new(),
                line: 3,
                why: MisfitReason::Unknown(id("nobody"))
            },
        ]
    );
}

#[test]
fn an_event_is_one_json_object_with_its_type() {
    let event = added("a", "text");
    let line = serde_json::to_string(&event).unwrap();
    assert_eq!(
        line,
        r#"{"type":"EntryAdded","id":"a","text":"text","at":"2026-01-01T00:00:00Z"}"#
    );
    assert_eq!(serde_json::from_str::<MemoryEvent>(&line).unwrap(), event);
}

#[test]
fn spellings_of_one_word_are_one_word() {
    assert_eq!(
        split_words("Caf\u{e9} CAFE\u{301} ｃａｆ\u{e9}"),
        ["café", "café", "café"]
    );
    assert_eq!(split_words("don't, don’t!"), ["dont", "dont"]);
    assert_eq!(
        split_words("漢字 is 2 words"),
        ["漢", "字", "is", "2", "words"]
    );
}

#[test]
fn bm25_agrees_with_a_case_worked_by_hand() {
    let entries = [
        entry("x", "red fish", None),
        entry("y", "blue bird sings loud", None),
    ];
    let hits = Lexical.rank_items("Red?", &items(&entries), 5).unwrap();
    // N = 2, n = 1: idf = ln 2. Length 2 of a mean of 3: 1.2 · (0.25 + 0.75 · 2 / 3) = 0.9.
    let expected = 2.0_f64.ln() * 2.2 / 1.9;
    assert_eq!(hits.len(), 1);
    assert!((hits[0].score - expected).abs() < 1e-12);
}

#[test]
fn an_entry_without_a_word_of_the_topic_is_not_retrieved() {
    let entries = [
        entry("a", "wash the dishes", None),
        entry("b", "feed the cat", None),
    ];
    let found = retrieve_entries(
        &Lexical,
        &asker("the cat is hungry"),
        &entries,
        LookupLimits::matches_only(DEFAULT_TOP_K, DEFAULT_EXAMPLES),
        &Exclusion::default(),
    )
    .unwrap();
    assert_eq!(ids(&found), ["b"]);
    let none = retrieve_entries(
        &Lexical,
        &asker("the and of"),
        &entries,
        LookupLimits::matches_only(DEFAULT_TOP_K, DEFAULT_EXAMPLES),
        &Exclusion::default(),
    )
    .unwrap();
    assert_eq!(ids(&none), [""; 0]);
}

#[test]
fn equal_scores_are_ordered_by_text_and_then_by_id() {
    let entries = [("a", "words go"), ("z", "go words"), ("c", "words go")]
        .map(|(name, text)| entry(name, text, None));
    let found = retrieve_entries(
        &Lexical,
        &asker("words"),
        &entries,
        LookupLimits::matches_only(3, DEFAULT_EXAMPLES),
        &Exclusion::default(),
    )
    .unwrap();
    assert_eq!(ids(&found), ["z", "a", "c"]);
    let entries = ["c", "a", "b"].map(|name| entry(name, "same words", None));
    let found = retrieve_entries(
        &Lexical,
        &asker("words"),
        &entries,
        LookupLimits::matches_only(2, DEFAULT_EXAMPLES),
        &Exclusion::default(),
    )
    .unwrap();
    assert_eq!(ids(&found), ["a", "b"]);
}

#[test]
fn what_would_leak_is_kept_out_with_the_reason() {
    let topic = "How do I repaint my old garden fence in one day?";
    let nearly = "How do I repaint my old garden gate in one day?";
    let lesson = "garden fence lesson";
    let mut disabled = entry("disabled", lesson, None);
    disabled.disabled = true;
    let mut same_batch = entry("batch", lesson, Some(origin("t1", "else", "r1")));
    same_batch.origins[0].batch = Some(3);
    let mut earlier = entry("earlier", lesson, Some(origin("t2", "else", "r2")));
    earlier.origins[0].batch = Some(2);
    let mut other_run = same_batch.clone();
    other_run.id = id("other-run");
    other_run.origins[0].run = Some("run-0".to_owned());
    let entries = [
        disabled,
        same_batch,
        entry("fork", lesson, Some(origin("t3", "else", "root-of-asker"))),
        entry("id", lesson, Some(origin("asked", "else", "r4"))),
        entry(
            "text",
            lesson,
            Some(origin(
                "t5",
                "HOW do I repaint my old garden fence in one day",
                "r5",
            )),
        ),
        entry("near", lesson, Some(origin("t6", nearly, "r6"))),
        entry("written", lesson, None),
        earlier,
        other_run,
    ];
    let found = retrieve_entries(
        &Lexical,
        &asker(topic),
        &entries,
        LookupLimits::matches_only(9, DEFAULT_EXAMPLES),
        &Exclusion::default(),
    )
    .unwrap();
    assert_eq!(ids(&found), ["earlier", "other-run", "written"]);
    let why: BTreeMap<&str, ExclusionReason> = found
        .excluded
        .iter()
        .map(|e| (e.id.0.as_str(), e.why))
        .collect();
    assert_eq!(why["disabled"], ExclusionReason::Disabled);
    assert_eq!(why["batch"], ExclusionReason::NotEarlierBatch);
    assert_eq!(why["fork"], ExclusionReason::Fork);
    assert_eq!(why["id"], ExclusionReason::SameTopicId);
    assert_eq!(why["text"], ExclusionReason::SameTopicText);
    // 10 pairs each, 8 in common.
    assert_eq!(
        why["near"],
        ExclusionReason::NearDuplicate {
            similarity: 8.0 / 12.0
        }
    );
}

#[test]
fn an_experiment_may_allow_what_is_kept_out_by_default() {
    let entries = [entry(
        "a",
        "fence",
        Some(origin("asked", "fence", "root-of-asker")),
    )];
    let all = Exclusion {
        same_topic: ExclusionRule::Allow,
        near_duplicate: None,
        forks: ExclusionRule::Allow,
    };
    assert_eq!(
        ids(&retrieve_entries(
            &Lexical,
            &asker("fence"),
            &entries,
            LookupLimits::matches_only(5, DEFAULT_EXAMPLES),
            &all
        )
        .unwrap()),
        ["a"]
    );
}

/// BM25 restated without any of the shortcuts.
fn naive(query: &str, entries: &[MemoryEntry]) -> Vec<(f64, String)> {
    let documents: Vec<Vec<String>> = entries.iter().map(|e| split_words(&e.text)).collect();
    let n = documents.len() as f64;
    let mean = documents.iter().map(Vec::len).sum::<usize>() as f64 / n;
    let mut terms = split_words(query);
    terms.sort();
    terms.dedup();
    let mut scored: Vec<(f64, String)> = Vec::new();
    for (entry, document) in entries.iter().zip(&documents) {
        let mut score = 0.0;
        for term in &terms {
            let tf = document.iter().filter(|word| *word == term).count() as f64;
            let df = documents.iter().filter(|d| d.contains(term)).count() as f64;
            let idf = (1.0 + (n - df + 0.5) / (df + 0.5)).ln();
            score += idf * tf * 2.2 / (tf + 1.2 * (0.25 + 0.75 * document.len() as f64 / mean));
        }
        if score > 0.0 {
            scored.push((score, entry.id.0.clone()));
        }
    }
    scored
}

proptest! {
    #[test]
    fn bm25_agrees_with_a_naive_restatement(
        // Words of three letters, none of which is a stop word.
        query in "(ka[a-d] ?){0,6}",
        texts in prop::collection::vec("(ka[a-e] ){0,12}", 0..8),
        k in 0_usize..10,
    ) {
        let entries: Vec<MemoryEntry> = texts
            .iter()
            .enumerate()
            .map(|(at, text)| entry(&format!("e{at}"), text, None))
            .collect();
        let hits = Lexical.rank_items(&query, &items(&entries), k).unwrap();
        let expected = naive(&query, &entries);
        prop_assert_eq!(hits.len(), expected.len().min(k));
        for hit in &hits {
            let own = expected.iter().find(|(_, id)| *id == hit.id).unwrap().0;
            prop_assert!((hit.score - own).abs() < 1e-9);
        }
        let text = |hit: &RetrievalHit| &entries.iter().find(|entry| entry.id.0 == hit.id).unwrap().text;
        for pair in hits.windows(2) {
            let of = |hit| (text(hit), &hit.id);
            prop_assert!(
                pair[0].score > pair[1].score
                    || (pair[0].score == pair[1].score && of(&pair[0]) < of(&pair[1]))
            );
        }
        // Nothing left out is better than the last one taken.
        if let Some(last) = hits.last() {
            let better = expected.iter().filter(|(score, _)| *score > last.score + 1e-9).count();
            prop_assert!(better < hits.len());
        }
    }

    #[test]
    fn nothing_excluded_is_retrieved_whatever_the_texts_are(
        topic in any::<String>(),
        query_words in "[a-c ]{0,12}",
        rows in prop::collection::vec(
            (any::<String>(), "[a-c ]{0,12}", 0_u8..4, 0_u8..3, any::<bool>()),
            0..8,
        ),
        k in 0_usize..6,
    ) {
        let topic = format!("{topic} {query_words}");
        let entries: Vec<MemoryEntry> = rows
            .iter()
            .enumerate()
            .map(|(at, (text, more, topic_id, root, disabled))| {
                let origin = origin(&format!("t{topic_id}"), more, &format!("r{root}"));
                let mut entry = entry(&format!("e{at}"), &format!("{text} {more}"), Some(origin));
                entry.disabled = *disabled;
                entry
            })
            .collect();
        let asker = RetrievingDebate { topic_id: "t0", topic_text: &topic, said_before: "", root_session: "r0", run: None };
        let found = retrieve_entries(&Lexical, &asker, &entries, LookupLimits::matches_only(k, DEFAULT_EXAMPLES), &Exclusion::default()).unwrap();
        prop_assert!(found.hits.len() <= k);
        for hit in &found.hits {
            let entry = entries.iter().find(|entry| entry.id.0 == hit.id).unwrap();
            let origin = &entry.origins[0];
            prop_assert!(hit.score > 0.0);
            prop_assert!(!entry.disabled && origin.topic_id != "t0" && origin.root_session != "r0");
            prop_assert!(compute_similarity(&origin.topic_text, &topic) < NEAR_DUPLICATE_SIMILARITY);
            prop_assert!(found.excluded.iter().all(|excluded| excluded.id.0 != hit.id));
        }
        prop_assert_eq!(
            &found,
            &retrieve_entries(&Lexical, &asker, &entries, LookupLimits::matches_only(k, DEFAULT_EXAMPLES), &Exclusion::default()).unwrap()
        );
    }

    #[test]
    fn similarity_is_symmetric_and_between_none_and_all(a in any::<String>(), b in "[ab ]{0,9}") {
        let both = compute_similarity(&a, &b);
        prop_assert!((0.0..=1.0).contains(&both));
        prop_assert_eq!(both, compute_similarity(&b, &a));
        prop_assert_eq!(compute_similarity(&a, &a), 1.0);
    }
}
