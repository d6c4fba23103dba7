//! The index: it speeds reading up, is shared by processes, and does no harm when it is damaged.

use std::{
    fs,
    path::Path,
    process::Stdio,
    time::{Duration, Instant},
};

use crate::{
    Head, Index, IndexEntry, IndexNotice, IndexOptions, JournalStamp, Journals, Layout, read_head,
    verify_journal,
};

use super::harness::{
    AT, TestEvent, child, child_path, folder, journal, pool, spoke, texts, wait_for,
};

fn open(folder: &Path) -> Index {
    let (index, notice) = Index::open(folder, IndexOptions::default());
    assert_eq!(notice, None);
    index
}

fn put(index: &mut Index, table: &'static str, key: &[u8], watermark: &Head, value: &[u8]) {
    let entry = IndexEntry {
        stamp: JournalStamp::default(),
        watermark: *watermark,
        value: value.to_vec(),
    };
    index.write_changes(&[((table, key.to_vec()), Some(entry))]);
}

fn get(index: &mut Index, table: &'static str, key: &[u8]) -> Option<IndexEntry> {
    index.read_table(table).get(key)
}

fn len(index: &mut Index, table: &'static str) -> usize {
    index.read_table(table).keys().len()
}

/// The entries of a table, without damaged ones.
fn entries(index: &mut Index, table: &'static str) -> Vec<(Vec<u8>, IndexEntry)> {
    let table = index.read_table(table);
    let entry = |key: &[u8]| Some((key.to_vec(), table.get(key)?));
    table.keys().filter_map(entry).collect()
}

/// Opens the files beneath an index that was just closed: sled's threads let go of the lock a moment
/// later, which is waited for; any other error is one.
fn opened_once_free(folder: &Path) -> sled::Db {
    let patience = Instant::now() + Duration::from_secs(30);
    loop {
        match sled::open(folder) {
            Ok(db) => return db,
            Err(sled::Error::Io(error))
                if error.to_string().contains("acquire lock") && Instant::now() < patience =>
            {
                std::thread::yield_now();
            }
            Err(error) => panic!("{error}"),
        }
    }
}

#[tokio::test]
async fn entries_outlive_the_process_and_know_whether_they_are_current() {
    let folder = folder();
    let (dir, path) = (folder.path().join("cache"), folder.path().join("a.jsonl"));
    journal(&path, &["one"]).await;
    let head = read_head(&path).unwrap();
    let mut index = open(&dir);
    assert_eq!(get(&mut index, "summaries", b"a"), None);
    put(&mut index, "summaries", b"a", &head, b"value");
    put(&mut index, "summaries", b"b", &Head::EMPTY, b"");
    put(&mut index, "summaries2", b"c", &head, b"elsewhere");
    drop(index);

    let mut index = open(&dir);
    let entry = get(&mut index, "summaries", b"a").unwrap();
    assert_eq!(entry.value, b"value");
    assert_eq!(entry.watermark, head);
    assert!(entry.is_current(&path).unwrap());
    let entries = entries(&mut index, "summaries");
    let keys: Vec<&[u8]> = entries.iter().map(|(key, _)| key.as_slice()).collect();
    assert_eq!(keys, [b"a", b"b"]);
    assert_eq!(len(&mut index, "summaries"), 2);

    let opened = Journals::new("a test", &pool())
        .resume_journal::<TestEvent>(&path)
        .unwrap();
    opened
        .writer
        .append(AT, "ana", &spoke("two"))
        .await
        .unwrap();
    assert!(!entry.is_current(&path).unwrap());

    index.write_changes(&[(("summaries", b"a".to_vec()), None)]);
    assert_eq!(get(&mut index, "summaries", b"a"), None);
    index.clear();
    assert_eq!(
        len(&mut index, "summaries") + len(&mut index, "summaries2"),
        0
    );
    assert_eq!(index.why_off(), None);
}

#[test]
fn an_entry_under_another_name_or_with_another_byte_is_missing() {
    let folder = folder();
    let dir = folder.path().join("cache");
    put(&mut open(&dir), "t", b"key", &Head::EMPTY, b"value");
    {
        let db = opened_once_free(&dir);
        let (name, bytes) = db.iter().next().unwrap().unwrap();
        for index in 0..bytes.len() {
            let mut changed = bytes.to_vec();
            changed[index] ^= 1;
            let mut other = name.to_vec();
            other.push(index as u8);
            db.insert([&name[..name.len() - 1], &[index as u8]].concat(), changed)
                .unwrap();
        }
        db.insert([&name[..], b"moved"].concat(), bytes).unwrap();
        db.insert([&name[..], b"short"].concat(), b"x").unwrap();
    }
    let mut index = open(&dir);
    assert!(len(&mut index, "t") > 50);
    let names: Vec<Vec<u8>> = entries(&mut index, "t")
        .into_iter()
        .map(|(key, _)| key)
        .collect();
    assert!(names.iter().all(|name| name == b"key"), "{names:?}");
    assert_eq!(get(&mut index, "t", b"keymoved"), None);
}

#[test]
fn a_second_process_works_without_the_index_of_the_first() {
    let folder = folder();
    let dir = folder.path().join("cache");
    let mut index = open(&dir);
    put(&mut index, "t", b"k", &Head::EMPTY, b"first");
    let mut second = child("", "tests::index::child_opens_an_index_in_use", &dir)
        .spawn()
        .unwrap();
    let told = wait_for(&mut second, "NOTICE");
    assert!(second.wait().unwrap().success());
    assert!(told.contains("another process uses it"), "{told}");
    assert_eq!(get(&mut index, "t", b"k").unwrap().value, b"first");
}

#[test]
#[ignore = "a part of another test, in a process of its own"]
fn child_opens_an_index_in_use() {
    let (mut index, notice) = Index::open(&child_path(), IndexOptions::default());
    put(&mut index, "t", b"k", &Head::EMPTY, b"second");
    assert_eq!(get(&mut index, "t", b"k"), None);
    assert!(index.why_off().is_some());
    assert!(index.pause_count() > 0, "it is waited for");
    assert!(index.pause_count() <= Index::MAX_PAUSES);
    println!("NOTICE {}", notice.unwrap());
}

/// How often each process opens the index, and how many entries it writes each time.
const TURNS: u32 = 12;
const A_TURN: u32 = 40;

#[test]
fn six_processes_wait_a_bounded_time_for_the_index_and_lose_nothing() {
    let folder = folder();
    let dir = folder.path().join("cache");
    let mut writers: Vec<_> = ["one", "two", "three", "four", "five"]
        .iter()
        .map(|name| {
            let mut child = child("", "tests::index::child_writes_by_turns", &dir);
            child.env(WRITER, name).spawn().unwrap()
        })
        .collect();
    let mut most = 0;
    let mut read = 0;
    while writers
        .iter_mut()
        .any(|writer| writer.try_wait().unwrap().is_none())
    {
        let (mut index, notice) = Index::open(&dir, IndexOptions::default());
        most = most.max(index.pause_count());
        match notice {
            None => {
                // Nothing that was there goes away.
                let now = len(&mut index, "t");
                assert!(now >= read, "{now} after {read}");
                read = now;
            }
            Some(notice) => assert!(matches!(notice, IndexNotice::Off { .. }), "{notice}"),
        }
    }
    assert!(most <= Index::MAX_PAUSES);
    let mut written = 0;
    for writer in writers {
        let ended = writer.wait_with_output().unwrap();
        let said = String::from_utf8_lossy(&ended.stdout).into_owned();
        assert!(ended.status.success(), "{said}");
        let (_, turns) = said.split_once("WROTE ").unwrap();
        written += turns.lines().next().unwrap().parse::<u32>().unwrap();
    }
    assert!(written > 0);
    let mut index = open(&dir);
    assert_eq!(entries(&mut index, "t").len(), (written * A_TURN) as usize);
}

/// The name of a process that writes.
const WRITER: &str = "ELENCHUS_TEST_WRITER";

#[test]
#[ignore = "a part of another test, in a process of its own"]
fn child_writes_by_turns() {
    let name = std::env::var(WRITER).unwrap();
    let mut written = 0;
    for turn in 0..TURNS {
        let (mut index, notice) = Index::open(&child_path(), IndexOptions::default());
        assert!(index.pause_count() <= Index::MAX_PAUSES);
        assert!(
            !matches!(notice, Some(IndexNotice::Damaged { .. })),
            "{notice:?}"
        );
        let entry = |number: u32| {
            let entry = IndexEntry {
                stamp: JournalStamp::default(),
                watermark: Head::EMPTY,
                value: value(number),
            };
            let key = format!("{name} {turn} {number}").into_bytes();
            (("t", key), Some(entry))
        };
        index.write_changes(&(0..A_TURN).map(entry).collect::<Vec<_>>());
        written += u32::from(index.why_off().is_none());
    }
    println!("WROTE {written}");
}

/// A way in which an index's folder is spoiled: its name, and what it does to the folder.
type Damage = (&'static str, fn(&Path));

const DAMAGES: &[Damage] = &[
    ("emptied", |dir| {
        fs::remove_dir_all(dir).unwrap();
        fs::create_dir(dir).unwrap();
    }),
    ("gone", |dir| fs::remove_dir_all(dir).unwrap()),
    ("a file in its place", |dir| {
        fs::remove_dir_all(dir).unwrap();
        fs::write(dir, "file").unwrap();
    }),
    ("truncated to nothing", |dir| each_file(dir, |_| Vec::new())),
    ("truncated to half", |dir| {
        each_file(dir, |bytes| bytes[..bytes.len() / 2].to_vec());
    }),
    ("truncated by a byte", |dir| {
        each_file(dir, |bytes| bytes[..bytes.len().saturating_sub(1)].to_vec());
    }),
    ("noise everywhere", |dir| {
        each_file(dir, |bytes| noise(bytes.len(), 1))
    }),
    ("noise in db", |dir| {
        one_file(dir, "db", |bytes| noise(bytes.len(), 2))
    }),
    ("text in db", |dir| {
        one_file(dir, "db", |_| b"not a database".to_vec())
    }),
    ("noise in conf", |dir| {
        one_file(dir, "conf", |bytes| noise(bytes.len(), 3))
    }),
    ("noise in the middle of db", |dir| {
        one_file(dir, "db", |mut bytes| {
            let (start, end) = (bytes.len() / 3, bytes.len() / 2);
            bytes[start..end].copy_from_slice(&noise(end - start, 4));
            bytes
        });
    }),
    ("holes in db", |dir| {
        one_file(dir, "db", |mut bytes| {
            bytes
                .chunks_mut(4096)
                .step_by(3)
                .for_each(|page| page.fill(0));
            bytes
        });
    }),
    ("bits of db", |dir| {
        one_file(dir, "db", |mut bytes| {
            bytes.iter_mut().step_by(997).for_each(|byte| *byte ^= 0x10);
            bytes
        });
    }),
];

#[tokio::test]
async fn a_spoiled_index_harms_no_journal_and_is_built_again() {
    for (damage, spoil) in DAMAGES {
        let folder = folder();
        let layout = Layout::new(folder.path());
        layout.create_missing_folders().unwrap();
        let path = layout.session_path("a").unwrap();
        let heads = journal(&path, &["one", "two"]).await;
        // Each in a process of its own: a panic on one of sled's own threads breaks it for the process.
        let run = |test: &str| {
            child("", test, folder.path())
                .stderr(Stdio::piped())
                .output()
                .unwrap()
        };
        assert!(run("tests::index::child_fills_the_index").status.success());
        spoil(&layout.cache_folder());
        let first = run("tests::index::child_uses_a_spoiled_index");
        let printed = String::from_utf8_lossy(&first.stderr).into_owned();
        assert!(first.status.success(), "{damage}: {printed}");
        assert!(!printed.contains("panicked"), "{damage}: {printed}");
        // Whatever the first met, the second has an index that works.
        let second = run("tests::index::child_has_a_working_index");
        let printed = String::from_utf8_lossy(&second.stderr).into_owned();
        assert!(second.status.success(), "{damage}: {printed}");

        assert_eq!(texts(&path), ["one", "two"]);
        assert!(
            verify_journal(&path, &heads).unwrap().is_sound(),
            "{damage}"
        );
    }
}

#[test]
fn an_index_that_fails_in_use_is_off_for_the_process_and_begun_anew_by_the_next() {
    let folder = folder();
    let run = |test: &str| {
        let mut command = child("", test, folder.path());
        command.stderr(Stdio::piped()).output().unwrap()
    };
    assert!(run("tests::index::child_fills_the_index").status.success());
    let failing = run("tests::index::child_loses_its_index_in_use");
    let printed = String::from_utf8_lossy(&failing.stderr).into_owned();
    assert!(failing.status.success(), "{printed}");
    assert!(!printed.contains("panicked"), "{printed}");
    let (mut index, notice) = Index::open(
        &Layout::new(folder.path()).cache_folder(),
        IndexOptions::default(),
    );
    let notice = notice.unwrap().to_string();
    assert!(notice.contains("it failed while it was used"), "{notice}");
    assert_eq!(index.why_off(), None);
    assert_eq!(len(&mut index, "t"), 0);
}

#[test]
#[ignore = "a part of another test, in a process of its own"]
fn child_loses_its_index_in_use() {
    let dir = Layout::new(child_path()).cache_folder();
    let options = IndexOptions {
        capacity_bytes: 256,
    };
    let (mut index, notice) = Index::open(&dir, options);
    assert_eq!(notice, None);
    one_file(&dir, "db", |bytes| noise(bytes.len(), 5));
    for number in 0..ENTRIES {
        let entry = get(&mut index, "t", &number.to_be_bytes());
        assert!(entry.is_none_or(|entry| entry.value == value(number)));
    }
    assert!(index.why_off().is_some());
    assert_eq!(entries(&mut index, "t"), []);
    put(&mut index, "t", b"k", &Head::EMPTY, b"v");
    assert_eq!(get(&mut index, "t", b"k"), None);
    drop(index);
    // The folder is left for a process in which sled works.
    let (index, notice) = Index::open(&dir, IndexOptions::default());
    assert!(index.why_off().is_some());
    assert!(
        matches!(notice, Some(IndexNotice::Off { .. })),
        "{notice:?}"
    );
}

const ENTRIES: u32 = 400;

fn value(number: u32) -> Vec<u8> {
    noise(2000, u64::from(number) + 10)
}

#[test]
#[ignore = "a part of another test, in a process of its own"]
fn child_fills_the_index() {
    let mut index = open(&Layout::new(child_path()).cache_folder());
    for number in 0..ENTRIES {
        put(
            &mut index,
            "t",
            &number.to_be_bytes(),
            &Head::EMPTY,
            &value(number),
        );
    }
    assert_eq!(len(&mut index, "t"), ENTRIES as usize);
}

#[test]
#[ignore = "a part of another test, in a process of its own"]
fn child_uses_a_spoiled_index() {
    let (mut index, notice) = Index::open(
        &Layout::new(child_path()).cache_folder(),
        IndexOptions::default(),
    );
    if let Some(notice @ IndexNotice::Damaged { aside, .. }) = &notice {
        assert!(aside.exists(), "{notice}");
    }
    for (key, entry) in entries(&mut index, "t") {
        let number = u32::from_be_bytes(key.try_into().unwrap());
        assert_eq!(entry.value, value(number));
    }
    let table = index.read_table("t");
    for number in 0..ENTRIES {
        let key = number.to_be_bytes();
        if let Some(entry) = table.get(&key) {
            assert_eq!(entry.value, value(number), "a wrong value was handed out");
        }
        put(&mut index, "t", &key, &Head::EMPTY, &value(number));
    }
}

#[test]
#[ignore = "a part of another test, in a process of its own"]
fn child_has_a_working_index() {
    let (mut index, _) = Index::open(
        &Layout::new(child_path()).cache_folder(),
        IndexOptions::default(),
    );
    put(&mut index, "t", b"k", &Head::EMPTY, b"v");
    assert_eq!(index.why_off(), None);
    assert_eq!(get(&mut index, "t", b"k").unwrap().value, b"v");
}

#[test]
fn only_a_few_damaged_folders_are_kept() {
    let folder = folder();
    let dir = folder.path().join("cache");
    for _ in 0..6 {
        let _ = fs::remove_dir_all(&dir);
        fs::write(&dir, "not a folder").unwrap();
        let (index, notice) = Index::open(&dir, IndexOptions::default());
        assert!(
            matches!(notice, Some(IndexNotice::Damaged { .. })),
            "{notice:?}"
        );
        assert_eq!(index.why_off(), None);
    }
    let kept = fs::read_dir(folder.path())
        .unwrap()
        .filter(|entry| {
            let name = entry.as_ref().unwrap().file_name();
            name.to_string_lossy().contains("damaged")
        })
        .count();
    assert_eq!(kept, 3);
}

fn each_file(dir: &Path, change: impl Fn(Vec<u8>) -> Vec<u8>) {
    for entry in fs::read_dir(dir).unwrap() {
        let path = entry.unwrap().path();
        if path.is_file() {
            fs::write(&path, change(fs::read(&path).unwrap())).unwrap();
        }
    }
}

fn one_file(dir: &Path, name: &str, change: impl Fn(Vec<u8>) -> Vec<u8>) {
    let path = dir.join(name);
    let bytes = fs::read(&path).unwrap();
    fs::write(path, change(bytes)).unwrap();
}

/// Bytes without a pattern, the same every time (xorshift).
fn noise(length: usize, seed: u64) -> Vec<u8> {
    let mut state = seed.wrapping_mul(0x9E37_79B9_7F4A_7C15) | 1;
    (0..length)
        .map(|_| {
            state ^= state << 13;
            state ^= state >> 7;
            state ^= state << 17;
            (state >> 32) as u8
        })
        .collect()
}
