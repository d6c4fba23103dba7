use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use proptest::prelude::*;
use tempfile::TempDir;

use super::duplicate_lessons::DuplicateLesson;
use super::embed::{EmbedError, Embedder};
use super::vectors::{VectorFile, cosine};
use super::*;

/// Embeds a text as how often it has each letter; it cannot read digits.
#[derive(Default)]
struct Letters {
    embedded: AtomicUsize,
}

impl Letters {
    fn embed_letters(text: &str) -> Vec<f32> {
        let mut counts = vec![0.0_f32; 26];
        for letter in text.bytes().filter(u8::is_ascii_lowercase) {
            counts[usize::from(letter - b'a')] += 1.0;
        }
        let length = counts.iter().map(|count| count * count).sum::<f32>().sqrt();
        if length > 0.0 {
            counts.iter_mut().for_each(|count| *count /= length);
        }
        counts
    }
}

impl Embedder for Letters {
    fn name(&self) -> &str {
        "letters/1"
    }

    fn dim(&self) -> usize {
        26
    }

    fn embed(&self, texts: &[&str]) -> Result<Vec<Vec<f32>>, EmbedError> {
        self.embedded.fetch_add(texts.len(), Ordering::Relaxed);
        if texts.iter().any(|text| text.contains(char::is_numeric)) {
            return Err(EmbedError::Text {
                model: self.name().to_owned(),
                why: "a digit".to_owned(),
            });
        }
        Ok(texts.iter().map(|text| Self::embed_letters(text)).collect())
    }
}

struct Place {
    folder: TempDir,
    letters: Arc<Letters>,
}

impl Place {
    fn new() -> Self {
        Place {
            folder: TempDir::new().unwrap(),
            letters: Arc::new(Letters::default()),
        }
    }

    fn open_semantic(&self) -> Semantic {
        let path = self.folder.path().join("letters.vectors");
        let (vectors, _) = VectorFile::open(&path, "letters/1", 26).unwrap();
        Semantic::new(Arc::clone(&self.letters) as Arc<dyn Embedder>, vectors)
    }

    fn take_embed_count(&self) -> usize {
        self.letters.embedded.swap(0, Ordering::Relaxed)
    }
}

fn retrieval_items<'a>(texts: &[(&'a str, &'a str)]) -> Vec<RetrievalItem<'a>> {
    let items = texts.iter().map(|(id, text)| RetrievalItem { id, text });
    items.collect()
}

fn ids(hits: &[RetrievalHit]) -> Vec<&str> {
    hits.iter().map(|hit| hit.id.as_str()).collect()
}

#[test]
fn each_text_is_embedded_once_for_good() {
    let place = Place::new();
    let all = retrieval_items(&[("a", "aab"), ("b", "bbc"), ("same as a", "aab")]);
    let first = place.open_semantic();
    first.rank_items("ab", &all, 5).unwrap();
    assert_eq!(place.take_embed_count(), 1 + 2);
    first.rank_items("ab", &all, 5).unwrap();
    assert_eq!(place.take_embed_count(), 1);
    // Another process finds what this one wrote.
    place.open_semantic().rank_items("ab", &all, 5).unwrap();
    assert_eq!(place.take_embed_count(), 1);
}

#[test]
fn equal_scores_are_ordered_by_text_and_then_by_id() {
    let place = Place::new();
    let all = retrieval_items(&[
        ("2", "ba"),
        ("9", "ab"),
        ("1", "ab"),
        ("0", "xy"),
        ("5", "ba"),
    ]);
    let hits = place.open_semantic().rank_items("ab", &all, 3).unwrap();
    assert_eq!(ids(&hits), ["1", "9", "2"]);
}

#[test]
fn a_text_that_cannot_be_embedded_is_an_error_and_what_was_made_stays() {
    let place = Place::new();
    let semantic = place.open_semantic();
    let texts: Vec<String> = (0..100_u8)
        .map(|at| "a".repeat(usize::from(at) + 1))
        .collect();
    let mut all: Vec<RetrievalItem<'_>> = texts
        .iter()
        .map(|text| RetrievalItem { id: text, text })
        .collect();
    let fine = all.clone();
    all.push(RetrievalItem {
        id: "bad",
        text: "4",
    });
    let error = semantic.rank_items("a", &all, 5).unwrap_err();
    assert_eq!(
        error.to_string(),
        "letters/1 cannot rank: the model letters/1 cannot embed a text: a digit"
    );
    assert!(semantic.rank_items("a", &fine, 5).is_ok());
    assert!(semantic.rank_items("4", &fine, 5).is_err());
}

#[test]
fn nothing_is_embedded_where_nothing_is_asked_for() {
    let place = Place::new();
    let semantic = place.open_semantic();
    assert_eq!(semantic.rank_items("a", &[], 5).unwrap(), []);
    assert_eq!(
        semantic
            .rank_items("a", &retrieval_items(&[("a", "a")]), 0)
            .unwrap(),
        []
    );
    assert_eq!(place.take_embed_count(), 0);
}

#[test]
fn a_lesson_says_the_same_only_where_it_is_near_enough() {
    let place = Place::new();
    let semantic = place.open_semantic();
    let all = retrieval_items(&[("far", "xyz"), ("near", "aabbc"), ("nearer", "aabb")]);
    let same =
        |text| find_duplicate_lesson(LessonComparison::ByMeaning(&semantic), text, &all).unwrap();
    assert_eq!(same("abab").unwrap().id, "nearer");
    assert_eq!(same("axyz"), None);
    let words = |text| find_duplicate_lesson(LessonComparison::ByWords, text, &all).unwrap();
    assert_eq!(
        words("aabb").unwrap(),
        DuplicateLesson {
            id: "nearer".to_owned(),
            nearness: 1.0
        }
    );
    assert_eq!(words("abab"), None);
    assert_eq!(
        find_duplicate_lesson(LessonComparison::ByWords, "", &[]).unwrap(),
        None
    );
}

proptest! {
    #[test]
    fn ranks_as_a_scan_of_everything_does(
        query in "[a-e]{0,8}",
        texts in prop::collection::vec("[a-f ]{0,6}", 0..30),
        kept_before in 0_usize..30,
        k in 0_usize..12,
    ) {
        let place = Place::new();
        let semantic = place.open_semantic();
        let ids: Vec<String> = (0..texts.len()).map(|at| format!("id{at}")).collect();
        let all: Vec<RetrievalItem<'_>> = ids
            .iter()
            .zip(&texts)
            .map(|(id, text)| RetrievalItem { id, text })
            .collect();
        let before = &all[..kept_before.min(all.len())];
        semantic.rank_items("a", before, 1).unwrap();
        let hits = semantic.rank_items(&query, &all, k).unwrap();
        let query_vector = Letters::embed_letters(&query);
        let mut scan_hits: Vec<(f64, &str, &str)> = all
            .iter()
            .map(|item| (cosine(&query_vector, &Letters::embed_letters(item.text)), item.text, item.id))
            .collect();
        scan_hits.sort_by(|a, b| b.0.total_cmp(&a.0).then((a.1, a.2).cmp(&(b.1, b.2))));
        scan_hits.truncate(k);
        prop_assert_eq!(hits.len(), scan_hits.len());
        for (hit, (score, _, _)) in hits.iter().zip(&scan_hits) {
            prop_assert!((hit.score - score).abs() < 1e-6);
        }
    }
}
