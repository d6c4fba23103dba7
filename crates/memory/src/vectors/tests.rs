use super::nearest::NearestRow;
use super::*;
use proptest::prelude::*;
use std::fs;
use std::path::PathBuf;
use tempfile::TempDir;

fn key(number: usize) -> TextKey {
    TextKey::from_text(&format!("text {number}"))
}

fn place() -> (TempDir, PathBuf) {
    let folder = TempDir::new().unwrap();
    let path = folder.path().join("space").join("model.vectors");
    (folder, path)
}

fn filled(path: &std::path::Path, vectors: &[Vec<f32>]) -> VectorFile {
    filled_of(vectors.first().map_or(3, Vec::len), path, vectors)
}

fn filled_of(dim: usize, path: &std::path::Path, vectors: &[Vec<f32>]) -> VectorFile {
    let (mut file, _) = VectorFile::open(path, "model", dim).unwrap();
    let rows: Vec<(TextKey, Vec<f32>)> = vectors
        .iter()
        .enumerate()
        .map(|(number, vector)| (key(number), vector.clone()))
        .collect();
    file.append_vectors(&rows).unwrap();
    file
}

fn all(file: &VectorFile, count: usize) -> Vec<VectorRow> {
    let mut rows: Vec<VectorRow> = (0..count)
        .filter_map(|number| file.find_row(&key(number)))
        .collect();
    rows.sort_unstable();
    rows
}

fn unit(vector: &[f32]) -> Vec<f32> {
    let length = vector
        .iter()
        .map(|x| f64::from(*x).powi(2))
        .sum::<f64>()
        .sqrt();
    let scaled = vector.iter().map(|x| (f64::from(*x) / length) as f32);
    if length > 0.0 {
        scaled.collect()
    } else {
        vector.to_vec()
    }
}

/// A scan of everything that says what `nearest` promises.
fn naive(vectors: &[Vec<f32>], query: &[f32], k: usize) -> Vec<(usize, f64)> {
    let query = unit(query);
    let mut scored: Vec<(usize, f64)> = vectors
        .iter()
        .map(|vector| cosine(&query, &unit(vector)))
        .enumerate()
        .collect();
    scored.sort_by(|a, b| b.1.total_cmp(&a.1).then(a.0.cmp(&b.0)));
    if let Some((_, least)) = k.checked_sub(1).and_then(|last| scored.get(last)).copied() {
        scored.retain(|(_, score)| *score >= least);
    } else if k == 0 {
        scored.clear();
    }
    scored
}

fn assert_agrees(vectors: &[Vec<f32>], query: &[f32], k: usize) {
    let (_folder, path) = place();
    let file = filled_of(query.len(), &path, vectors);
    let found = file
        .find_nearest(query, &all(&file, vectors.len()), k)
        .unwrap();
    let found: Vec<(usize, f64)> = found
        .iter()
        .map(|near| (near.row.0 as usize, near.score))
        .collect();
    assert_eq!(found, naive(vectors, query, k));
}

/// Numbers of very different sizes, many of them equal or zero.
fn number() -> impl Strategy<Value = f32> {
    prop_oneof![
        3 => -1.0_f32..1.0,
        1 => Just(0.0),
        1 => Just(1.0),
        1 => -1e-6_f32..1e-6,
        1 => -1e6_f32..1e6,
    ]
}

proptest! {
    #[test]
    fn the_nearest_are_those_of_a_scan_of_everything(
        (vectors, query) in (1_usize..24).prop_flat_map(|dim| {
            let vector = || prop::collection::vec(number(), dim);
            (prop::collection::vec(vector(), 0..60), vector())
        }),
        k in 0_usize..70,
    ) {
        assert_agrees(&vectors, &query, k);
    }

    #[test]
    fn whatever_a_file_holds_it_opens_and_nothing_panics(
        bytes in prop::collection::vec(any::<u8>(), 0..300),
        keep in 0_usize..400,
    ) {
        let (_folder, path) = place();
        drop(filled(&path, &[vec![1.0, 0.0, 0.0], vec![0.0, 1.0, 0.0]]));
        let mut file = fs::read(&path).unwrap();
        file.truncate(keep);
        file.extend(bytes);
        fs::write(&path, file).unwrap();
        let (mut opened, _) = VectorFile::open(&path, "model", 3).unwrap();
        opened.append_vectors(&[(key(7), vec![0.0, 0.0, 2.0])]).unwrap();
        let row = opened.find_row(&key(7)).unwrap();
        let found = opened.find_nearest(&[0.0, 0.0, 1.0], &[row], 1).unwrap();
        prop_assert_eq!(found, vec![NearestRow { row, score: 1.0 }]);
    }
}

#[test]
fn many_random_vectors_are_searched_as_by_a_scan() {
    use rand::{Rng, SeedableRng};
    let mut random = rand_chacha::ChaCha8Rng::seed_from_u64(5);
    let mut vector = || {
        (0..48)
            .map(|_| random.random_range(-1.0_f32..1.0))
            .collect::<Vec<f32>>()
    };
    let vectors: Vec<Vec<f32>> = (0..3_000).map(|_| vector()).collect();
    for k in [1, 5, 50] {
        assert_agrees(&vectors, &vector(), k);
    }
}

#[test]
fn all_that_tie_for_the_last_place_are_found() {
    let same = vec![0.6, 0.8, 0.0];
    let vectors = [same.clone(), vec![1.0, 0.0, 0.0], same.clone(), same];
    let (_folder, path) = place();
    let file = filled(&path, &vectors);
    let found = file
        .find_nearest(&[1.0, 0.0, 0.0], &all(&file, 4), 2)
        .unwrap();
    let rows: Vec<u32> = found.iter().map(|near| near.row.0).collect();
    assert_eq!(rows, [1, 0, 2, 3]);
}

#[test]
fn a_vector_of_zeros_is_near_to_nothing_and_more_than_there_are_can_be_asked_for() {
    let vectors = [vec![0.0; 3], vec![1.0, 0.0, 0.0], vec![-1.0, 0.0, 0.0]];
    assert_agrees(&vectors, &[1.0, 0.0, 0.0], 9);
    assert_agrees(&vectors, &[0.0; 3], 2);
    let (_folder, path) = place();
    let file = filled(&path, &vectors);
    let scores: Vec<f64> = file
        .find_nearest(&[2.0, 0.0, 0.0], &all(&file, 3), 9)
        .unwrap()
        .iter()
        .map(|near| near.score)
        .collect();
    assert_eq!(scores, [1.0, 0.0, -1.0]);
}

#[test]
fn only_the_rows_that_are_asked_for_are_found() {
    let vectors = [vec![1.0, 0.0], vec![0.9, 0.1], vec![0.0, 1.0]];
    let (_folder, path) = place();
    let file = filled(&path, &vectors);
    let found = file
        .find_nearest(&[1.0, 0.0], &[VectorRow(1), VectorRow(2)], 1)
        .unwrap();
    assert_eq!(found.len(), 1);
    assert_eq!(found[0].row, VectorRow(1));
}

#[test]
fn what_was_added_is_there_when_the_file_is_opened_again() {
    let (_folder, path) = place();
    drop(filled(&path, &[vec![3.0, 4.0], vec![0.0, 5.0]]));
    let (file, aside) = VectorFile::open(&path, "model", 2).unwrap();
    assert_eq!((file.len(), aside), (2, None));
    let found = file.find_nearest(&[3.0, 4.0], &all(&file, 2), 1).unwrap();
    assert!((found[0].score - 1.0).abs() < 1e-6);
    assert_eq!(Some(found[0].row), file.find_row(&key(0)));
}

#[test]
fn half_a_row_at_the_end_is_left_out_and_cut_off_by_the_next_one() {
    let (_folder, path) = place();
    drop(filled(&path, &[vec![1.0, 0.0], vec![0.0, 1.0]]));
    let whole = fs::metadata(&path).unwrap().len();
    let row = whole - fs::metadata(&path).map(|_| 8 + 4 + 4 + 5 + 8).unwrap();
    let torn = whole - row / 4;
    fs::OpenOptions::new()
        .write(true)
        .open(&path)
        .unwrap()
        .set_len(torn)
        .unwrap();
    let (mut file, aside) = VectorFile::open(&path, "model", 2).unwrap();
    assert_eq!((file.len(), aside), (1, None));
    file.append_vectors(&[(key(1), vec![0.0, 1.0])]).unwrap();
    assert_eq!(fs::metadata(&path).unwrap().len(), whole);
    let (file, _) = VectorFile::open(&path, "model", 2).unwrap();
    assert_eq!(file.len(), 2);
}

#[test]
fn a_damaged_row_is_left_out_and_can_be_added_again() {
    let (_folder, path) = place();
    drop(filled(&path, &[vec![1.0, 0.0], vec![0.6, 0.8]]));
    let mut bytes = fs::read(&path).unwrap();
    let last = bytes.len() - 12;
    bytes[last] ^= 1;
    fs::write(&path, bytes).unwrap();
    let (mut file, aside) = VectorFile::open(&path, "model", 2).unwrap();
    assert_eq!((file.len(), aside), (1, None));
    assert_eq!(file.find_row(&key(1)), None);
    file.append_vectors(&[(key(1), vec![0.6, 0.8])]).unwrap();
    let found = file.find_nearest(&[0.6, 0.8], &all(&file, 2), 1).unwrap();
    assert_eq!(Some(found[0].row), file.find_row(&key(1)));
    assert!((found[0].score - 1.0).abs() < 1e-6);
}

#[test]
fn a_file_that_is_something_else_is_set_aside_whole() {
    let (_folder, path) = place();
    fs::create_dir_all(path.parent().unwrap()).unwrap();
    for round in 1..=3 {
        fs::write(&path, format!("notes of round {round}")).unwrap();
        let (file, aside) = VectorFile::open(&path, "model", 2).unwrap();
        let aside = aside.unwrap();
        assert!(file.is_empty());
        let kept = fs::read_to_string(&aside.aside).unwrap();
        assert_eq!(kept, format!("notes of round {round}"));
        assert!(
            aside.to_string().contains("is no file of vectors"),
            "{aside}"
        );
    }
}

#[test]
fn a_file_of_another_embedder_or_width_is_set_aside() {
    let (_folder, path) = place();
    drop(filled(&path, &[vec![1.0, 0.0]]));
    let (file, aside) = VectorFile::open(&path, "other", 2).unwrap();
    assert!(file.is_empty() && aside.is_some());
    let (file, aside) = VectorFile::open(&path, "other", 3).unwrap();
    assert!(file.is_empty());
    assert!(aside.unwrap().why.contains("not that of this embedder"));
}

#[test]
fn two_that_are_open_at_once_see_what_the_other_added_and_lose_nothing() {
    let (_folder, path) = place();
    let (mut one, _) = VectorFile::open(&path, "model", 2).unwrap();
    let (mut other, _) = VectorFile::open(&path, "model", 2).unwrap();
    one.append_vectors(&[(key(0), vec![1.0, 0.0])]).unwrap();
    other.append_vectors(&[(key(1), vec![0.0, 1.0])]).unwrap();
    other.append_vectors(&[(key(0), vec![0.0, 1.0])]).unwrap();
    one.append_vectors(&[]).unwrap();
    for file in [&one, &other] {
        assert_eq!(file.len(), 2);
        let found = file.find_nearest(&[1.0, 0.0], &all(file, 2), 1).unwrap();
        assert_eq!(Some(found[0].row), file.find_row(&key(0)));
    }
}

#[test]
fn a_file_that_was_deleted_meanwhile_is_begun_again() {
    let (_folder, path) = place();
    let mut file = filled(&path, &[vec![1.0, 0.0]]);
    fs::remove_file(&path).unwrap();
    let found = file.find_nearest(&[1.0, 0.0], &all(&file, 1), 1).unwrap();
    assert_eq!(found.len(), 1);
    file.append_vectors(&[(key(1), vec![0.0, 1.0])]).unwrap();
    assert_eq!(file.find_row(&key(0)), None);
    let (opened, _) = VectorFile::open(&path, "model", 2).unwrap();
    assert_eq!(opened.len(), 1);
}

#[test]
fn what_is_no_vector_is_refused_and_nothing_is_written() {
    let (_folder, path) = place();
    let mut file = filled(&path, &[vec![1.0, 0.0]]);
    let before = fs::read(&path).unwrap();
    let short = file.append_vectors(&[(key(1), vec![1.0])]).unwrap_err();
    assert!(
        short.to_string().contains("has 1 numbers where 2 are kept"),
        "{short}"
    );
    let wrong = file
        .append_vectors(&[(key(1), vec![f32::NAN, 0.0])])
        .unwrap_err();
    assert!(matches!(wrong, VectorError::NotFinite));
    assert!(file.find_nearest(&[1.0], &[VectorRow(0)], 1).is_err());
    assert!(VectorFile::open(&path, "model", MAX_DIM + 1).is_err());
    assert_eq!(fs::read(&path).unwrap(), before);
}
