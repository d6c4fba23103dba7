//! Lessons that say the same.

use super::{Item, NEAR_DUPLICATE_SIMILARITY, RetrieveError, Retriever, Semantic, similarity};

/// From this cosine on, two lessons say the same.
pub const SAME_LESSON_COSINE: f64 = 0.95;

/// From this [`similarity`] on, two lessons say the same where none can be compared by meaning.
pub const SAME_LESSON_SIMILARITY: f64 = NEAR_DUPLICATE_SIMILARITY;

/// By what texts are compared.
#[derive(Clone, Copy)]
pub enum Compared<'a> {
    /// The cosine of their vectors.
    ByMeaning(&'a Semantic),
    /// The word pairs that they share.
    ByWords,
}

/// An earlier text that says the same.
#[derive(Debug, Clone, PartialEq)]
pub struct SameLesson {
    /// [`Item::id`].
    pub id: String,
    /// The cosine, or the [`similarity`].
    pub nearness: f64,
}

/// Returns the earlier text that says nearly the same as `text`: the nearest one whose cosine is at
/// least [`SAME_LESSON_COSINE`], or whose similarity is at least [`SAME_LESSON_SIMILARITY`]; of
/// equals the one whose text, then whose id comes first.
///
/// # Errors
/// When the embedder cannot read a text.
pub fn same_lesson(
    compared: Compared<'_>,
    text: &str,
    earlier: &[Item<'_>],
) -> Result<Option<SameLesson>, RetrieveError> {
    match compared {
        Compared::ByMeaning(semantic) => {
            let nearest = semantic.rank(text, earlier, 1)?.into_iter().next();
            let same = nearest.filter(|hit| hit.score >= SAME_LESSON_COSINE);
            Ok(same.map(|hit| SameLesson {
                id: hit.id,
                nearness: hit.score,
            }))
        }
        Compared::ByWords => {
            let scored = earlier
                .iter()
                .map(|item| (similarity(text, item.text), item));
            let same = scored.filter(|(nearness, _)| *nearness >= SAME_LESSON_SIMILARITY);
            let nearest = same.min_by(|(a, one), (b, other)| {
                b.total_cmp(a)
                    .then_with(|| (one.text, one.id).cmp(&(other.text, other.id)))
            });
            Ok(nearest.map(|(nearness, item)| SameLesson {
                id: item.id.to_owned(),
                nearness,
            }))
        }
    }
}
