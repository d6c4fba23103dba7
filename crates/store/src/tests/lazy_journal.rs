//! Journals that are opened, or begun, with their first line.

use super::harness::{AT, TestEvent, folder, pool, spoke, texts};
use crate::{Journals, LazyJournal, StoreError};

#[tokio::test]
async fn nothing_is_there_before_the_first_line_and_a_new_journal_says_what_it_is_once() {
    let (folder, executor) = (folder(), pool());
    let path = folder.path().join("j.jsonl");
    let lazy = || {
        let journals = Journals::new("a test", &executor);
        let journal = LazyJournal::<TestEvent>::new(journals, path.clone());
        journal.with_first_line(AT, "engine", spoke("about this"))
    };
    let mut first = lazy();
    first.sync().await.unwrap();
    assert!(!path.exists());
    first
        .open_writer()
        .unwrap()
        .0
        .append_without_sync(AT, "ana", &spoke("one"))
        .unwrap();
    first.sync().await.unwrap();
    assert_eq!(texts(&path), ["about this", "one"]);
    // Whoever holds it keeps others out.
    assert!(matches!(
        lazy().open_writer(),
        Err(StoreError::Locked { .. })
    ));
    drop(first);
    let (writer, notices) = lazy().open_writer().unwrap();
    writer.append(AT, "ana", &spoke("two")).await.unwrap();
    assert!(notices.is_empty());
    assert_eq!(texts(&path), ["about this", "one", "two"]);
}
