//! Order and durability of writes, and a disk that refuses.

use std::{fs, num::NonZeroUsize, path::Path, sync::Arc};

use crate::{Head, Journals, StoreError, SyncPool, verify_journal};
use tokio::task::JoinSet;

use super::harness::{AT, TestEvent, child, child_path, folder, pool, spoke, texts, wait_for};

#[tokio::test(flavor = "multi_thread")]
async fn appends_of_many_tasks_keep_their_order_and_share_syncs() {
    const TASKS: usize = 50;
    const EACH: usize = 20;
    let folder = folder();
    let path = folder.path().join("a.jsonl");
    let executor = pool();
    let writer = Arc::new(
        Journals::new("a test", &executor)
            .begin_journal::<TestEvent>(&path)
            .unwrap(),
    );
    let mut tasks = JoinSet::new();
    for task in 0..TASKS {
        let writer = Arc::clone(&writer);
        tasks.spawn(async move {
            let mut heads = Vec::new();
            for number in 0..EACH {
                let event = spoke(&format!("{task}:{number}"));
                heads.push(writer.append(AT, "ana", &event).await.unwrap());
            }
            heads
        });
    }
    let heads: Vec<Vec<Head>> = tasks.join_all().await;

    let performed = executor.sync_count();
    assert!(performed > 0);
    assert!(
        performed < (TASKS * EACH) as u64 / 2,
        "{performed} syncs for {} appends",
        TASKS * EACH
    );
    let texts = texts(&path);
    assert_eq!(texts.len(), TASKS * EACH);
    for task in 0..TASKS {
        let prefix = format!("{task}:");
        let own: Vec<&String> = texts.iter().filter(|t| t.starts_with(&prefix)).collect();
        let expected: Vec<String> = (0..EACH).map(|n| format!("{task}:{n}")).collect();
        assert_eq!(own, expected.iter().collect::<Vec<_>>());
    }
    // Every acknowledgement is a head that the file has: nobody was told of a line that is not there.
    let mut known = heads.concat();
    assert!(verify_journal(&path, &known).unwrap().is_sound());
    known.sort_by_key(|head| head.lines);
    assert!(
        known
            .iter()
            .map(|head| head.lines)
            .eq(1..=(TASKS * EACH) as u64)
    );
}

#[tokio::test]
async fn one_append_at_a_time_is_one_sync_each() {
    let folder = folder();
    let executor = pool();
    let path = folder.path().join("a.jsonl");
    let writer = Journals::new("a test", &executor)
        .begin_journal::<TestEvent>(&path)
        .unwrap();
    for number in 1..=5 {
        writer.append(AT, "ana", &spoke("x")).await.unwrap();
        assert_eq!(executor.sync_count(), number);
    }
}

#[tokio::test]
async fn an_unsynced_line_is_in_the_file_at_once_and_shares_the_next_sync() {
    let folder = folder();
    let executor = pool();
    let path = folder.path().join("a.jsonl");
    let writer = Journals::new("a test", &executor)
        .begin_journal::<TestEvent>(&path)
        .unwrap();
    writer
        .append_without_sync(AT, "ana", &spoke("call"))
        .unwrap();
    assert_eq!(texts(&path), ["call"]);
    assert_eq!(executor.sync_count(), 0);
    writer.append(AT, "ana", &spoke("reply")).await.unwrap();
    assert_eq!(executor.sync_count(), 1);
    writer.sync().await.unwrap();
    assert_eq!(executor.sync_count(), 1, "there was nothing left to sync");
    writer
        .append_without_sync(AT, "ana", &spoke("call"))
        .unwrap();
    writer.sync().await.unwrap();
    assert_eq!(executor.sync_count(), 2);
    assert_eq!(texts(&path), ["call", "reply", "call"]);
}

#[tokio::test]
async fn an_append_that_nobody_waits_for_any_more_is_still_kept() {
    let folder = folder();
    let path = folder.path().join("a.jsonl");
    let executor = SyncPool::with_threads(NonZeroUsize::MIN);
    let writer = Journals::new("a test", &executor)
        .begin_journal::<TestEvent>(&path)
        .unwrap();
    {
        let event = spoke("given up");
        let append = writer.append(AT, "ana", &event);
        let mut append = std::pin::pin!(append);
        let _ = futures_util::poll!(&mut append);
    }
    writer.append(AT, "ana", &spoke("next")).await.unwrap();
    assert_eq!(texts(&path), ["given up", "next"]);
    // Nothing that still goes on in the background keeps the journal locked.
    drop(writer);
    for _ in 0..50 {
        let opened = Journals::new("a test", &executor)
            .resume_journal::<TestEvent>(&path)
            .unwrap();
        let event = spoke("again");
        let append = opened.writer.append(AT, "ana", &event);
        let mut append = std::pin::pin!(append);
        let _ = futures_util::poll!(&mut append);
    }
    assert_eq!(texts(&path).len(), 52);
}

#[test]
fn hundreds_of_open_journals_share_the_threads_of_one_pool_and_leave_nothing_beside_them() {
    let folder = folder();
    let test = "tests::durable::child_opens_hundreds_of_journals";
    let mut child = child("", test, folder.path()).spawn().unwrap();
    wait_for(&mut child, "test result: ok. 1 passed");
    assert!(child.wait().unwrap().success());
    assert_eq!(fs::read_dir(folder.path()).unwrap().count(), JOURNALS);
}

const JOURNALS: usize = 400;

#[tokio::test]
#[ignore = "a part of another test, in a process of its own: it counts threads"]
async fn child_opens_hundreds_of_journals() {
    let folder = child_path();
    let threads = || {
        let names = fs::read_dir("/proc/self/task").unwrap().filter_map(|task| {
            let name = fs::read_to_string(task.unwrap().path().join("comm")).ok()?;
            name.starts_with("fsync-").then_some(())
        });
        names.count()
    };
    let executor = SyncPool::with_threads(NonZeroUsize::new(3).unwrap());
    assert_eq!(threads(), 0, "nothing is written yet");
    let mut tasks = JoinSet::new();
    for number in 0..JOURNALS {
        let path = folder.join(format!("{number}.jsonl"));
        let executor = executor.clone();
        tasks.spawn(async move {
            let writer = Journals::new("a test", &executor)
                .begin_journal::<TestEvent>(&path)
                .unwrap();
            writer.append(AT, "ana", &spoke("one")).await.unwrap();
            writer
        });
    }
    let writers = tasks.join_all().await;
    assert_eq!(executor.sync_count(), JOURNALS as u64);
    assert_eq!(threads(), 3);
    drop(writers);
}

#[tokio::test]
async fn a_file_that_changes_under_its_writer_closes_the_journal() {
    let folder = folder();
    let path = folder.path().join("a.jsonl");
    let writer = Journals::new("a test", &pool())
        .begin_journal::<TestEvent>(&path)
        .unwrap();
    writer.append(AT, "ana", &spoke("one")).await.unwrap();
    let mut file = fs::read(&path).unwrap();
    file.extend_from_slice(b"an editor\n");
    fs::write(&path, file).unwrap();
    let error = writer.append(AT, "ana", &spoke("two")).await.unwrap_err();
    assert!(
        error.to_string().contains("something else changed it"),
        "{error}"
    );
    let error = writer.append(AT, "ana", &spoke("two")).await.unwrap_err();
    assert!(matches!(error, StoreError::Closed { .. }), "{error}");
}

/// What the child's shell does first: writes fail beyond a few kilobytes instead of killing it.
const SMALL_FILES: &str = "trap '' XFSZ; ulimit -f 8";

#[test]
fn a_write_that_the_system_refuses_closes_the_journal_and_keeps_what_was_acknowledged() {
    let folder = folder();
    let path = folder.path().join("a.jsonl");
    let mut child = child(
        SMALL_FILES,
        "tests::durable::child_writes_until_refused",
        &path,
    )
    .spawn()
    .unwrap();
    let told = wait_for(&mut child, "REFUSED");
    assert!(child.wait().unwrap().success());
    let (acknowledged, message) = told.split_once(' ').unwrap();
    let acknowledged: usize = acknowledged.parse().unwrap();
    assert!(acknowledged > 0);
    assert!(message.contains("cannot write to"), "{message}");
    assert!(message.contains("a.jsonl: "), "{message}");
    assert!(
        message.contains("every acknowledged line is intact"),
        "{message}"
    );
    assert_eq!(texts(&path).len(), acknowledged);

    let opened = Journals::new("a test", &pool())
        .resume_journal::<TestEvent>(&path)
        .unwrap();
    assert_eq!(opened.lines.len(), acknowledged);
    assert_eq!(
        opened.notices.len(),
        1,
        "part of the refused line was there"
    );
    assert!(verify_journal(&path, &[]).unwrap().notices.is_empty());
}

#[tokio::test]
#[ignore = "a part of another test, in a process of its own"]
async fn child_writes_until_refused() {
    let (acknowledged, error) = write_until_refused(&child_path()).await;
    println!("REFUSED {acknowledged} {error}");
}

async fn write_until_refused(path: &Path) -> (usize, StoreError) {
    let writer = Journals::new("a test", &pool())
        .begin_journal::<TestEvent>(path)
        .unwrap();
    for acknowledged in 0..1000 {
        if let Err(error) = writer.append(AT, "ana", &spoke("some text")).await {
            let again = writer.append(AT, "ana", &spoke("x")).await.unwrap_err();
            assert!(matches!(again, StoreError::Closed { .. }), "{again}");
            assert!(matches!(
                writer.sync().await,
                Err(StoreError::Closed { .. })
            ));
            return (acknowledged, error);
        }
    }
    panic!("nothing was refused");
}
