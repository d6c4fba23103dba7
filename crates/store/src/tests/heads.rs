//! Heads: the recorded length of a journal separates damage from an unfinished tail.

use std::{fs, io::Write, path::Path};

use crate::{
    AcceptedLoss, Head, Journals, Layout, StoreError, TailKind, TailTreatment, accept_loss,
    read_head, read_journal, verify_journal,
};

use super::harness::{AT, TestEvent, folder, journal, pool, spoke, texts, texts_of};

const UNSYNCED: &str =
    r#""at":"2025-01-02T03:04:05Z","by":"engine","event":{"type":"call_started"}}"#;

fn add(path: &Path, bytes: &[u8]) {
    let mut file = fs::OpenOptions::new().append(true).open(path).unwrap();
    file.write_all(bytes).unwrap();
}

/// A line that follows what is there, of an event that is written without a sync.
fn unsynced(path: &Path) -> String {
    format!(
        "{{\"prev\":\"{}\",{UNSYNCED}\n",
        read_head(path).unwrap().hash
    )
}

#[tokio::test]
async fn closing_a_journal_of_any_folder_writes_its_head_beside_it() {
    let folder = folder();
    let layout = Layout::new(folder.path());
    for (path, head) in [
        (layout.session_path("a").unwrap(), "heads/sessions/a"),
        (layout.run_path("r").unwrap(), "heads/runs/r"),
        (layout.notes_path("ana").unwrap(), "heads/notes/ana"),
        (
            layout.memory_path("n", "guards").unwrap(),
            "heads/memory/n/guards",
        ),
        (
            layout.memory_path("runs", "w").unwrap(),
            "heads/memory/runs/w",
        ),
        (layout.guards_path("n", "w").unwrap(), "heads/guards/n/w"),
        (layout.trial_path("n", "t").unwrap(), "heads/trials/n/t"),
        (
            layout.tries_store().session_path("s").unwrap(),
            "tries/heads/sessions/s",
        ),
        (
            layout.tries_store().comparison_path("c").unwrap(),
            "tries/heads/ab/c",
        ),
    ] {
        let heads = journal(&path, &["one", "two"]).await;
        let text = fs::read_to_string(folder.path().join(head)).unwrap();
        let expected = serde_json::to_string(heads.last().unwrap()).unwrap();
        assert_eq!(text, expected + "\n", "{head}");
        fs::remove_file(&path).unwrap();
        let gone: Vec<_> = (layout.list_missing_journals().unwrap().into_iter())
            .chain(layout.tries_store().list_missing_journals().unwrap())
            .collect();
        assert_eq!(gone, std::slice::from_ref(&path));
        let begun = Journals::new("a test", &pool()).begin_journal::<TestEvent>(&path);
        assert!(
            matches!(begun, Err(StoreError::Damaged { .. })),
            "{begun:?}"
        );
        assert_eq!(
            accept_loss(&path, &[], "a test", &pool()).unwrap(),
            AcceptedLoss::Journal { lines: 2 }
        );
        assert_eq!(
            layout.list_missing_journals().unwrap(),
            [""; 0].map(std::path::PathBuf::from)
        );
    }
    // Nothing says how far a file outside of any store's folder went.
    journal(&folder.path().join("elsewhere/a.jsonl"), &["one"]).await;
    assert!(!folder.path().join("heads/elsewhere").exists());
}

#[tokio::test]
async fn what_breaks_behind_the_head_is_a_tail_that_is_cut_off_and_kept() {
    let folder = folder();
    let path = Layout::new(folder.path()).session_path("a").unwrap();
    for tail in [
        b"\0\0\0\0\0\0".to_vec(),
        b"\0\0\0\0\0\"}}\n".to_vec(),
        b"{\"prev\":\"00\n{not a line}\n\0\0".to_vec(),
        b"half a line".to_vec(),
    ] {
        let _ = fs::remove_dir_all(folder.path().join("sessions"));
        let _ = fs::remove_dir_all(folder.path().join("heads"));
        let heads = journal(&path, &["one", "two"]).await;
        let whole = fs::read(&path).unwrap();
        add(&path, &tail);
        let read = read_journal::<TestEvent>(&path).unwrap();
        assert_eq!(texts_of(&read.lines), ["one", "two"]);
        assert_eq!(read.notices.len(), 1);
        assert_eq!(read.notices[0].bytes, tail.len() as u64);
        let checked = verify_journal(&path, &heads).unwrap();
        assert!(checked.is_sound(), "{checked:?}");
        assert_eq!(checked.notices, read.notices);

        let opened = Journals::new("a test", &pool())
            .resume_journal::<TestEvent>(&path)
            .unwrap();
        let [notice] = opened.notices.as_slice() else {
            panic!("{:?}", opened.notices);
        };
        let TailTreatment::Cut(hash) = notice.tail else {
            panic!("{notice}");
        };
        let kept = path.with_extension(format!("jsonl.tail-{}", &hash.to_string()[..16]));
        assert!(notice.to_string().contains("kept next to it"), "{notice}");
        assert_eq!(fs::read(kept).unwrap(), tail);
        assert_eq!(fs::read(&path).unwrap(), whole);
    }
}

#[tokio::test]
async fn a_line_that_was_acknowledged_makes_what_is_broken_before_it_damage() {
    let folder = folder();
    let path = Layout::new(folder.path()).session_path("a").unwrap();
    let heads = journal(&path, &["one", "two"]).await;
    let zeros = b"\0\0\0\0\n";
    add(&path, zeros);
    let behind_zeros = unsynced(&path);
    add(&path, behind_zeros.as_bytes());
    assert_eq!(texts(&path), ["one", "two"]);
    add(
        &path,
        behind_zeros.replace("call_started", "spoke").as_bytes(),
    );
    let read = read_journal::<TestEvent>(&path);
    assert!(
        matches!(read, Err(StoreError::Broken { line_no: 3, .. })),
        "{read:?}"
    );
    assert!(!verify_journal(&path, &heads).unwrap().is_sound());
    // Given up, it is a tail after all.
    let given_up = accept_loss(&path, &heads, "a test", &pool()).unwrap();
    assert_eq!(given_up, AcceptedLoss::Behind { lines: 2 });
    assert_eq!(texts(&path), ["one", "two"]);
    assert!(verify_journal(&path, &heads).unwrap().is_sound());
    let opened = Journals::new("a test", &pool())
        .resume_journal::<TestEvent>(&path)
        .unwrap();
    assert_eq!(opened.notices[0].kind, TailKind::Broken);
    opened
        .writer
        .append(AT, "ana", &spoke("three"))
        .await
        .unwrap();
    drop(opened);
    assert_eq!(texts(&path), ["one", "two", "three"]);
}

#[tokio::test]
async fn without_a_head_only_zeros_are_a_tail() {
    let folder = folder();
    let path = Layout::new(folder.path()).session_path("a").unwrap();
    journal(&path, &["one", "two"]).await;
    fs::remove_dir_all(folder.path().join("heads")).unwrap();
    let whole = fs::read(&path).unwrap();
    add(&path, b"\0\0\0\0\"}}\n");
    assert_eq!(texts(&path), ["one", "two"]);
    fs::write(&path, &whole).unwrap();
    add(&path, b"{not a line}\n");
    let read = read_journal::<TestEvent>(&path);
    assert!(
        matches!(read, Err(StoreError::Broken { line_no: 3, .. })),
        "{read:?}"
    );
}

#[tokio::test]
async fn the_trash_takes_the_head_along_and_gives_it_back() {
    let folder = folder();
    let layout = Layout::new(folder.path());
    let path = layout.session_path("a").unwrap();
    journal(&path, &["one", "two"]).await;
    let shorter = |path: &Path| {
        let text = fs::read_to_string(path).unwrap();
        let first = text.lines().next().unwrap();
        fs::write(path, format!("{first}\n")).unwrap();
    };
    layout.move_to_trash("a").unwrap();
    assert!(layout.list_missing_journals().unwrap().is_empty());
    assert!(folder.path().join("heads/trash/a").exists());
    layout.restore_session("a").unwrap();
    assert!(layout.list_missing_journals().unwrap().is_empty());
    shorter(&path);
    let read = read_journal::<TestEvent>(&path);
    assert!(matches!(read, Err(StoreError::Damaged { .. })), "{read:?}");
    // By hand, too, nothing is gone that lies in the trash.
    fs::rename(&path, layout.trash_path("a").unwrap()).unwrap();
    assert!(layout.list_missing_journals().unwrap().is_empty());
}

#[tokio::test]
async fn a_head_is_never_ahead_of_what_is_durable() {
    let folder = folder();
    let path = Layout::new(folder.path()).session_path("a").unwrap();
    let writer = Journals::new("a test", &pool())
        .begin_journal::<TestEvent>(&path)
        .unwrap();
    let durable = writer.append(AT, "ana", &spoke("one")).await.unwrap();
    writer
        .append_without_sync(AT, "ana", &spoke("two"))
        .unwrap();
    writer.close().await;
    let place = folder.path().join("heads/sessions/a");
    let head = || serde_json::from_slice::<Head>(&fs::read(&place).unwrap()).unwrap();
    assert_eq!(head(), durable);
    writer.sync().await.unwrap();
    let durable = writer.head();
    drop(writer);
    assert_eq!(head(), durable);
}
