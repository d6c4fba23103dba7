//! The cache: it speeds reading up and does no harm when it is damaged.

use std::{
    fs,
    path::Path,
    process::Stdio,
    time::{Duration, Instant},
};

use elenchus::store::{
    Cache, CacheNotice, CacheOptions, Head, Journals, Layout, read_head, verify_journal,
};

use super::harness::{AT, child, child_path, folder, journal, pool, spoke, texts, wait_for};

fn open(folder: &Path) -> Cache {
    let (cache, notice) = Cache::open(folder, CacheOptions::default());
    assert_eq!(notice, None);
    cache
}

/// Opens the files beneath a cache that was just closed: sled's threads let go of the lock a moment
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
    let cache = open(&dir);
    assert_eq!(cache.get("summaries", b"a"), None);
    cache.put("summaries", b"a", &head, b"value");
    cache.put("summaries", b"b", &Head::EMPTY, b"");
    cache.put("summaries2", b"c", &head, b"elsewhere");
    drop(cache);

    let cache = open(&dir);
    let entry = cache.get("summaries", b"a").unwrap();
    assert_eq!(entry.value, b"value");
    assert_eq!(entry.watermark, head);
    assert!(entry.is_current(&path).unwrap());
    let entries = cache.entries("summaries");
    let keys: Vec<&[u8]> = entries.iter().map(|(key, _)| key.as_slice()).collect();
    assert_eq!(keys, [b"a", b"b"]);
    assert_eq!(cache.len("summaries"), 2);

    let opened = Journals::new("a test", &pool()).resume(&path).unwrap();
    opened
        .writer
        .append(AT, "ana", &spoke("two"))
        .await
        .unwrap();
    assert!(!entry.is_current(&path).unwrap());

    cache.remove("summaries", b"a");
    assert_eq!(cache.get("summaries", b"a"), None);
    cache.clear();
    assert_eq!(cache.len("summaries") + cache.len("summaries2"), 0);
    assert_eq!(cache.why_off(), None);
}

#[test]
fn an_entry_under_another_name_or_with_another_byte_is_missing() {
    let folder = folder();
    let dir = folder.path().join("cache");
    open(&dir).put("t", b"key", &Head::EMPTY, b"value");
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
    let cache = open(&dir);
    assert!(cache.len("t") > 50);
    let names: Vec<Vec<u8>> = cache.entries("t").into_iter().map(|(key, _)| key).collect();
    assert!(names.iter().all(|name| name == b"key"), "{names:?}");
    assert_eq!(cache.get("t", b"keymoved"), None);
}

#[test]
fn a_second_process_works_without_the_cache_of_the_first() {
    let folder = folder();
    let dir = folder.path().join("cache");
    let cache = open(&dir);
    cache.put("t", b"k", &Head::EMPTY, b"first");
    let mut second = child("", "store::cache::child_opens_a_cache_in_use", &dir)
        .spawn()
        .unwrap();
    let told = wait_for(&mut second, "NOTICE");
    assert!(second.wait().unwrap().success());
    assert!(told.contains("another process uses it"), "{told}");
    assert_eq!(cache.get("t", b"k").unwrap().value, b"first");
}

#[test]
#[ignore = "a part of another test, in a process of its own"]
fn child_opens_a_cache_in_use() {
    let (cache, notice) = Cache::open(&child_path(), CacheOptions::default());
    cache.put("t", b"k", &Head::EMPTY, b"second");
    assert_eq!(cache.get("t", b"k"), None);
    assert!(cache.why_off().is_some());
    println!("NOTICE {}", notice.unwrap());
}

/// A way in which a cache's folder is spoiled: its name, and what it does to the folder.
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
async fn a_spoiled_cache_harms_no_journal_and_is_built_again() {
    for (damage, spoil) in DAMAGES {
        let folder = folder();
        let layout = Layout::at(folder.path());
        layout.create().unwrap();
        let path = layout.session("a").unwrap();
        let heads = journal(&path, &["one", "two"]).await;
        // Each in a process of its own: a panic on one of sled's own threads breaks it for the process.
        let run = |test: &str| {
            child("", test, folder.path())
                .stderr(Stdio::piped())
                .output()
                .unwrap()
        };
        assert!(run("store::cache::child_fills_the_cache").status.success());
        spoil(&layout.cache());
        let first = run("store::cache::child_uses_a_spoiled_cache");
        let printed = String::from_utf8_lossy(&first.stderr).into_owned();
        assert!(first.status.success(), "{damage}: {printed}");
        assert!(!printed.contains("panicked"), "{damage}: {printed}");
        // Whatever the first met, the second has a cache that works.
        let second = run("store::cache::child_has_a_working_cache");
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
fn a_cache_that_fails_in_use_is_off_for_the_process_and_begun_anew_by_the_next() {
    let folder = folder();
    let run = |test: &str| {
        let mut command = child("", test, folder.path());
        command.stderr(Stdio::piped()).output().unwrap()
    };
    assert!(run("store::cache::child_fills_the_cache").status.success());
    let failing = run("store::cache::child_loses_its_cache_in_use");
    let printed = String::from_utf8_lossy(&failing.stderr).into_owned();
    assert!(failing.status.success(), "{printed}");
    assert!(!printed.contains("panicked"), "{printed}");
    let (cache, notice) = Cache::open(&Layout::at(folder.path()).cache(), CacheOptions::default());
    let notice = notice.unwrap().to_string();
    assert!(notice.contains("it failed while it was used"), "{notice}");
    assert_eq!((cache.why_off(), cache.len("t")), (None, 0));
}

#[test]
#[ignore = "a part of another test, in a process of its own"]
fn child_loses_its_cache_in_use() {
    let dir = Layout::at(child_path()).cache();
    let options = CacheOptions {
        capacity_bytes: 256,
    };
    let (cache, notice) = Cache::open(&dir, options);
    assert_eq!(notice, None);
    one_file(&dir, "db", |bytes| noise(bytes.len(), 5));
    for number in 0..ENTRIES {
        let entry = cache.get("t", &number.to_be_bytes());
        assert!(entry.is_none_or(|entry| entry.value == value(number)));
    }
    assert!(cache.why_off().is_some());
    assert_eq!(cache.entries("t"), []);
    cache.put("t", b"k", &Head::EMPTY, b"v");
    assert_eq!(cache.get("t", b"k"), None);
}

const ENTRIES: u32 = 400;

fn value(number: u32) -> Vec<u8> {
    noise(2000, u64::from(number) + 10)
}

#[test]
#[ignore = "a part of another test, in a process of its own"]
fn child_fills_the_cache() {
    let cache = open(&Layout::at(child_path()).cache());
    for number in 0..ENTRIES {
        cache.put("t", &number.to_be_bytes(), &Head::EMPTY, &value(number));
    }
    cache.flush();
    assert_eq!(cache.len("t"), ENTRIES as usize);
}

#[test]
#[ignore = "a part of another test, in a process of its own"]
fn child_uses_a_spoiled_cache() {
    let (cache, notice) = Cache::open(&Layout::at(child_path()).cache(), CacheOptions::default());
    if let Some(notice @ CacheNotice::Damaged { aside, .. }) = &notice {
        assert!(aside.exists(), "{notice}");
    }
    for (key, entry) in cache.entries("t") {
        let number = u32::from_be_bytes(key.try_into().unwrap());
        assert_eq!(entry.value, value(number));
    }
    for number in 0..ENTRIES {
        let key = number.to_be_bytes();
        if let Some(entry) = cache.get("t", &key) {
            assert_eq!(entry.value, value(number), "a wrong value was handed out");
        }
        cache.put("t", &key, &Head::EMPTY, &value(number));
    }
    cache.flush();
}

#[test]
#[ignore = "a part of another test, in a process of its own"]
fn child_has_a_working_cache() {
    let (cache, _) = Cache::open(&Layout::at(child_path()).cache(), CacheOptions::default());
    cache.put("t", b"k", &Head::EMPTY, b"v");
    cache.flush();
    assert_eq!(cache.why_off(), None);
    assert_eq!(cache.get("t", b"k").unwrap().value, b"v");
}

#[test]
fn only_a_few_damaged_folders_are_kept() {
    let folder = folder();
    let dir = folder.path().join("cache");
    for _ in 0..6 {
        let _ = fs::remove_dir_all(&dir);
        fs::write(&dir, "not a folder").unwrap();
        let (cache, notice) = Cache::open(&dir, CacheOptions::default());
        assert!(
            matches!(notice, Some(CacheNotice::Damaged { .. })),
            "{notice:?}"
        );
        assert_eq!(cache.why_off(), None);
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
