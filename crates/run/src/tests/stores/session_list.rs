//! The list of sessions, read from their journals.

use crate::tests::simulated::{SimulatedStore, plan};
use elenchus_game::debate::SessionId;
use elenchus_records::workspace::Session;
use elenchus_records::workspace::annotations::{Annotation, AnnotationJournal};
use elenchus_records::workspace::summarize_session;
use elenchus_records::workspace::{
    Reopen, SessionOverview, StoreIndex, SummaryStream, UnreadableSession, all_overviews,
    fork_point, fork_session, incomplete_sources, list_overviews, list_sessions,
};
use elenchus_store::{Index, IndexOptions, Layout};
#[cfg(target_os = "linux")]
use elenchus_test_support::opened::OpenedFiles;
use elenchus_test_support::program::copy_folder;
use elenchus_view::read_tree;
use std::sync::Arc;

/// Reads every journal.
fn read_all(layout: &Layout, ids: &[SessionId]) -> Vec<Result<SessionOverview, UnreadableSession>> {
    list_overviews(&StoreIndex::bypass(layout), ids)
}

/// The index as a process reads it first.
fn index(layout: &Layout) -> StoreIndex {
    let (index, notice) = StoreIndex::read_overviews(layout);
    assert_eq!(notice, None);
    index
}

#[tokio::test]
async fn sessions_are_listed_newest_first_and_summed_up_from_their_journals() {
    let store = SimulatedStore::new();
    assert_eq!(list_sessions(&store.store.layout).unwrap(), []);
    let old = store.played(&plan("pred")).await;
    let new = store.played(&plan("sred")).await;
    let ids = list_sessions(&store.store.layout).unwrap();
    assert_eq!(ids, [new, old]);
    let glances = read_all(&store.store.layout, &ids);
    for (id, glance) in ids.iter().zip(glances) {
        let glance = glance.unwrap();
        assert_eq!(
            Some(glance.summary),
            summarize_session(id, &store.state(id))
        );
        assert_eq!((glance.parent, glance.driven_by), (None, None));
    }
    assert!(
        !store.store.layout.cache_folder().exists(),
        "nothing was kept"
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
    let ids = list_sessions(&store.store.layout).unwrap();
    assert_eq!(ids.first(), Some(&broken));
    let mut summing =
        SummaryStream::start(Arc::new(index(&store.store.layout)), ids.clone()).unwrap();
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
    let store_context = &store.store;
    let parent = store.played(&plan("pred")).await;
    let point = fork_point(&store.records(&parent), &Reopen::Lesson).unwrap();
    let child = fork_session(store_context, &parent, &point).await.unwrap();
    let child_id = child.id.clone();
    let mut book = AnnotationJournal::open(store_context, "ada").unwrap();
    let named = Annotation::Named {
        session: parent.clone(),
        name: Some("the salty one".to_owned()),
    };
    book.record_annotation(named).await.unwrap();
    for tag in ["sea", "keep"] {
        let tagged = Annotation::Tagged {
            session: parent.clone(),
            tag: tag.to_owned(),
        };
        book.record_annotation(tagged).await.unwrap();
    }
    let glances = || -> Vec<SessionOverview> {
        let ids = list_sessions(&store_context.layout).unwrap();
        let read = read_all(&store_context.layout, &ids).into_iter();
        read.map(Result::unwrap).collect()
    };
    let annotations = book.annotations();
    assert_eq!(annotations.session_name(&parent), Some("the salty one"));
    assert_eq!(annotations.session_tags(&parent), ["keep", "sea"]);
    let shown = glances();
    assert_eq!(shown[1].parent, None);
    assert_eq!(shown[0].parent, Some(parent));
    let driver = shown[0].driven_by.as_ref().unwrap();
    assert_eq!(driver.pid, std::process::id());
    drop(child);
    assert_eq!(glances()[0].driven_by, None);

    // Somebody who was killed leaves a name behind and drives nothing.
    let mut gone = std::process::Command::new("true").spawn().unwrap();
    gone.wait().unwrap();
    let kept = Session::open(&store_context.layout, &store_context.journals(), &child_id).unwrap();
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

/// Gives a file another time.
fn touch(path: &std::path::Path) {
    let file = std::fs::File::options().append(true).open(path).unwrap();
    file.set_modified(std::time::SystemTime::UNIX_EPOCH)
        .unwrap();
}

/// Reads sessions by way of the index, as a process does, and writes what was new.
fn indexed(layout: &Layout, ids: &[SessionId]) -> Vec<Result<SessionOverview, UnreadableSession>> {
    let index = index(layout);
    let read = list_overviews(&index, ids);
    index.write_changes();
    read
}

/// The sessions that the index holds.
fn held(layout: &Layout) -> Vec<String> {
    let (mut index, notice) = Index::open(&layout.cache_folder(), IndexOptions::default());
    assert_eq!(notice, None);
    let keys = index.read_table("sessions/9");
    let id = |key: &[u8]| {
        let key = std::str::from_utf8(key).unwrap();
        key.strip_prefix("sessions/").unwrap().to_owned()
    };
    keys.keys().map(id).collect()
}

/// Replaces a text in the value of a session's entry.
fn change_entry(layout: &Layout, id: &SessionId, (from, to): (&str, &str)) {
    let (mut index, _) = Index::open(&layout.cache_folder(), IndexOptions::default());
    let key = format!("sessions/{id}").into_bytes();
    let mut entry = index.read_table("sessions/9").get(&key).unwrap();
    let text = String::from_utf8(entry.value).unwrap();
    assert!(text.contains(from), "{text}");
    entry.value = text.replace(from, to).into_bytes();
    index.write_changes(&[(("sessions/9", key), Some(entry))]);
}

#[tokio::test]
async fn a_journal_that_is_as_it_was_is_not_read_again() {
    let store = SimulatedStore::new();
    let id = store.played(&plan("pred")).await;
    let layout = &store.store.layout;
    let ids = [id.clone()];
    let read = indexed(layout, &ids);
    assert_eq!(read, read_all(layout, &ids));

    damage_unnoticed(&store.path(&id));
    assert_eq!(indexed(layout, &ids), read);
    let (found, unreadable) = all_overviews(&index(layout)).unwrap();
    assert_eq!(found, [read[0].clone().unwrap()]);
    assert!(unreadable.is_empty());

    touch(&store.path(&id));
    let found = indexed(layout, &ids);
    assert!(
        found[0].as_ref().unwrap_err().why.contains(id.as_str()),
        "{found:?}"
    );
}

#[tokio::test]
async fn a_journal_that_only_has_another_time_is_known_by_its_last_line() {
    let store = SimulatedStore::new();
    let id = store.played(&plan("pred")).await;
    let (layout, ids) = (&store.store.layout, [id.clone()]);
    let read = indexed(layout, &ids);
    // All but the last line: read again it would be broken.
    let text = std::fs::read_to_string(store.path(&id)).unwrap();
    let last = text.trim_end().rfind('\n').unwrap() + 1;
    let other = "x".repeat(last - 1) + "\n" + &text[last..];
    std::fs::write(store.path(&id), other).unwrap();
    touch(&store.path(&id));
    assert_eq!(indexed(layout, &ids), read);
    // Its new time is known from then on.
    damage_unnoticed(&store.path(&id));
    assert_eq!(indexed(layout, &ids), read);
}

#[cfg(target_os = "linux")]
#[tokio::test]
async fn the_first_screen_of_a_list_needs_only_its_own_entries() {
    let store = SimulatedStore::new();
    for _ in 0..30 {
        store.begin(&plan("pred")).await;
    }
    let layout = &store.store.layout;
    let ids = list_sessions(layout).unwrap();
    let read = indexed(layout, &ids);
    assert_eq!(index(layout).entry_count(), 30);

    let watch = OpenedFiles::watch(layout.root());
    let first = StoreIndex::read_sessions(layout, &ids[..4]);
    assert_eq!(first.entry_count(), 4);
    assert_eq!(list_overviews(&first, &ids[..4]), read[..4]);
    // What says who drives a session is no journal.
    let journals = |name: &String| name.ends_with(".jsonl");
    assert_eq!(
        watch.names().iter().filter(|name| journals(name)).count(),
        0
    );
}

#[tokio::test]
async fn an_index_that_is_damaged_or_of_another_store_holds_nothing() {
    let (store, other) = (SimulatedStore::new(), SimulatedStore::new());
    let id = store.played(&plan("pred")).await;
    let elsewhere = other.played(&plan("sred")).await;
    let (layout, cache) = (&store.store.layout, store.store.layout.cache_folder());
    let ids = [id.clone()];
    let read = indexed(layout, &ids);
    let kept = store.store.layout.root().join("kept");
    copy_folder(&cache, &kept);
    let bytes = std::fs::read(store.path(&id)).unwrap();
    damage_unnoticed(&store.path(&id));
    let restore = |from: &std::path::Path| {
        std::fs::remove_dir_all(&cache).unwrap();
        copy_folder(from, &cache);
    };

    // Of another store: a session of the same id is another journal.
    std::fs::rename(other.path(&elsewhere), other.path(&id)).unwrap();
    let of_other = other.store.layout.cache_folder();
    std::fs::write(other.path(&id), bytes).unwrap();
    indexed(&other.store.layout, &ids);
    restore(&of_other);
    assert!(indexed(layout, &ids)[0].is_err());

    // A changed field, a changed name, nothing at all.
    restore(&kept);
    change_entry(layout, &id, ("\"value\"", "\"volume\""));
    assert!(indexed(layout, &ids)[0].is_err());
    restore(&kept);
    change_entry(layout, &id, (env!("CARGO_PKG_VERSION"), "0.0.0"));
    assert!(indexed(layout, &ids)[0].is_err(), "of another version");
    std::fs::remove_dir_all(&cache).unwrap();
    assert!(indexed(layout, &ids)[0].is_err());

    restore(&kept);
    assert_eq!(indexed(layout, &ids), read);
}

#[tokio::test]
async fn an_index_keeps_only_the_sessions_that_are_there() {
    let store = SimulatedStore::new();
    let (gone, stays) = (
        store.played(&plan("pred")).await,
        store.played(&plan("sred")).await,
    );
    let layout = &store.store.layout;
    indexed(layout, &[gone.clone(), stays.clone()]);
    assert_eq!(held(layout), [gone.as_str(), stays.as_str()]);
    // One that is there stays, even if it began after the others were listed.
    let listed = index(layout);
    listed.forget_gone(std::slice::from_ref(&stays));
    listed.write_changes();
    assert_eq!(held(layout), [gone.as_str(), stays.as_str()]);
    elenchus_records::workspace::delete_session(layout, &gone).unwrap();
    let listed = index(layout);
    listed.forget_gone(std::slice::from_ref(&stays));
    listed.write_changes();
    assert_eq!(held(layout), [stays.as_str()]);
}

#[tokio::test]
async fn entries_of_earlier_forms_leave_the_index_some_with_each_write() {
    let store = SimulatedStore::new();
    let layout = &store.store.layout;
    let first = store.played(&plan("pred")).await;
    indexed(layout, std::slice::from_ref(&first));
    let entries = |table| {
        let (mut index, _) = Index::open(&layout.cache_folder(), IndexOptions::default());
        index.read_table(table).keys().len()
    };
    let (mut index, _) = Index::open(&layout.cache_folder(), IndexOptions::default());
    let kept = index.read_table("sessions/9");
    let entry = kept.get(kept.keys().next().unwrap());
    let mut put = |table, count: u32| {
        let row = |number: u32| ((table, number.to_be_bytes().to_vec()), entry.clone());
        index.write_changes(&(0..count).map(row).collect::<Vec<_>>());
    };
    put("sessions/1", 700);
    put("sessions/3", 500);
    // Those of a later version, and what this one does not know.
    put("sessions/60", 3);
    put("others/1", 3);
    drop(index);
    let mut left = Vec::new();
    let mut ids = vec![first];
    for _ in 0..2 {
        ids.push(store.played(&plan("pred")).await);
        indexed(layout, &ids);
        left.push(["sessions/1", "sessions/3", "sessions/9"].map(entries));
    }
    assert_eq!(left, [[0, 200, 2], [0, 0, 3]]);
    assert_eq!(["sessions/60", "others/1"].map(entries), [3, 3]);
}

#[tokio::test]
async fn a_journal_without_a_head_that_became_shorter_is_not_forgotten_by_looking_at_it() {
    let store = SimulatedStore::new();
    let id = store.played(&plan("pred")).await;
    let layout = &store.store.layout;
    let ids = [id.clone()];
    indexed(layout, &ids);
    std::fs::remove_dir_all(layout.root().join("heads")).unwrap();
    let text = std::fs::read_to_string(store.path(&id)).unwrap();
    let less: Vec<&str> = text.split_inclusive('\n').rev().skip(3).collect();
    let less: String = less.into_iter().rev().collect();
    std::fs::write(store.path(&id), less).unwrap();
    for _ in 0..2 {
        let found = indexed(layout, &ids);
        let why = &found[0].as_ref().unwrap_err().why;
        assert!(why.contains("verify --accept"), "{why}");
    }
}

#[tokio::test]
async fn a_list_is_whole_while_another_has_the_index() {
    let store = SimulatedStore::new();
    let id = store.played(&plan("pred")).await;
    let (layout, ids) = (&store.store.layout, [id.clone()]);
    let read = read_all(layout, &ids);
    let lock = layout.cache_folder().with_extension("lock");
    let lock = std::fs::File::create(lock).unwrap();
    lock.lock().unwrap();
    let (busy, notice) = StoreIndex::read_overviews(layout);
    assert!(
        notice
            .unwrap()
            .to_string()
            .contains("another process uses it")
    );
    assert_eq!(list_overviews(&busy, &ids), read);
    let (found, unreadable) = all_overviews(&busy).unwrap();
    assert_eq!((found.len(), unreadable.len()), (1, 0));
    busy.write_changes();
    assert!(
        !layout.cache_folder().exists(),
        "what another has is left alone"
    );
    lock.unlock().unwrap();
    assert_eq!(indexed(layout, &ids), read);
    assert_eq!(held(layout), [id.as_str()]);
}

#[tokio::test]
async fn what_cannot_be_written_now_is_written_the_next_time() {
    let store = SimulatedStore::new();
    let id = store.played(&plan("pred")).await;
    let (layout, ids) = (&store.store.layout, [id.clone()]);
    let index = index(layout);
    list_overviews(&index, &ids)[0].as_ref().unwrap();
    let (other, _) = Index::open(&layout.cache_folder(), IndexOptions::default());
    index.write_changes();
    drop(other);
    assert_eq!(held(layout), Vec::<String>::new());
    index.write_changes();
    assert_eq!(held(layout), [id.as_str()]);
}

/// Puts other bytes where a head was, as a writer does: by a new file.
fn replace_head(store: &SimulatedStore, id: &SessionId, change: impl Fn(&str) -> String) {
    let head = store
        .store
        .layout
        .root()
        .join("heads/sessions")
        .join(id.as_str());
    let text = std::fs::read_to_string(&head).unwrap();
    let fresh = head.with_extension("fresh");
    std::fs::write(&fresh, change(&text)).unwrap();
    std::fs::rename(fresh, head).unwrap();
}

#[tokio::test]
async fn a_head_that_changed_is_compared_with_its_journal_again() {
    let store = SimulatedStore::new();
    let id = store.played(&plan("pred")).await;
    let (layout, ids) = (&store.store.layout, [id.clone()]);
    let read = indexed(layout, &ids);
    let short = |layout: &Layout| incomplete_sources(&index(layout)).unwrap().len();
    assert_eq!(short(layout), 0);
    // The same head in another file.
    replace_head(&store, &id, str::to_owned);
    assert_eq!(indexed(layout, &ids), read);
    assert_eq!(short(layout), 0);
    // As if there had been more lines, or another last one.
    replace_head(&store, &id, |text| {
        text.replace("\"bytes\":", "\"bytes\":9")
    });
    assert_eq!(short(layout), 1);
    assert!(indexed(layout, &ids)[0].is_err());
    replace_head(&store, &id, |text| {
        text.replace("\"bytes\":9", "\"bytes\":")
    });
    assert_eq!(indexed(layout, &ids), read);
    replace_head(&store, &id, |text| {
        let (before, hash) = text.split_once("\"hash\":\"").unwrap();
        format!("{before}\"hash\":\"{}{}", "0".repeat(64), &hash[64..])
    });
    assert_eq!(short(layout), 1);
    assert!(indexed(layout, &ids)[0].is_err());
}

#[cfg(target_os = "linux")]
#[tokio::test]
async fn a_tree_opens_the_journals_of_the_tree_alone() {
    let store = SimulatedStore::new();
    let store_context = &store.store;
    let parent = store.played(&plan("pred")).await;
    let point = fork_point(&store.records(&parent), &Reopen::Lesson).unwrap();
    let child = fork_session(store_context, &parent, &point).await.unwrap();
    let child = child.id.clone();
    let stranger = store.played(&plan("pred")).await;
    let ids = list_sessions(&store_context.layout).unwrap();
    indexed(&store_context.layout, &ids)
        .into_iter()
        .for_each(drop);
    let index = index(&store_context.layout);
    let opened = OpenedFiles::watch(store_context.layout.root());
    let drawn = read_tree(&index, &child).unwrap();
    let opened = opened.names();
    assert_eq!(drawn.branches.len(), 2);
    assert!(opened.contains(&format!("{parent}.jsonl")), "{opened:?}");
    assert!(!opened.contains(&format!("{stranger}.jsonl")), "{opened:?}");
    assert_eq!(
        drawn,
        read_tree(&StoreIndex::bypass(&store_context.layout), &child).unwrap()
    );
}
