//! What finding the nearest of 100,000 vectors costs, beside one pass over the same bytes. Run with
//! `cargo bench --bench vectors`.
#![allow(clippy::unwrap_used, reason = "a measurement that cannot go on fails")]

use criterion::{Criterion, criterion_group, criterion_main};
use elenchus_memory::vectors::{TextKey, VectorFile, VectorRow, cosine};
use rand::{Rng, SeedableRng};
use std::hint::black_box;

const COUNT: u32 = 100_000;
const DIM: usize = 384;
const NEAREST: usize = 5;
/// How many vectors are added at once.
const BATCH: usize = 1_000;

fn random(count: usize, seed: u64) -> Vec<f32> {
    let mut random = rand_chacha::ChaCha8Rng::seed_from_u64(seed);
    let mut vectors = Vec::with_capacity(count * DIM);
    for _ in 0..count {
        let row: Vec<f32> = (0..DIM).map(|_| random.random_range(-1.0..1.0)).collect();
        let length = row.iter().map(|x| x * x).sum::<f32>().sqrt();
        vectors.extend(row.iter().map(|x| x / length));
    }
    vectors
}

/// The least that anything can do which looks at every number.
fn one_pass(numbers: &[f32]) -> u64 {
    let (eight, _) = numbers.as_chunks::<16>();
    let mut sums = [0_u32; 16];
    for chunk in eight {
        for (sum, number) in sums.iter_mut().zip(chunk) {
            *sum = sum.wrapping_add(number.to_bits());
        }
    }
    sums.iter().map(|sum| u64::from(*sum)).sum()
}

fn naive(numbers: &[f32], query: &[f32]) -> Vec<(f32, usize)> {
    let mut best: Vec<(f32, usize)> = Vec::new();
    for (at, row) in numbers.chunks_exact(DIM).enumerate() {
        let score: f32 = row.iter().zip(query).map(|(a, b)| a * b).sum();
        if best.len() < NEAREST || best.last().is_some_and(|last| score > last.0) {
            best.push((score, at));
            best.sort_by(|a, b| b.0.total_cmp(&a.0));
            best.truncate(NEAREST);
        }
    }
    best
}

fn search(c: &mut Criterion) {
    let numbers = random(COUNT as usize, 1);
    let query = random(1, 2);
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("bench.vectors");
    let (mut file, _) = VectorFile::open(&path, "bench", DIM).unwrap();
    let keyed: Vec<(TextKey, Vec<f32>)> = numbers
        .chunks_exact(DIM)
        .enumerate()
        .map(|(at, row)| (TextKey::from_text(&at.to_string()), row.to_vec()))
        .collect();
    for batch in keyed.chunks(BATCH) {
        file.append_vectors(batch).unwrap();
    }
    drop(keyed);
    let rows: Vec<VectorRow> = (0..COUNT).map(VectorRow).collect();
    let found = file.find_nearest(&query, &rows, NEAREST).unwrap();
    let expected: Vec<usize> = naive(&numbers, &query).iter().map(|(_, at)| *at).collect();
    let found: Vec<usize> = found.iter().map(|near| near.row.0 as usize).collect();
    assert_eq!(found, expected);

    let mut group = c.benchmark_group("top 5 of 100,000 x 384");
    group.sample_size(30);
    group.bench_function("one pass over the same bytes", |b| {
        b.iter(|| one_pass(black_box(&numbers)));
    });
    group.bench_function("a naive loop", |b| {
        b.iter(|| naive(black_box(&numbers), black_box(&query)));
    });
    group.bench_function("exact, one byte a number first", |b| {
        b.iter(|| {
            file.find_nearest(black_box(&query), black_box(&rows), NEAREST)
                .unwrap()
        });
    });
    group.bench_function("one product of two rows", |b| {
        b.iter(|| cosine(black_box(&query), black_box(&numbers[..DIM])));
    });
    group.bench_function("opening the file", |b| {
        b.iter(|| VectorFile::open(&path, "bench", DIM).unwrap().0.len());
    });
    group.finish();
}

criterion_group!(benches, search);
criterion_main!(benches);
