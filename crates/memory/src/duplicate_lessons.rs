//! Duplicate lessons: finds an earlier lesson that says the same.

use super::{RetrievalItem, RetrieveError, Retriever, Semantic, compute_similarity};

/// Cosine from which two lessons say the same.
///
/// With all-MiniLM-L6-v2 a lesson in other words has 0.86 to 0.92 and one with another full stop
/// 0.98; lessons of one form about different things ("email account", "bank account") stay below
/// 0.79.
const SAME_LESSON_COSINE: f64 = 0.9;

/// Similarity ([`compute_similarity`](super::compute_similarity)) from which two lessons say the same, where no embedder is available.
///
/// Lessons of one form about different things reach 0.64, more than topics do: lessons are longer.
const SAME_LESSON_SIMILARITY: f64 = 0.8;

/// Method of comparison.
#[derive(Clone, Copy)]
pub enum LessonComparison<'a> {
    /// The cosine of their vectors.
    ByMeaning(&'a Semantic),
    /// The word pairs that they share.
    ByWords,
}

/// An earlier text that says the same.
#[derive(Debug, Clone, PartialEq)]
pub struct DuplicateLesson {
    /// [`RetrievalItem::id`].
    pub id: String,
    /// The cosine, or the [`compute_similarity`](super::compute_similarity).
    pub nearness: f64,
}

/// Returns the earlier text that says nearly the same as `text`: the nearest one whose cosine is at
/// least [`SAME_LESSON_COSINE`], or whose similarity is at least [`SAME_LESSON_SIMILARITY`]; of
/// equals the one whose text, then whose id comes first.
///
/// # Errors
/// When the embedder cannot read a text.
pub fn find_duplicate_lesson(
    comparison: LessonComparison<'_>,
    text: &str,
    earlier: &[RetrievalItem<'_>],
) -> Result<Option<DuplicateLesson>, RetrieveError> {
    match comparison {
        LessonComparison::ByMeaning(semantic) => {
            let nearest = semantic.rank_items(text, earlier, 1)?.into_iter().next();
            let same = nearest.filter(|hit| hit.score >= SAME_LESSON_COSINE);
            Ok(same.map(|hit| DuplicateLesson {
                id: hit.id,
                nearness: hit.score,
            }))
        }
        LessonComparison::ByWords => {
            let scores = earlier
                .iter()
                .map(|item| (compute_similarity(text, item.text), item));
            let same = scores.filter(|(nearness, _)| *nearness >= SAME_LESSON_SIMILARITY);
            let nearest = same.min_by(|(a, one), (b, other)| {
                b.total_cmp(a)
                    .then_with(|| (one.text, one.id).cmp(&(other.text, other.id)))
            });
            Ok(nearest.map(|(nearness, item)| DuplicateLesson {
                id: item.id.to_owned(),
                nearness,
            }))
        }
    }
}
