//! The hash chain: lines are read as they were written, and every change is named.

use serde::{Deserialize, Serialize};
use std::fs;

use crate::{
    Hash, JournalType, Journals, LostHead, MAX_LINE_BYTES, ReadLine, StoreError, SyncPool,
    TailKind, TailNotice, TailTreatment, holder_of, is_current, read_head, read_journal,
    read_prefix, verify_journal,
};

use super::harness::{AT, LaterEvent, TestEvent, folder, journal, pool, spoke, texts, texts_of};

#[tokio::test]
async fn a_line_is_the_documented_json_and_holds_the_hash_of_the_line_before() {
    let folder = folder();
    let path = folder.path().join("a.jsonl");
    journal(&path, &["yes", "no\nnever"]).await;
    let file = fs::read_to_string(&path).unwrap();
    let first = format!(
        r#"{{"prev":"{}","journal":{{"kind":"test","format":1}},"at":"{AT}","by":"ana","event":{{"type":"spoke","text":"yes"}}}}"#,
        "0".repeat(64)
    ) + "\n";
    let second = format!(
        r#"{{"prev":"{}","at":"{AT}","by":"ana","event":{{"type":"spoke","text":"no\nnever"}}}}"#,
        Hash::digest(first.as_bytes())
    ) + "\n";
    assert_eq!(file, first + &second);
}

#[tokio::test]
async fn a_journal_is_read_back_and_verifies_with_every_head_that_was_handed_out() {
    let folder = folder();
    let path = folder.path().join("a.jsonl");
    let heads = journal(&path, &["one", "two", "three"]).await;
    let read = read_journal::<TestEvent>(&path).unwrap();
    assert_eq!(texts_of(&read.lines), ["one", "two", "three"]);
    assert_eq!(Some(&read.head), heads.last());
    assert_eq!(read.notices, []);
    assert_eq!(read_head(&path).unwrap(), read.head);
    let verification = verify_journal(&path, &heads).unwrap();
    assert!(verification.is_sound());
    assert_eq!(verification.head, read.head);
}

#[tokio::test]
async fn every_changed_bit_is_found_and_named_by_its_line() {
    let folder = folder();
    let path = folder.path().join("a.jsonl");
    let heads = journal(&path, &["one", "two two", "three"]).await;
    let original = fs::read(&path).unwrap();
    let copy = folder.path().join("copy.jsonl");
    for index in 0..original.len() {
        let line = 1 + original[..index].iter().filter(|b| **b == b'\n').count() as u64;
        for bit in 0..8 {
            let mut changed = original.clone();
            changed[index] ^= 1 << bit;
            fs::write(&copy, &changed).unwrap();

            let found = verify_journal(&copy, &heads).unwrap();
            let named = match (&found.broken, found.lost.as_slice()) {
                (Some(broken), _) => broken.line_no,
                (None, [LostHead::Changed { known, .. } | LostHead::Tail { known, .. }]) => {
                    known.lines
                }
                (None, other) => panic!("byte {index} bit {bit}: {other:?}"),
            };
            assert_eq!(named, line, "byte {index} bit {bit}: {found:?}");

            // Without the heads, the chain alone says it, up to the last line.
            let alone = verify_journal(&copy, &[]).unwrap();
            let read = read_journal::<TestEvent>(&copy);
            if line < heads.len() as u64 - 1 {
                let broken = alone.broken.unwrap();
                assert_eq!(broken.line_no, line, "byte {index} bit {bit}");
                let Err(StoreError::Broken { line_no, .. }) = read else {
                    panic!("byte {index} bit {bit} was read");
                };
                assert_eq!(line_no, line);
                let place = format!("copy.jsonl:{line}: ");
                assert!(broken.to_string().contains(&place), "{broken}");
            }
        }
    }
}

#[tokio::test]
async fn a_line_that_is_taken_out_put_in_or_swapped_is_found() {
    let folder = folder();
    let path = folder.path().join("a.jsonl");
    journal(&path, &["one", "two", "three", "four"]).await;
    let file = fs::read_to_string(&path).unwrap();
    let lines: Vec<&str> = file.split_inclusive('\n').collect();
    for (order, broken) in [
        (&[1, 2, 3][..], 1),
        (&[0, 2, 3], 1),
        (&[0, 0, 1, 2, 3], 1),
        (&[0, 2, 1, 3], 2),
    ] {
        let text: String = order.iter().map(|index| lines[*index]).collect();
        fs::write(&path, text).unwrap();
        let found = verify_journal(&path, &[]).unwrap().broken.unwrap();
        assert_eq!(found.line_no, broken, "{order:?}: {found}");
    }
}

#[tokio::test]
async fn a_journal_cut_at_any_byte_reads_as_its_complete_lines_and_goes_on_after_the_cut() {
    let folder = folder();
    let path = folder.path().join("a.jsonl");
    let all = ["one", "two", "three"];
    let heads = journal(&path, &all).await;
    let original = fs::read(&path).unwrap();
    let executor = pool();
    for length in 0..original.len() {
        fs::write(&path, &original[..length]).unwrap();
        let complete = heads
            .iter()
            .rposition(|h| h.bytes <= length as u64)
            .unwrap();
        let rest = length as u64 - heads[complete].bytes;
        let expected = |tail| {
            (rest > 0).then(|| TailNotice {
                path: path.clone(),
                line_no: complete as u64 + 1,
                bytes: rest,
                kind: TailKind::Incomplete,
                tail,
            })
        };

        let read = read_journal::<TestEvent>(&path).unwrap();
        assert_eq!(texts_of(&read.lines), all[..complete]);
        assert_eq!(
            read.notices,
            Vec::from_iter(expected(TailTreatment::Ignored))
        );
        assert_eq!(
            fs::read(&path).unwrap().len(),
            length,
            "a reader changed it"
        );
        assert!(is_current(&path, &heads[complete]).unwrap());
        let lost = verify_journal(&path, &heads).unwrap().lost;
        assert_eq!(lost.len(), heads.len() - 1 - complete);

        // The holder of the lock.
        let opened = Journals::new("a test", &executor)
            .resume_journal::<TestEvent>(&path)
            .unwrap();
        assert_eq!(texts_of(&opened.lines), all[..complete]);
        let cut = Hash::digest(&original[length - rest as usize..length]);
        assert_eq!(
            opened.notices,
            Vec::from_iter(expected(TailTreatment::Cut(cut)))
        );
        let head = opened.writer.append(AT, "ben", &spoke("on")).await.unwrap();
        drop(opened);
        assert_eq!(texts(&path)[complete..], ["on"]);
        assert!(
            verify_journal(&path, &[heads[complete], head])
                .unwrap()
                .is_sound()
        );
    }
}

#[tokio::test]
async fn a_tail_that_was_cut_off_is_reported_against_a_known_head() {
    let folder = folder();
    let path = folder.path().join("a.jsonl");
    let heads = journal(&path, &["one", "two"]).await;
    let file = fs::read(&path).unwrap();
    fs::write(&path, &file[..heads[1].bytes as usize]).unwrap();
    assert!(verify_journal(&path, &[]).unwrap().is_sound());
    let found = verify_journal(&path, &heads).unwrap();
    assert_eq!(
        found.lost,
        [LostHead::Tail {
            path: path.clone(),
            known: heads[2],
            has: heads[1]
        }]
    );
    assert!(
        found.lost[0]
            .to_string()
            .contains("1 lines are there and 2 were acknowledged")
    );
}

#[tokio::test]
async fn a_watermark_is_current_only_while_the_journal_ends_there() {
    let folder = folder();
    let path = folder.path().join("a.jsonl");
    let long = "long ".repeat(20_000);
    let heads = journal(&path, &["one", &long, "three"]).await;
    for head in &heads {
        assert_eq!(is_current(&path, head).unwrap(), head.lines == 3);
    }
    let file = fs::read(&path).unwrap();
    fs::write(&path, &file[..heads[2].bytes as usize]).unwrap();
    for head in &heads {
        assert_eq!(is_current(&path, head).unwrap(), head.lines == 2);
    }
    fs::remove_file(&path).unwrap();
    assert!(!is_current(&path, &heads[0]).unwrap());
}

#[tokio::test]
async fn a_line_of_an_unknown_kind_verifies_and_is_handed_over_as_it_is() {
    let folder = folder();
    let path = folder.path().join("a.jsonl");
    let writer = Journals::new("a test", &pool())
        .begin_journal::<LaterEvent>(&path)
        .unwrap();
    let sang = LaterEvent::Sang { tune: "la".into() };
    let said = LaterEvent::Spoke { text: "one".into() };
    writer.append(AT, "ana", &sang).await.unwrap();
    writer.append(AT, "ana", &said).await.unwrap();
    assert!(verify_journal(&path, &[writer.head()]).unwrap().is_sound());
    let lines = read_journal::<TestEvent>(&path).unwrap().lines;
    let [
        ReadLine::Unknown {
            line_no: 1,
            kind,
            raw,
            ..
        },
        ReadLine::Known(known),
    ] = &lines[..]
    else {
        panic!("{lines:?}");
    };
    assert_eq!(kind, "sang");
    assert_eq!(
        Some(raw.as_str()),
        fs::read_to_string(&path).unwrap().lines().next()
    );
    assert_eq!(known.event, spoke("one"));
}

#[tokio::test]
async fn a_fork_copies_its_parent_byte_for_byte_and_chains_on() {
    let folder = folder();
    let (parent, fork) = (folder.path().join("p.jsonl"), folder.path().join("f.jsonl"));
    let heads = journal(&parent, &["one", "two", "three"]).await;
    let prefix = read_prefix(&parent, 2).unwrap();
    assert_eq!(
        prefix,
        fs::read(&parent).unwrap()[..heads[2].bytes as usize]
    );
    let executor = pool();
    let forked = spoke("forked");
    let writer = Journals::new("a test", &executor)
        .fork_journal::<TestEvent>(&fork, prefix.clone(), (AT, "ben"), &forked)
        .await
        .unwrap();
    let head = writer.append(AT, "ben", &spoke("on")).await.unwrap();
    assert_eq!(texts(&fork), ["one", "two", "forked", "on"]);
    assert!(fs::read(&fork).unwrap().starts_with(&prefix));
    assert!(verify_journal(&fork, &[heads[2], head]).unwrap().is_sound());
    assert_eq!(texts(&parent), ["one", "two", "three"]);

    let holder = holder_of(&fork);
    assert!(holder.is_some());
    let again = Journals::new("a test", &executor)
        .fork_journal::<TestEvent>(&fork, prefix, (AT, "ben"), &forked)
        .await;
    assert!(matches!(again.err(), Some(StoreError::Exists { .. })));
    assert_eq!(holder_of(&fork), holder, "the refused fork touched it");
    let beyond = read_prefix(&parent, 4).unwrap_err();
    assert!(matches!(
        beyond,
        StoreError::TooShort {
            has: 3,
            wanted: 4,
            ..
        }
    ));
}

#[tokio::test]
async fn a_fork_of_lines_that_do_not_chain_leaves_nothing_behind() {
    let folder = folder();
    let parent = folder.path().join("p.jsonl");
    journal(&parent, &["one", "two"]).await;
    let file = fs::read(&parent).unwrap();
    let second = file.iter().position(|b| *b == b'\n').unwrap() + 1;
    let fork = folder.path().join("f.jsonl");
    for (prefix, broken) in [(&file[second..], 1), (&file[..file.len() - 1], 2)] {
        let made = Journals::new("a test", &pool())
            .fork_journal::<TestEvent>(&fork, prefix.to_vec(), (AT, "ben"), &spoke("forked"))
            .await;
        let Some(StoreError::Broken { line_no, .. }) = made.err() else {
            panic!("it was made");
        };
        assert_eq!(line_no, broken);
    }
    assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 1);
}

#[tokio::test]
async fn an_event_that_could_not_be_read_back_is_refused_and_the_journal_goes_on() {
    let folder = folder();
    let path = folder.path().join("a.jsonl");
    let writer = Journals::new("a test", &pool())
        .begin_journal::<TestEvent>(&path)
        .unwrap();
    let nan = TestEvent::Measured { value: f64::NAN };
    let refused = writer.append(AT, "ana", &nan).await.unwrap_err();
    assert!(
        matches!(refused, StoreError::Unwritable { .. }),
        "{refused}"
    );
    let long = spoke(&"x".repeat(MAX_LINE_BYTES));
    let refused = writer.append(AT, "ana", &long).await.unwrap_err();
    assert!(matches!(refused, StoreError::TooLong { .. }), "{refused}");
    writer.append(AT, "ana", &spoke("one")).await.unwrap();
    assert_eq!(texts(&path), ["one"]);
}

#[tokio::test]
async fn an_existing_journal_is_not_created_again_and_a_missing_one_is_said_to_be() {
    let folder = folder();
    let path = folder.path().join("a.jsonl");
    let executor = SyncPool::default();
    let missing = Journals::new("a test", &executor).resume_journal::<TestEvent>(&path);
    assert!(matches!(missing.err(), Some(StoreError::Missing { .. })));
    journal(&path, &["one"]).await;
    let exists = Journals::new("a test", &executor).begin_journal::<TestEvent>(&path);
    assert!(matches!(exists.err(), Some(StoreError::Exists { .. })));
    assert_eq!(texts(&path), ["one"]);
}

/// An event of another kind of journal.
#[derive(Debug, Serialize, Deserialize)]
#[serde(tag = "type", rename_all = "snake_case")]
enum OtherEvent {
    Spoke { text: String },
}

impl JournalType for OtherEvent {
    type Event = Self;
    const KIND: &'static str = "other";
}

/// As a later version writes it.
#[derive(Debug, Serialize, Deserialize)]
#[serde(tag = "type", rename_all = "snake_case")]
enum NewerEvent {
    Spoke { text: String },
}

impl JournalType for NewerEvent {
    type Event = Self;
    const KIND: &'static str = "test";
    const FORMAT: u32 = 2;
}

#[tokio::test]
async fn a_journal_of_another_kind_or_of_a_later_format_is_not_gone_on_with() {
    let (folder, executor) = (folder(), pool());
    let path = folder.path().join("j.jsonl");
    let journals = Journals::new("a test", &executor);
    let newer = journals.begin_journal::<NewerEvent>(&path).unwrap();
    let text = "one".to_owned();
    newer
        .append(AT, "ana", &NewerEvent::Spoke { text })
        .await
        .unwrap();
    drop(newer);
    let before = fs::read(&path).unwrap();

    let other = journals.resume_journal::<OtherEvent>(&path).unwrap_err();
    assert!(
        matches!(&other, StoreError::OtherKind { is, .. } if is == "test"),
        "{other}"
    );
    let later = journals.resume_journal::<TestEvent>(&path).unwrap_err();
    assert!(
        matches!(
            later,
            StoreError::NewerFormat {
                format: 2,
                known: 1,
                ..
            }
        ),
        "{later}"
    );
    assert_eq!(fs::read(&path).unwrap(), before);
    // Reading goes on, as far as the events are known.
    assert_eq!(texts(&path), ["one"]);
}

#[tokio::test]
async fn a_journal_without_an_envelope_is_gone_on_with_as_it_is() {
    let (folder, executor) = (folder(), pool());
    let path = folder.path().join("j.jsonl");
    let line = format!(
        "{{\"prev\":\"{}\",\"at\":\"{AT}\",\"by\":\"ana\",\"event\":{{\"type\":\"spoke\",\"text\":\"one\"}}}}\n",
        "0".repeat(64)
    );
    fs::write(&path, &line).unwrap();
    let opened = Journals::new("a test", &executor)
        .resume_journal::<TestEvent>(&path)
        .unwrap();
    opened
        .writer
        .append(AT, "ana", &spoke("two"))
        .await
        .unwrap();
    drop(opened);
    assert_eq!(texts(&path), ["one", "two"]);
    let text = fs::read_to_string(&path).unwrap();
    assert!(
        text.starts_with(&line) && !text.contains("\"journal\""),
        "{text}"
    );
}
