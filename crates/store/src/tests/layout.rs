//! Folders of a store, their permissions, and the trash.

use std::{
    fs,
    os::unix::fs::PermissionsExt,
    path::{Path, PathBuf},
};

use crate::{
    Head, Index, IndexEntry, IndexOptions, JournalStamp, Journals, Layout, StoreError, read_prefix,
};

use super::harness::{AT, TestEvent, child, child_path, folder, journal, pool, spoke, texts};

#[tokio::test]
async fn journals_are_listed_by_the_names_they_were_given() {
    let folder = folder();
    let layout = Layout::new(folder.path().join("store"));
    assert_eq!(layout.list_sessions().unwrap(), [""; 0]);
    layout.create_missing_folders().unwrap();
    for id in ["b", "a"] {
        journal(&layout.session_path(id).unwrap(), &["one"]).await;
    }
    journal(&layout.run_path("r").unwrap(), &["one"]).await;
    let memory = layout.memory_path("pred.lessons", "run-1").unwrap();
    journal(&memory, &["one"]).await;
    journal(&layout.notes_path("ana").unwrap(), &["one"]).await;
    journal(&layout.pass_path("p").unwrap(), &["one"]).await;
    fs::write(layout.root().join("sessions/a.jsonl.lock"), "").unwrap();
    assert_eq!(layout.list_sessions().unwrap(), ["a", "b"]);
    assert_eq!(layout.list_runs().unwrap(), ["r"]);
    assert_eq!(layout.list_namespaces().unwrap(), ["pred.lessons"]);
    assert_eq!(layout.memory_journals("pred.lessons").unwrap(), [memory]);
    assert_eq!(layout.list_names("notes").unwrap(), ["ana"]);
    assert_eq!(layout.list_passes().unwrap(), ["p"]);
}

#[test]
fn a_name_that_leads_out_of_its_folder_is_refused() {
    let layout = Layout::new("store");
    let long = "x".repeat(129);
    for name in [
        "",
        ".",
        "..",
        "../a",
        "a/b",
        "/etc/passwd",
        ".hidden",
        "a\0b",
        "ä",
        &long,
    ] {
        for refused in [
            layout.session_path(name),
            layout.run_path(name),
            layout.memory_path(name, "a"),
            layout.memory_path("a", name),
            layout.notes_path(name),
            layout.trash_path(name),
        ] {
            assert!(matches!(refused, Err(StoreError::Name { .. })), "{name:?}");
        }
    }
}

#[tokio::test]
async fn a_session_goes_to_the_trash_and_comes_back_unless_somebody_writes_to_it() {
    let folder = folder();
    let layout = Layout::new(folder.path().join("store"));
    layout.create_missing_folders().unwrap();
    let path = layout.session_path("a").unwrap();
    let writer = Journals::new("a test", &pool())
        .begin_journal::<TestEvent>(&path)
        .unwrap();
    writer.append(AT, "ana", &spoke("one")).await.unwrap();
    let refused = layout.move_to_trash("a").unwrap_err();
    assert!(matches!(refused, StoreError::Locked { .. }), "{refused}");
    drop(writer);

    layout.move_to_trash("a").unwrap();
    assert_eq!(layout.list_sessions().unwrap(), [""; 0]);
    assert_eq!(layout.list_names("trash").unwrap(), ["a"]);
    let missing = layout.move_to_trash("a").unwrap_err();
    assert!(matches!(missing, StoreError::Missing { .. }), "{missing}");

    layout.restore_session("a").unwrap();
    assert_eq!(texts(&path), ["one"]);
    assert_eq!(layout.list_names("trash").unwrap(), [""; 0]);

    layout.move_to_trash("a").unwrap();
    journal(&path, &["another"]).await;
    let exists = layout.restore_session("a").unwrap_err();
    assert!(matches!(exists, StoreError::Exists { .. }), "{exists}");
    assert_eq!(texts(&path), ["another"]);
    assert_eq!(texts(&layout.trash_path("a").unwrap()), ["one"]);
}

#[test]
fn whatever_the_umask_files_are_for_their_owner_alone() {
    for umask in ["000", "022", "0277"] {
        let folder = folder();
        let root = folder.path().join("deep/store");
        let status = child(
            &format!("umask {umask}"),
            "tests::layout::child_fills_a_store",
            &root,
        )
        .stdout(std::process::Stdio::null())
        .status()
        .unwrap();
        assert!(status.success());
        let all = everything_in(&folder.path().join("deep"));
        assert!(all.len() > 10, "{all:?}");
        for path in all {
            let meta = fs::metadata(&path).unwrap();
            let expected = if meta.is_dir() { 0o700 } else { 0o600 };
            let mode = meta.permissions().mode() & 0o7777;
            assert_eq!(mode, expected, "{} under {umask}", path.display());
        }
    }
}

#[tokio::test]
#[ignore = "a part of another test, in a process of its own"]
async fn child_fills_a_store() {
    let layout = Layout::new(child_path());
    layout.create_missing_folders().unwrap();
    let path = layout.session_path("a").unwrap();
    let executor = pool();
    let writer = Journals::new("a test", &executor)
        .begin_journal::<TestEvent>(&path)
        .unwrap();
    writer.append(AT, "ana", &spoke("one")).await.unwrap();
    let fork = layout.session_path("b").unwrap();
    let prefix = read_prefix(&path, 1).unwrap();
    let _fork = Journals::new("a test", &executor)
        .fork_journal::<TestEvent>(&fork, prefix, (AT, "b"), &spoke("two"))
        .await
        .unwrap();
    journal(&layout.memory_path("space", "writer").unwrap(), &["one"]).await;
    let (mut index, notice) = Index::open(&layout.cache_folder(), IndexOptions::default());
    assert_eq!(notice, None);
    let entry = IndexEntry {
        stamp: JournalStamp::default(),
        watermark: Head::EMPTY,
        value: vec![7; 2 << 20],
    };
    index.write_changes(&[(("t", b"k".to_vec()), Some(entry))]);
    drop(index);
    // The lock's own file is left where it is, for its rights to be looked at.
    std::mem::forget(writer);
}

fn everything_in(path: &Path) -> Vec<PathBuf> {
    let mut all = vec![path.to_owned()];
    if path.is_dir() {
        for entry in fs::read_dir(path).unwrap() {
            all.extend(everything_in(&entry.unwrap().path()));
        }
    }
    all
}
