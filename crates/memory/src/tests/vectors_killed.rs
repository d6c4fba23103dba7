//! A process that is killed while it writes vectors.

use crate::vectors::{TextKey, VectorFile};
use rand::{Rng, SeedableRng};
use std::path::Path;
use std::process::{Command, Stdio};

/// Makes this very program write vectors to the file that it names, for ever.
const WRITES: &str = "ELENCHUS_TEST_WRITES_VECTORS";
const DIM: usize = 384;
const KILLS: usize = 15;

fn vector(number: usize) -> Vec<f32> {
    let mut random = rand_chacha::ChaCha8Rng::seed_from_u64(number as u64);
    (0..DIM).map(|_| random.random_range(-1.0..1.0)).collect()
}

fn key(number: usize) -> TextKey {
    TextKey::from_text(&number.to_string())
}

#[test]
#[ignore = "a part of another test, in a process of its own"]
fn child_writes_vectors() {
    let path = std::env::var_os(WRITES).unwrap();
    let (mut file, _) = VectorFile::open(Path::new(&path), "model", DIM).unwrap();
    let from = file.len();
    for number in from.. {
        file.append_vectors(&[
            (key(number), vector(number)),
            (key(number + 1), vector(number + 1)),
        ])
        .unwrap();
    }
}

#[test]
fn what_was_written_before_a_kill_is_there_and_whole() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("killed.vectors");
    let mut random = rand_chacha::ChaCha8Rng::seed_from_u64(11);
    let mut had = 0;
    for _ in 0..KILLS {
        // Two at once, which share the file.
        let mut writers: Vec<_> = (0..2)
            .map(|_| {
                Command::new(std::env::current_exe().unwrap())
                    .args([
                        "--exact",
                        "--ignored",
                        "tests::vectors_killed::child_writes_vectors",
                    ])
                    .env(WRITES, &path)
                    .stdout(Stdio::null())
                    .stderr(Stdio::null())
                    .spawn()
                    .unwrap()
            })
            .collect();
        let enough = std::fs::metadata(&path).map_or(0, |file| file.len())
            + random.random_range(4_000..300_000);
        while std::fs::metadata(&path).map_or(0, |file| file.len()) < enough {
            for writer in &mut writers {
                assert!(writer.try_wait().unwrap().is_none(), "it ended by itself");
            }
            std::thread::yield_now();
        }
        for writer in &mut writers {
            writer.kill().unwrap();
            writer.wait().unwrap();
        }
        let (file, aside) = VectorFile::open(&path, "model", DIM).unwrap();
        assert_eq!(aside, None);
        assert!(file.len() > had);
        had = file.len();
        for number in [0, had / 2, had - 1] {
            let row = file.find_row(&key(number)).unwrap();
            let found = file.find_nearest(&vector(number), &[row], 1).unwrap();
            assert!(
                (found[0].score - 1.0).abs() < 1e-6,
                "{number}: {}",
                found[0].score
            );
        }
    }
}
