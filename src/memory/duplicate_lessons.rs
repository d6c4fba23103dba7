//! Lessons that say the same.

use super::{Item, RetrieveError, Retriever, Semantic, similarity};

/// From this cosine on, two lessons say the same.
///
/// With all-MiniLM-L6-v2 a lesson in other words comes out at 0.86 to 0.92 and one with another full
/// stop at 0.98; lessons of one form about different things ("email account", "bank account") stay
/// below 0.79.
pub const SAME_LESSON_COSINE: f64 = 0.9;

/// From this [`similarity`] on, two lessons say the same where none can be compared by meaning.
///
/// Lessons of one form about different things reach 0.64, more than topics do: lessons are longer.
pub const SAME_LESSON_SIMILARITY: f64 = 0.8;

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
