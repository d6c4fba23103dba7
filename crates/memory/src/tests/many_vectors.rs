//! A vector file of a hundred thousand entries.

use crate::embed::{EmbedError, Embedder};
use crate::vectors::{VectorFile, cosine};
use crate::{RetrievalItem, Retriever, Semantic};
use std::path::Path;
use std::process::Command;
use std::sync::Arc;

/// Makes this very program search the file that it names and print what it found and needed.
const SEARCHES: &str = "ELENCHUS_TEST_SEARCHES_VECTORS";
const COUNT: usize = 100_000;
const DIM: usize = 128;
const NEAREST: usize = 5;
/// The file is 55 MB, its numbers alone 51; what is kept of them in memory is a quarter.
const MOST_KB: u64 = 40_000;

/// Gives every text a direction of its own.
struct Drawn;

impl Drawn {
    fn vector(text: &str) -> Vec<f32> {
        let mut state = text.bytes().fold(7_u64, |state, byte| {
            state.wrapping_mul(31).wrapping_add(u64::from(byte))
        });
        // Marsaglia's shifts ("Xorshift RNGs", 2003): millions of numbers are drawn.
        let mut draw = || {
            state ^= state << 13;
            state ^= state >> 7;
            state ^= state << 17;
            (state >> 40) as f32 / (1_u64 << 23) as f32 - 1.0
        };
        let drawn: Vec<f32> = (0..DIM).map(|_| draw()).collect();
        let length = drawn.iter().map(|x| x * x).sum::<f32>().sqrt();
        drawn.iter().map(|x| x / length).collect()
    }
}

impl Embedder for Drawn {
    fn name(&self) -> &str {
        "drawn"
    }

    fn dim(&self) -> usize {
        DIM
    }

    fn embed(&self, texts: &[&str]) -> Result<Vec<Vec<f32>>, EmbedError> {
        Ok(texts.iter().map(|text| Self::vector(text)).collect())
    }
}

fn texts() -> Vec<String> {
    (0..COUNT).map(|at| format!("lesson {at}")).collect()
}

fn searched(path: &Path, texts: &[String]) -> Vec<(String, f64)> {
    let (vectors, _) = VectorFile::open(path, "drawn", DIM).unwrap();
    let semantic = Semantic::new(Arc::new(Drawn), vectors);
    let items: Vec<RetrievalItem<'_>> = texts
        .iter()
        .map(|text| RetrievalItem { id: text, text })
        .collect();
    let hits = semantic.rank_items("the topic", &items, NEAREST).unwrap();
    hits.into_iter().map(|hit| (hit.id, hit.score)).collect()
}

/// The largest part of memory that this process ever had, in KB.
fn most_kb() -> u64 {
    let status = std::fs::read_to_string("/proc/self/status").unwrap();
    let line = status
        .lines()
        .find(|line| line.starts_with("VmHWM:"))
        .unwrap();
    line.split_whitespace().nth(1).unwrap().parse().unwrap()
}

#[test]
#[ignore = "a part of another test, in a process of its own"]
fn child_searches_vectors() {
    let path = std::env::var_os(SEARCHES).unwrap();
    let before = most_kb();
    let (file, _) = VectorFile::open(Path::new(&path), "drawn", DIM).unwrap();
    assert_eq!(file.len(), COUNT);
    println!("needed {} KB", most_kb() - before);
}

#[test]
#[ignore = "100,000 entries: .ci/run --full"]
fn a_hundred_thousand_entries_are_searched_exactly_and_take_a_quarter_of_their_numbers() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("many.vectors");
    let texts = texts();
    let found = searched(&path, &texts);
    let asked = Drawn::vector("the topic");
    let mut expected: Vec<(f64, &String)> = texts
        .iter()
        .map(|text| (cosine(&asked, &Drawn::vector(text)), text))
        .collect();
    expected.sort_by(|a, b| b.0.total_cmp(&a.0));
    assert_eq!(found.len(), NEAREST);
    for ((id, score), (own, text)) in found.iter().zip(&expected) {
        assert_eq!(&id, text);
        assert!((score - own).abs() < 1e-6);
    }
    let searched = Command::new(std::env::current_exe().unwrap())
        .args([
            "--exact",
            "--ignored",
            "tests::many_vectors::child_searches_vectors",
            "--nocapture",
        ])
        .env(SEARCHES, &path)
        .output()
        .unwrap();
    let out = String::from_utf8(searched.stdout).unwrap();
    let needed = out
        .split("needed ")
        .nth(1)
        .unwrap_or_else(|| panic!("{out}"));
    let needed: u64 = needed.split(' ').next().unwrap().parse().unwrap();
    assert!(needed < MOST_KB, "{needed} KB");
}
