//! Entries of a large memory, read from the store's index: which journals that opens, what it writes, and
//! what it makes of damage.

use crate::workspace::memory::{
    EntryAction, EntryChange, MemoryBook, NamespaceEntries, apply_change, summarize_namespaces,
};
use crate::workspace::{StoreContext, StoreIndex};
use elenchus_memory::EntryId;
use elenchus_store::{Index, IndexOptions, Layout};
use elenchus_test_support::journals::hash_of_line;
use elenchus_test_support::lessons::lesson_lines;
#[cfg(target_os = "linux")]
use elenchus_test_support::opened::OpenedFiles;
use serde_json::json;
use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicUsize, Ordering};

/// Journals that are worth the index.
const JOURNALS: usize = 510;

struct Memory {
    _folder: tempfile::TempDir,
    store: StoreContext,
}

impl Memory {
    /// A memory of many small journals.
    fn of_many() -> Self {
        let memory = Self::empty();
        for at in 0..JOURNALS {
            let prefix = format!("run{at:03}");
            memory.write(&prefix, &lesson_lines(&prefix, 0..3, ""));
        }
        memory
    }

    fn empty() -> Self {
        let folder = tempfile::tempdir().unwrap();
        let layout = Layout::new(folder.path().join("store"));
        std::fs::create_dir_all(layout.root().join("memory/default/guards")).unwrap();
        Self {
            _folder: folder,
            store: StoreContext::new(layout, "a test", "ada"),
        }
    }

    fn layout(&self) -> &Layout {
        &self.store.layout
    }

    fn path(&self, writer: &str) -> PathBuf {
        self.layout().memory_path("default", writer).unwrap()
    }

    fn write(&self, writer: &str, text: &str) {
        std::fs::write(self.path(writer), text).unwrap();
    }

    fn read(&self) -> NamespaceEntries {
        NamespaceEntries::read_entries(self.layout(), "default").unwrap()
    }

    /// Reads journals alone.
    fn read_journals(&self) -> NamespaceEntries {
        let index = StoreIndex::bypass(self.layout());
        NamespaceEntries::read_with(&index, "default").unwrap()
    }

    fn book(&self) -> MemoryBook {
        let fsync = &self.store.fsync;
        MemoryBook::open(self.layout(), fsync, "default", "a-debate", None).unwrap()
    }

    /// The journals that the index holds.
    fn held(&self) -> Vec<String> {
        let (mut index, notice) =
            Index::open(&self.layout().cache_folder(), IndexOptions::default());
        assert_eq!(notice, None);
        let table = index.read_table("memory/3");
        let keys = table.keys().map(|key| String::from_utf8(key.to_vec()));
        keys.collect::<Result<_, _>>().unwrap()
    }
}

/// Gives a file the same bytes and another time.
fn touch(path: &Path) {
    let file = std::fs::File::options().append(true).open(path).unwrap();
    file.set_modified(std::time::SystemTime::UNIX_EPOCH)
        .unwrap();
}

#[cfg(target_os = "linux")]
#[tokio::test]
async fn journals_that_are_known_as_they_are_are_not_opened() {
    let memory = Memory::of_many();
    let read = memory.read();
    assert_eq!(read.folded, memory.read_journals().folded);
    assert_eq!(read.folded.entries.len(), 3 * JOURNALS);

    let watch = OpenedFiles::watch(memory.layout().root());
    assert_eq!(memory.read().folded, read.folded);
    let names = memory.layout().list_namespaces().unwrap();
    let index = StoreIndex::open_memory(memory.layout(), &names);
    let found = summarize_namespaces(&index).unwrap();
    assert_eq!(found[0].counts.as_ref().unwrap().live, 3 * JOURNALS);
    // A debate that looks lessons up, and asks guardrails.
    assert_eq!(memory.book().len(), 3 * JOURNALS);
    assert_eq!(watch.names(), [""; 0]);

    // What a person changes is in their own journal, which is read; no other is.
    let disabled = EntryChange::Do(EntryId("run007-000001".to_owned()), EntryAction::Disable);
    apply_change(&memory.store, "default", disabled)
        .await
        .unwrap();
    let watch = OpenedFiles::watch(memory.layout().root());
    let read = memory.read();
    assert_eq!(read.lesson_counts().disabled, 1);
    let mut opened = watch.names();
    opened.dedup();
    assert_eq!(opened, ["person-ada", "person-ada.jsonl"]);
    let watch = OpenedFiles::watch(memory.layout().root());
    assert_eq!(memory.read().folded, read.folded);
    assert_eq!(watch.names(), [""; 0]);
}

#[test]
fn a_small_memory_is_read_without_the_index() {
    let memory = Memory::empty();
    memory.write("some-run", &lesson_lines("lesson", 0..50, ""));
    assert_eq!(memory.read().folded.entries.len(), 50);
    assert!(!memory.layout().cache_folder().exists());
}

#[test]
fn a_long_journal_is_not_kept_in_the_index() {
    let memory = Memory::of_many();
    memory.write("long", &lesson_lines("long", 0..400, ""));
    memory.read();
    assert_eq!(memory.held().len(), JOURNALS);
    assert!(!memory.held().contains(&"memory/default/long".to_owned()));
    assert_eq!(memory.read().folded, memory.read_journals().folded);
}

/// Appends lessons to a journal, with one write.
fn grow(path: &Path, prefix: &str, numbers: std::ops::Range<usize>) {
    let text = std::fs::read_to_string(path).unwrap();
    let last = text.trim_end().rfind('\n').map_or(0, |at| at + 1);
    let more = lesson_lines(prefix, numbers, &text[last..]);
    let mut file = std::fs::File::options().append(true).open(path).unwrap();
    file.write_all(more.as_bytes()).unwrap();
}

#[test]
fn a_journal_that_grew_is_read_again_also_when_it_became_too_long_to_be_kept() {
    let memory = Memory::of_many();
    let path = memory.path("run007");
    memory.read();
    grow(&path, "run007", 3..5);
    for _ in 0..2 {
        assert_eq!(memory.read().folded.entries.len(), 3 * JOURNALS + 2);
    }
    grow(&path, "run007", 5..405);
    for _ in 0..2 {
        let read = memory.read().folded;
        assert_eq!(read.entries.len(), 3 * JOURNALS + 402);
        assert_eq!(read, memory.read_journals().folded);
    }
}

#[test]
fn readers_see_every_lesson_that_was_there_before_they_began_while_others_write() {
    let memory = Memory::of_many();
    let written = AtomicUsize::new(3 * JOURNALS);
    std::thread::scope(|scope| {
        for _ in 0..3 {
            scope.spawn(|| {
                for _ in 0..10 {
                    let before = written.load(Ordering::SeqCst);
                    let seen = memory.read().folded.entries.len();
                    assert!(seen >= before, "{seen} of {before}");
                }
            });
        }
        for round in 3..40 {
            for at in [3, 5, 500] {
                let name = format!("run{at:03}");
                grow(&memory.path(&name), &name, round..round + 1);
                written.fetch_add(1, Ordering::SeqCst);
            }
        }
    });
    let read = memory.read().folded;
    assert_eq!(read.entries.len(), 3 * JOURNALS + 3 * 37);
    assert_eq!(read, memory.read_journals().folded);
}

#[test]
fn entries_that_the_index_lost_are_read_from_their_journals() {
    let memory = Memory::of_many();
    let read = memory.read().folded;
    let held = memory.held();
    assert_eq!(held.len(), JOURNALS);
    let (mut index, _) = Index::open(&memory.layout().cache_folder(), IndexOptions::default());
    let lost = |key: &String| (("memory/3", key.clone().into_bytes()), None);
    index.write_changes(&held.iter().step_by(7).map(lost).collect::<Vec<_>>());
    drop(index);
    assert_eq!(memory.read().folded, read);
    assert_eq!(memory.held(), held);
    std::fs::remove_dir_all(memory.layout().cache_folder()).unwrap();
    assert_eq!(memory.read().folded, read);
    // A process that has the index holds nobody up for ever.
    let lock = memory.layout().cache_folder().with_extension("lock");
    let lock = std::fs::File::create(lock).unwrap();
    lock.lock().unwrap();
    assert_eq!(memory.read().folded, read);
}

#[test]
fn a_journal_that_is_another_or_shorter_is_noticed() {
    let memory = Memory::of_many();
    let path = memory.path("run003");
    let whole = memory.read().folded;
    let text = std::fs::read_to_string(&path).unwrap();

    // What follows the last line is told every time, and left out.
    std::fs::write(&path, format!("{text}{{\"half")).unwrap();
    for _ in 0..2 {
        let read = memory.read();
        assert_eq!(read.notices.len(), 1, "{:?}", read.notices);
        assert_eq!(read.folded, whole);
    }
    std::fs::write(&path, &text).unwrap();
    assert!(memory.read().notices.is_empty());
    touch(&path);
    assert_eq!(memory.read().folded, whole);

    // Without a head of its own it may not become less than it was seen to be.
    let less: String = text.split_inclusive('\n').take(2).collect();
    for other in [less.clone(), lesson_lines("other", 0..3, "")] {
        std::fs::write(&path, &other).unwrap();
        for _ in 0..2 {
            let error = NamespaceEntries::read_entries(memory.layout(), "default").unwrap_err();
            assert!(error.to_string().contains("verify --accept"), "{error}");
        }
    }

    // Where it has one, that alone counts.
    let last = less.trim_end().rfind('\n').unwrap() + 1;
    let head = json!({
        "bytes": less.len(),
        "lines": 2,
        "hash": hash_of_line(&less[last..]),
    });
    let heads = memory.layout().root().join("heads/memory/default");
    std::fs::create_dir_all(&heads).unwrap();
    std::fs::write(heads.join("run003"), format!("{head}\n")).unwrap();
    std::fs::write(&path, &less).unwrap();
    let read = memory.read().folded;
    assert_eq!(read.entries.len(), whole.entries.len() - 1);
    assert_eq!(read, memory.read_journals().folded);
}
