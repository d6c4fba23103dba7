//! Ranking of one namespace: by meaning where this process has an embedder, else by words, and never
//! otherwise than the run began.

use super::embedding::{Embedding, LazyEmbedding};
use crate::workspace::error::{Result, WorkspaceError, reject};
use elenchus_memory::vectors::VectorFile;
use elenchus_memory::{LessonComparison, Lexical, RetrieveError, Retriever, Semantic};
use elenchus_store::Layout;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, OnceLock, PoisonError};

/// Permission to rank by words where ranking by meaning is not possible.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum RankingPolicy {
    /// A debate is retrieved for once, so words may replace meaning.
    Freely,
    /// A run keeps the retriever of this name to its end (FIGURES 9).
    AsBegun { retriever: String },
}

/// Ranks texts of one namespace. Cheap to clone; clones share what was found.
#[derive(Clone)]
pub struct Ranking(Arc<Inner>);

struct Inner {
    layout: Layout,
    namespace: String,
    embedding: Arc<LazyEmbedding>,
    ranked: RankingPolicy,
    semantic: OnceLock<Result<Arc<Semantic>, String>>,
    /// Set once the notice that words replace meaning was given.
    notified: AtomicBool,
    /// Notices that were not returned yet.
    notices: Mutex<Vec<String>>,
}

/// A result of ranking, with notices for the person.
#[derive(Debug, Clone)]
pub struct WithNotices<T> {
    pub found: T,
    /// Each is returned once.
    pub notices: Vec<String>,
}

impl Ranking {
    /// Ranks the texts of a namespace; looks for nothing yet.
    pub fn new(
        layout: &Layout,
        namespace: &str,
        embedding: Arc<LazyEmbedding>,
        ranked: RankingPolicy,
    ) -> Self {
        Ranking(Arc::new(Inner {
            layout: layout.clone(),
            namespace: namespace.to_owned(),
            embedding,
            ranked,
            semantic: OnceLock::new(),
            notified: AtomicBool::new(false),
            notices: Mutex::new(Vec::new()),
        }))
    }

    /// Ranks by words alone.
    pub fn new_lexical(layout: &Layout, namespace: &str) -> Self {
        let none = Embedding::Lexical { why: String::new() };
        let policy = RankingPolicy::AsBegun {
            retriever: Lexical.name().to_owned(),
        };
        Self::new(
            layout,
            namespace,
            Arc::new(LazyEmbedding::from_embedding(none)),
            policy,
        )
    }

    /// Returns whether a server may hold it up.
    pub(super) fn asks_server(&self) -> bool {
        self.0.embedding.is_served()
    }

    /// Does `work` with a retriever, on a thread that may block. Where ranking by meaning fails it
    /// is done again with words, unless a run began otherwise.
    ///
    /// # Errors
    /// When a run's retriever fails.
    pub async fn with_retriever<T: Send + 'static>(
        &self,
        work: impl Fn(&dyn Retriever) -> Result<T, RetrieveError> + Send + 'static,
    ) -> Result<WithNotices<T>> {
        let own = self.clone();
        run_blocking(move || own.with_blocking(work)).await
    }

    /// Compares texts by what this namespace is ranked with, on a thread that may block; what there
    /// is to notice is returned when memory is searched next.
    ///
    /// # Errors
    /// When a run's retriever fails.
    pub async fn compare_texts<T: Send + 'static>(
        &self,
        work: impl Fn(LessonComparison<'_>) -> Result<T, RetrieveError> + Send + 'static,
    ) -> Result<T> {
        let own = self.clone();
        let compare = move |semantic: Option<&Semantic>| {
            work(semantic.map_or(LessonComparison::ByWords, LessonComparison::ByMeaning))
        };
        run_blocking(move || own.rank_with_fallback(compare)).await
    }

    /// Does `work` with a retriever, as [`with_retriever`](Self::with_retriever); blocks.
    ///
    /// # Errors
    /// As [`with_retriever`](Self::with_retriever).
    pub(super) fn with_blocking<T>(
        &self,
        work: impl Fn(&dyn Retriever) -> Result<T, RetrieveError>,
    ) -> Result<WithNotices<T>> {
        let value = self.rank_with_fallback(|semantic| match semantic {
            Some(semantic) => work(semantic),
            None => work(&Lexical),
        })?;
        let notices = std::mem::take(&mut *self.lock_notices());
        Ok(WithNotices {
            found: value,
            notices,
        })
    }

    /// Does `work` with the semantic retriever, or with none where words replace it.
    fn rank_with_fallback<T>(
        &self,
        work: impl Fn(Option<&Semantic>) -> Result<T, RetrieveError>,
    ) -> Result<T> {
        let Some(semantic) = self.semantic_retriever()? else {
            return Ok(work(None)?);
        };
        match (work(Some(&semantic)), &self.0.ranked) {
            (Err(error), RankingPolicy::Freely) => {
                self.add_notice(describe_word_ranking(&error.to_string()));
                Ok(work(None)?)
            }
            (done, _) => Ok(done?),
        }
    }

    /// Returns the semantic retriever, or none where words replace it; finds it when it is first
    /// asked for, and blocks.
    ///
    /// # Errors
    /// When a run began with a retriever that is not here.
    pub fn semantic_retriever(&self) -> Result<Option<Arc<Semantic>>> {
        let first_retriever = match &self.0.ranked {
            RankingPolicy::Freely => None,
            RankingPolicy::AsBegun { retriever } if retriever == Lexical.name() => return Ok(None),
            RankingPolicy::AsBegun { retriever } => Some(retriever),
        };
        let outcome = self.0.semantic.get_or_init(|| self.find_semantic());
        match (outcome, first_retriever) {
            (Ok(semantic), None) => Ok(Some(Arc::clone(semantic))),
            (Ok(semantic), Some(begun)) if semantic.name() == begun => {
                Ok(Some(Arc::clone(semantic)))
            }
            (Ok(semantic), Some(begun)) => Err(retriever_mismatch(
                begun,
                &format!("is '{}'", semantic.name()),
            )),
            (Err(why), Some(begun)) => Err(retriever_mismatch(begun, &format!("is none: {why}"))),
            (Err(why), None) => {
                if !self.0.notified.swap(true, Ordering::Relaxed) {
                    self.add_notice(describe_word_ranking(why));
                }
                Ok(None)
            }
        }
    }

    fn find_semantic(&self) -> Result<Arc<Semantic>, String> {
        let embedder = match self.0.embedding.get() {
            Embedding::Ready(embedder) => embedder,
            Embedding::Lexical { why } => return Err(why),
        };
        let path = self
            .0
            .layout
            .vectors_path(&self.0.namespace, embedder.name())
            .map_err(|error| error.to_string())?;
        let opening = VectorFile::open(&path, embedder.name(), embedder.dim());
        let (vectors, set_aside) = opening.map_err(|error| error.to_string())?;
        if let Some(set_aside) = set_aside {
            self.add_notice(set_aside.to_string());
        }
        Ok(Arc::new(Semantic::new(embedder, vectors)))
    }

    fn add_notice(&self, notice: String) {
        let mut notices = self.lock_notices();
        if !notices.contains(&notice) {
            notices.push(notice);
        }
    }

    fn lock_notices(&self) -> std::sync::MutexGuard<'_, Vec<String>> {
        self.0
            .notices
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
    }
}

/// Does `work` on a thread that may block.
async fn run_blocking<T: Send + 'static>(
    work: impl FnOnce() -> Result<T> + Send + 'static,
) -> Result<T> {
    tokio::task::spawn_blocking(work).await.unwrap_or_else(|_| {
        let why = "memory could not be searched: the search was given up";
        reject(why.to_owned())
    })
}

fn retriever_mismatch(begun: &str, here: &str) -> WorkspaceError {
    WorkspaceError::Invalid(format!(
        "memory was searched with '{begun}' when this began, and what is here {here}; bring that \
         model back ('model_dir' or 'embeddings' under [memory]), or begin a new run: one run keeps \
         one embedder"
    ))
}

pub fn describe_word_ranking(why: &str) -> String {
    format!("memory is searched by words, not by meaning: {why}")
}
