//! Journal locks: one writer, any number of readers.

use std::io::{self, Read as _};

use crate::{Journals, StoreError, holder_of};

use super::harness::{
    AT, TestEvent, child, child_path, folder, journal, pool, spoke, texts, wait_for,
};

#[tokio::test]
async fn a_second_writer_in_the_same_process_is_refused_and_a_reader_is_not() {
    let folder = folder();
    let path = folder.path().join("a.jsonl");
    let executor = pool();
    let writer = Journals::new("the first", &executor)
        .begin_journal::<TestEvent>(&path)
        .unwrap();
    writer.append(AT, "ana", &spoke("one")).await.unwrap();
    let refused = Journals::new("the second", &executor).resume_journal::<TestEvent>(&path);
    let Some(StoreError::Locked { holder, .. }) = refused.err() else {
        panic!("it was opened twice");
    };
    let holder = holder.unwrap();
    assert_eq!(holder.pid, std::process::id());
    assert_eq!(holder.command, "the first");
    assert_eq!(texts(&path), ["one"]);
    drop(writer);
    assert_eq!(holder_of(&path), None);
    Journals::new("the second", &executor)
        .resume_journal::<TestEvent>(&path)
        .unwrap();
}

#[tokio::test]
async fn another_process_that_writes_is_named_until_it_is_killed() {
    let folder = folder();
    let path = folder.path().join("a.jsonl");
    journal(&path, &["one"]).await;
    let mut child = child("", "tests::lock::child_holds_a_lock", &path)
        .spawn()
        .unwrap();
    let host = wait_for(&mut child, "HOLDING");
    let executor = pool();
    let refused = Journals::new("the second", &executor)
        .resume_journal::<TestEvent>(&path)
        .err()
        .unwrap();
    let text = refused.to_string();
    let named = format!(
        "is being written by process {} on {host} (run 17)",
        child.id()
    );
    assert!(text.contains(&named), "{text}");
    assert_eq!(texts(&path), ["one", "two"]);

    child.kill().unwrap();
    child.wait().unwrap();
    let opened = Journals::new("the second", &executor)
        .resume_journal::<TestEvent>(&path)
        .unwrap();
    assert_eq!(opened.lines.len(), 2);
    assert_eq!(holder_of(&path).unwrap().command, "the second");
}

#[tokio::test]
#[ignore = "a part of another test, in a process of its own"]
async fn child_holds_a_lock() {
    let path = child_path();
    let opened = Journals::new("run 17", &pool())
        .resume_journal::<TestEvent>(&path)
        .unwrap();
    opened
        .writer
        .append_without_sync(AT, "ben", &spoke("two"))
        .unwrap();
    println!("HOLDING {}", holder_of(&path).unwrap().host);
    // Until it is killed, or its parent ends.
    let _ = io::stdin().read_to_end(&mut Vec::new());
}
