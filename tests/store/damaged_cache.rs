//! A damaged cache: nothing is lost.

use elenchus_test_support::program::Program;
use elenchus_test_support::program::copy_folder;
use std::fs;
use std::path::{Path, PathBuf};

/// What the commands that may use the cache say; ages are left out.
fn said(program: &Program, session: &str) -> [String; 3] {
    [
        program.run_ok(&["ls", "--json"]),
        program.run_ok(&["show", session]),
        program.run_ok(&["metrics", "--json"]),
    ]
}

fn files(folder: &Path) -> Vec<PathBuf> {
    let mut found = Vec::new();
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            found.extend(files(&path));
        } else {
            found.push(path);
        }
    }
    found.sort();
    found
}

/// Bytes that mean nothing, the same every time.
fn noise(length: usize) -> Vec<u8> {
    let mut state = 0x2545_f491_4f6c_dd1d_u64;
    let bytes = (0..length).map(|_| {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        state as u8
    });
    bytes.collect()
}

fn empty(cache: &Path) {
    fs::remove_dir_all(cache).unwrap();
    fs::create_dir(cache).unwrap();
}

fn missing(cache: &Path) {
    fs::remove_dir_all(cache).unwrap();
}

fn truncated_to_nothing(cache: &Path) {
    for file in files(cache) {
        fs::write(file, b"").unwrap();
    }
}

fn truncated_to_half(cache: &Path) {
    for file in files(cache) {
        let bytes = fs::read(&file).unwrap();
        fs::write(&file, &bytes[..bytes.len() / 2]).unwrap();
    }
}

fn noisy(cache: &Path) {
    for file in files(cache) {
        let length = fs::metadata(&file).unwrap().len() as usize;
        fs::write(file, noise(length.max(64))).unwrap();
    }
}

fn noisy_in_the_middle(cache: &Path) {
    for file in files(cache) {
        let mut bytes = fs::read(&file).unwrap();
        let from = bytes.len() / 3;
        let to = (from + 200).min(bytes.len());
        bytes[from..to].copy_from_slice(&noise(to - from));
        fs::write(file, bytes).unwrap();
    }
}

fn one_file_gone(cache: &Path) {
    let file = files(cache).into_iter().find(|file| file.ends_with("db"));
    fs::remove_file(file.unwrap()).unwrap();
}

fn a_file(cache: &Path) {
    fs::remove_dir_all(cache).unwrap();
    fs::write(cache, noise(4096)).unwrap();
}

/// Something that happens to the cache's folder.
type Damage = fn(&Path);

#[test]
fn whatever_happens_to_the_cache_everything_is_still_there() {
    let program = Program::with_topics("");
    for topic in ["Why is the sea salty?", "How long does bread dough rest?"] {
        program.play(&["--protocol", "standard", "--topic", topic]);
    }
    let session = program.play(&["--protocol", "pred", "--rounds", "1", "--topic", "Any?"]);
    let before = said(&program, &session);
    let cache = program.store().join("cache");
    let damages: [(&str, Damage); 8] = [
        ("emptied", empty),
        ("missing", missing),
        ("truncated to nothing", truncated_to_nothing),
        ("truncated to half", truncated_to_half),
        ("filled with noise", noisy),
        ("noise in the middle", noisy_in_the_middle),
        ("without its file", one_file_gone),
        ("replaced by a file", a_file),
    ];
    for (name, damage) in damages {
        assert!(!files(&cache).is_empty());
        damage(&cache);
        assert_eq!(said(&program, &session), before, "{name}");
        // Damaged again, so that each command meets it.
        if cache.is_dir() && !files(&cache).is_empty() {
            damage(&cache);
        }
        program.run_ok(&["verify", "--repair-cache"]);
        assert_eq!(said(&program, &session), before, "{name}, then built anew");
    }
    noisy(&cache);
    program.play(&["--protocol", "standard", "--topic", "One more?"]);
    assert_eq!(program.run_ok(&["ls", "--json"]).lines().count(), 4);
}

#[test]
fn a_stale_cache_never_hides_what_a_journal_says() {
    let program = Program::with_topics("");
    let first = program.play(&["--protocol", "standard", "--topic", "First?"]);
    program.run_ok(&["ls"]);
    let cache = program.store().join("cache");
    let kept = program.path("kept-cache");
    copy_folder(&cache, &kept);
    program.play(&["--protocol", "standard", "--topic", "Second?"]);
    fs::remove_file(program.session_file(&first)).unwrap();
    let before = program.run_ok(&["ls", "--json"]);
    fs::remove_dir_all(&cache).unwrap();
    copy_folder(&kept, &cache);
    assert_eq!(program.run_ok(&["ls", "--json"]), before);
    assert!(!before.contains(&first));
}
