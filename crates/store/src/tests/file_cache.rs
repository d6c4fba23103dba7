//! The bounded cache of files.

use crate::{FileCache, FileCacheLimits};
use std::fs;
use std::time::{Duration, SystemTime};

fn kept(limits: FileCacheLimits) -> (tempfile::TempDir, FileCache) {
    let folder = tempfile::tempdir().unwrap();
    let files = FileCache::new(folder.path().join("kept"), limits);
    (folder, files)
}

const ROOMY: FileCacheLimits = FileCacheLimits {
    files: 1000,
    bytes: 1 << 20,
};

#[test]
fn a_value_is_found_by_its_whole_key_and_the_last_one_counts() {
    let (_folder, files) = kept(ROOMY);
    assert_eq!(files.get("a"), None);
    files.insert("a", b"one").unwrap();
    files.insert("ab", b"").unwrap();
    files.insert("a", b"two").unwrap();
    assert_eq!(files.get("a").unwrap(), b"two");
    assert_eq!(files.get("ab").unwrap(), b"");
    assert_eq!(files.get("b"), None);
}

#[test]
fn a_file_with_any_byte_changed_or_cut_is_as_if_it_were_not_there() {
    let (folder, files) = kept(ROOMY);
    files.insert("key", b"value").unwrap();
    let path = fs::read_dir(folder.path().join("kept"))
        .unwrap()
        .next()
        .unwrap()
        .unwrap()
        .path();
    let whole = fs::read(&path).unwrap();
    for at in 0..whole.len() {
        let mut changed = whole.clone();
        changed[at] ^= 1;
        fs::write(&path, changed).unwrap();
        assert_eq!(files.get("key"), None, "byte {at}");
        fs::write(&path, &whole[..at]).unwrap();
        assert_eq!(files.get("key"), None, "cut at {at}");
    }
    fs::write(&path, &whole).unwrap();
    assert_eq!(files.get("key").unwrap(), b"value");
}

#[test]
fn the_oldest_go_when_there_are_too_many_or_too_large_ones() {
    for limits in [
        FileCacheLimits { files: 20, ..ROOMY },
        FileCacheLimits {
            bytes: 20 * (32 + 4 + 100),
            ..ROOMY
        },
    ] {
        let (folder, files) = kept(limits);
        for number in 0..50u64 {
            let key = format!("k{number:03}");
            files.insert(&key, &[b'x'; 100]).unwrap();
            // Equal moments would leave open which one is older.
            let at = SystemTime::UNIX_EPOCH + Duration::from_secs(1_000_000 + number);
            for entry in fs::read_dir(folder.path().join("kept")).unwrap() {
                let path = entry.unwrap().path();
                if fs::read(&path).unwrap()[32..].starts_with(key.as_bytes()) {
                    fs::File::open(&path).unwrap().set_modified(at).unwrap();
                }
            }
        }
        let left: Vec<u64> = (0..50)
            .filter(|number| files.get(&format!("k{number:03}")).is_some())
            .collect();
        assert!((18..=20).contains(&left.len()), "{limits:?}: {left:?}");
        assert_eq!(*left.last().unwrap(), 49);
        assert_eq!(left[0], 50 - left.len() as u64, "{limits:?}: {left:?}");
    }
}
