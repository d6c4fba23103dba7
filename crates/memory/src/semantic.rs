//! Semantic retriever: ranks by cosine of embeddings.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};

use super::embed::{Embedder, FailureReach};
use super::retrieve::select_best;
use super::vectors::{TextKey, VectorFile, VectorRow};
use super::{RetrievalHit, RetrievalItem, RetrieveError, Retriever};

/// Number of texts that are embedded before their vectors are written.
const BATCH_TEXTS: usize = 32;

/// Ranks by the cosine of the query's vector with each item's, exactly. A text without a vector is
/// embedded when it is first ranked. Equal scores are ordered by text, and by id only where even
/// the texts are equal, as [`Lexical`](super::Lexical) does.
pub struct Semantic {
    embedder: Arc<dyn Embedder>,
    vectors: Mutex<VectorFile>,
}

impl Semantic {
    /// Returns a retriever with an embedder and its own file of vectors.
    pub fn new(embedder: Arc<dyn Embedder>, vectors: VectorFile) -> Self {
        Semantic {
            embedder,
            vectors: Mutex::new(vectors),
        }
    }

    /// The error of what every search needs: the file of vectors, and the vectors of all items.
    fn lost_search(&self, why: impl ToString) -> RetrieveError {
        self.retrieve_error(why, FailureReach::EveryText)
    }

    fn retrieve_error(&self, why: impl ToString, reach: FailureReach) -> RetrieveError {
        RetrieveError {
            retriever: self.name().to_owned(),
            why: why.to_string(),
            reach,
        }
    }

    /// Embeds texts without a vector in batches; written vectors stay when a later text fails.
    fn embed_missing(
        &self,
        vectors: &mut VectorFile,
        texts: &HashMap<TextKey, Vec<&RetrievalItem<'_>>>,
    ) -> Result<(), RetrieveError> {
        let mut missing: Vec<(TextKey, &str)> = texts
            .iter()
            .filter(|(key, _)| vectors.find_row(key).is_none())
            .filter_map(|(key, items)| Some((*key, items.first()?.text)))
            .collect();
        missing.sort_unstable();
        for batch in missing.chunks(BATCH_TEXTS) {
            let texts: Vec<&str> = batch.iter().map(|(_, text)| *text).collect();
            let outcome = self.embedder.embed(&texts);
            let new_vectors = outcome.map_err(|error| self.lost_search(error))?;
            let keys = batch.iter().map(|(key, _)| *key);
            let rows: Vec<(TextKey, Vec<f32>)> = keys.zip(new_vectors).collect();
            vectors
                .append_vectors(&rows)
                .map_err(|error| self.lost_search(error))?;
        }
        Ok(())
    }
}

impl Retriever for Semantic {
    fn name(&self) -> &str {
        self.embedder.name()
    }

    fn rank_items(
        &self,
        query: &str,
        items: &[RetrievalItem<'_>],
        k: usize,
    ) -> Result<Vec<RetrievalHit>, RetrieveError> {
        if k == 0 || items.is_empty() {
            return Ok(Vec::new());
        }
        let outcome = self.embedder.embed(&[query]);
        let query_vectors = outcome.map_err(|error| self.retrieve_error(&error, error.reach()))?;
        let query_vector = query_vectors
            .first()
            .ok_or_else(|| self.lost_search("it gave no vector"))?;
        let mut texts: HashMap<TextKey, Vec<&RetrievalItem<'_>>> =
            HashMap::with_capacity(items.len());
        for item in items {
            texts
                .entry(TextKey::from_text(item.text))
                .or_default()
                .push(item);
        }
        // After a panic at most some rows have to be read again.
        let mut vectors = self.vectors.lock().unwrap_or_else(PoisonError::into_inner);
        self.embed_missing(&mut vectors, &texts)?;
        let by_row: HashMap<VectorRow, &Vec<&RetrievalItem<'_>>> = texts
            .iter()
            .filter_map(|(key, items)| Some((vectors.find_row(key)?, items)))
            .collect();
        let mut rows: Vec<VectorRow> = by_row.keys().copied().collect();
        rows.sort_unstable();
        let near = vectors
            .find_nearest(query_vector, &rows, k)
            .map_err(|error| self.lost_search(error))?;
        drop(vectors);
        let scored_items: Vec<(f64, &RetrievalItem<'_>)> = near
            .iter()
            .filter_map(|near| Some((near.score, by_row.get(&near.row)?)))
            .flat_map(|(score, items)| items.iter().map(move |item| (score, *item)))
            .collect();
        Ok(select_best(scored_items, k))
    }
}
