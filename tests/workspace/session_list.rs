//! The list of sessions, read from their journals.

use crate::support::simulated::{SimulatedStore, plan};
use elenchus::debate::SessionId;
use elenchus::workspace::Session;
use elenchus::workspace::annotations::{Annotation, AnnotationJournal};
use elenchus::workspace::summary;
use elenchus::workspace::{
    GlanceBook, Reopen, SessionOverview, SummaryStream, fork, fork_point, list, rows, summaries_by,
    summaries_of,
};

#[tokio::test]
async fn sessions_are_listed_newest_first_and_summed_up_from_their_journals() {
    let store = SimulatedStore::new();
    assert_eq!(list(&store.desk.layout).unwrap(), []);
    let old = store.played(&plan("pred")).await;
    let new = store.played(&plan("sred")).await;
    let ids = list(&store.desk.layout).unwrap();
    assert_eq!(ids, [new, old]);
    let glances = summaries_of(&store.desk.layout, &ids);
    for (id, glance) in ids.iter().zip(glances) {
        let glance = glance.unwrap();
        assert_eq!(Some(glance.summary), summary(id, &store.state(id)));
        assert_eq!((glance.parent, glance.driven_by), (None, None));
    }
    assert!(
        !store.desk.layout.cache().exists(),
        "a workbench opens no cache"
    );
}

#[tokio::test]
async fn the_rest_is_summed_up_in_the_background_and_what_cannot_be_read_is_named() {
    let store = SimulatedStore::new();
    for _ in 0..20 {
        store.begin(&plan("pred")).await;
    }
    let broken = SessionId::new("zz-broken");
    std::fs::write(store.path(&broken), "no journal\n").unwrap();
    let ids = list(&store.desk.layout).unwrap();
    assert_eq!(ids.first(), Some(&broken));
    let mut summing = SummaryStream::start(&store.desk.layout, ids.clone()).unwrap();
    let mut read = Vec::new();
    let mut unread = Vec::new();
    while let Some(batch) = summing.next().await {
        for one in batch {
            match one {
                Ok(glance) => read.push(glance.summary.session),
                Err(one) => unread.push(one),
            }
        }
    }
    read.sort();
    read.reverse();
    assert_eq!(read, ids[1..]);
    assert_eq!(unread.len(), 1);
    assert_eq!(unread[0].session, broken);
    assert!(unread[0].why.contains("zz-broken.jsonl:1"), "{unread:?}");
}

#[tokio::test]
async fn a_row_has_the_persons_name_and_tags_the_forks_and_who_drives_it() {
    let store = SimulatedStore::new();
    let desk = &store.desk;
    let parent = store.played(&plan("pred")).await;
    let lines = fork_point(&store.records(&parent), &Reopen::Lesson).unwrap();
    let child = fork(desk, &parent, lines.lines).await.unwrap();
    let child_id = child.id.clone();
    let mut book = AnnotationJournal::open(&desk, "ada").unwrap();
    let named = Annotation::Named {
        session: parent.clone(),
        name: Some("the salty one".to_owned()),
    };
    book.write(named).await.unwrap();
    for tag in ["sea", "keep"] {
        let tagged = Annotation::Tagged {
            session: parent.clone(),
            tag: tag.to_owned(),
        };
        book.write(tagged).await.unwrap();
    }
    let glances = || -> Vec<SessionOverview> {
        let ids = list(&desk.layout).unwrap();
        let read = summaries_of(&desk.layout, &ids).into_iter();
        read.map(Result::unwrap).collect()
    };
    let shown = rows(&glances(), book.annotations());
    assert_eq!(shown[1].name.as_deref(), Some("the salty one"));
    assert_eq!(shown[1].tags, ["keep", "sea"]);
    assert_eq!((shown[1].forks, &shown[1].parent), (1, &None));
    assert_eq!((shown[0].forks, &shown[0].parent), (0, &Some(parent)));
    let driver = shown[0].driven_by.as_ref().unwrap();
    assert_eq!(driver.pid, std::process::id());
    drop(child);
    assert_eq!(glances()[0].driven_by, None);

    // Somebody who was killed leaves a name behind and drives nothing.
    let mut gone = std::process::Command::new("true").spawn().unwrap();
    gone.wait().unwrap();
    let kept = Session::open(&desk.layout, &desk.journals(), &child_id).unwrap();
    let name = store.path(&child_id).with_extension("jsonl.lock");
    let text = std::fs::read_to_string(&name).unwrap();
    drop(kept);
    let pid = format!("\"pid\":{}", std::process::id());
    assert!(text.contains(&pid), "{text}");
    let text = text.replace(&pid, &format!("\"pid\":{}", gone.id()));
    std::fs::write(&name, text).unwrap();
    assert_eq!(glances()[0].driven_by, None);
}

/// Puts other bytes of the same length where a journal was, and leaves the file's time as it was.
fn damage_unnoticed(path: &std::path::Path) {
    let changed = std::fs::metadata(path).unwrap().modified().unwrap();
    let bytes = std::fs::metadata(path).unwrap().len();
    std::fs::write(path, "x".repeat(bytes as usize)).unwrap();
    let file = std::fs::File::options().write(true).open(path).unwrap();
    file.set_modified(changed).unwrap();
}

#[tokio::test]
async fn a_journal_that_is_as_it_was_is_not_read_again() {
    let store = SimulatedStore::new();
    let id = store.played(&plan("pred")).await;
    let (layout, file) = (&store.desk.layout, store.desk.layout.root().join("book"));
    let ids = [id.clone()];
    let book = GlanceBook::open(&file, layout);
    let read = summaries_by(&book, layout, &ids);
    assert_eq!(read, summaries_of(layout, &ids));
    book.keep(&ids);

    damage_unnoticed(&store.path(&id));
    let again = GlanceBook::open(&file, layout);
    assert_eq!(summaries_by(&again, layout, &ids), read);

    let touched = std::fs::File::options().append(true).open(store.path(&id));
    touched
        .unwrap()
        .set_modified(std::time::SystemTime::UNIX_EPOCH)
        .unwrap();
    let found = summaries_by(&GlanceBook::open(&file, layout), layout, &ids);
    assert!(
        found[0].as_ref().unwrap_err().why.contains(id.as_str()),
        "{found:?}"
    );
}

#[tokio::test]
async fn a_book_that_is_damaged_or_of_another_store_holds_nothing() {
    let store = SimulatedStore::new();
    let id = store.played(&plan("pred")).await;
    let (layout, file) = (&store.desk.layout, store.desk.layout.root().join("book"));
    let ids = [id.clone()];
    let book = GlanceBook::open(&file, layout);
    let read = summaries_by(&book, layout, &ids);
    book.keep(&ids);
    let kept = std::fs::read_to_string(&file).unwrap();
    damage_unnoticed(&store.path(&id));

    let (heading, line) = kept.split_once('\n').unwrap();
    for damaged in [
        String::new(),
        format!("{heading} elsewhere\n{line}"),
        format!("{heading}\n{}", line.trim_end()),
        format!("{heading}\n{}", line.replace("\"stamp\"", "\"stump\"")),
        format!(
            "{heading}\n{}",
            line.replacen(id.as_str(), "01m0000000000000000000000a", 1)
        ),
    ] {
        std::fs::write(&file, &damaged).unwrap();
        let found = summaries_by(&GlanceBook::open(&file, layout), layout, &ids);
        assert!(found[0].is_err(), "{damaged}");
    }
    std::fs::write(&file, &kept).unwrap();
    assert_eq!(
        summaries_by(&GlanceBook::open(&file, layout), layout, &ids),
        read
    );
}

#[tokio::test]
async fn a_book_keeps_only_the_sessions_that_are_there() {
    let store = SimulatedStore::new();
    let (gone, stays) = (
        store.played(&plan("pred")).await,
        store.played(&plan("sred")).await,
    );
    let (layout, file) = (&store.desk.layout, store.desk.layout.root().join("book"));
    let book = GlanceBook::open(&file, layout);
    summaries_by(&book, layout, &[gone.clone(), stays.clone()]);
    book.keep(std::slice::from_ref(&stays));
    let kept = std::fs::read_to_string(&file).unwrap();
    assert!(
        kept.contains(stays.as_str()) && !kept.contains(gone.as_str()),
        "{kept}"
    );
}

#[tokio::test]
async fn a_journal_without_a_head_that_became_shorter_is_not_forgotten_by_looking_at_it() {
    let store = SimulatedStore::new();
    let id = store.played(&plan("pred")).await;
    let (layout, file) = (&store.desk.layout, store.desk.layout.root().join("book"));
    let ids = [id.clone()];
    let book = GlanceBook::open(&file, layout);
    summaries_by(&book, layout, &ids);
    book.keep(&ids);
    std::fs::remove_dir_all(layout.root().join("heads")).unwrap();
    let text = std::fs::read_to_string(store.path(&id)).unwrap();
    let less: Vec<&str> = text.split_inclusive('\n').rev().skip(3).collect();
    let less: String = less.into_iter().rev().collect();
    std::fs::write(store.path(&id), less).unwrap();
    for _ in 0..2 {
        let book = GlanceBook::open(&file, layout);
        let found = summaries_by(&book, layout, &ids);
        let why = &found[0].as_ref().unwrap_err().why;
        assert!(why.contains("verify --accept"), "{why}");
        book.keep(&ids);
    }
}
