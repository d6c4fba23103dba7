//! How one namespace is ranked: by meaning where this process has an embedder, else by words, and
//! never otherwise than the run began.

use super::embedding::{Embedding, LazyEmbedding};
use super::error::DriverError;
use crate::memory::vectors::VectorFile;
use crate::memory::{Compared, Lexical, RetrieveError, Retriever, Semantic};
use crate::store::Layout;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, OnceLock, PoisonError};

/// Whether another way of ranking may stand in.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Ranked {
    /// A debate is retrieved for once, so words may stand in for meaning.
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
    ranked: Ranked,
    semantic: OnceLock<Result<Arc<Semantic>, String>>,
    /// Whether it was told why words stand in.
    told: AtomicBool,
    /// What nobody was told yet.
    untold: Mutex<Vec<String>>,
}

/// What ranking gave, with what a person should be told of it.
#[derive(Debug, Clone)]
pub struct Ordered<T> {
    pub found: T,
    /// Each is told once.
    pub notices: Vec<String>,
}

impl Ranking {
    /// Ranks the texts of a namespace; looks for nothing yet.
    pub fn of(
        layout: &Layout,
        namespace: &str,
        embedding: Arc<LazyEmbedding>,
        ranked: Ranked,
    ) -> Self {
        Ranking(Arc::new(Inner {
            layout: layout.clone(),
            namespace: namespace.to_owned(),
            embedding,
            ranked,
            semantic: OnceLock::new(),
            told: AtomicBool::new(false),
            untold: Mutex::new(Vec::new()),
        }))
    }

    /// Ranks by words alone.
    pub fn by_words(layout: &Layout, namespace: &str) -> Self {
        let none = Embedding::Lexical { why: String::new() };
        let ranked = Ranked::AsBegun {
            retriever: Lexical.name().to_owned(),
        };
        Self::of(
            layout,
            namespace,
            Arc::new(LazyEmbedding::found(none)),
            ranked,
        )
    }

    /// Does `work` with a retriever, on a thread that may block. Where ranking by meaning fails it
    /// is done again with words, unless a run began otherwise.
    ///
    /// # Errors
    /// When a run's retriever fails.
    pub async fn with<T: Send + 'static>(
        &self,
        work: impl Fn(&dyn Retriever) -> Result<T, RetrieveError> + Send + 'static,
    ) -> Result<Ordered<T>, DriverError> {
        let own = self.clone();
        let task = tokio::task::spawn_blocking(move || own.with_blocking(work));
        match task.await {
            Ok(done) => done,
            Err(_) => Err(given_up()),
        }
    }

    /// Compares texts by what this namespace is ranked with, on a thread that may block; what there
    /// is to notice is told when memory is searched next.
    ///
    /// # Errors
    /// When a run's retriever fails.
    pub async fn compared<T: Send + 'static>(
        &self,
        work: impl Fn(Compared<'_>) -> Result<T, RetrieveError> + Send + 'static,
    ) -> Result<T, DriverError> {
        let own = self.clone();
        let task = tokio::task::spawn_blocking(move || match own.semantic()? {
            None => Ok(work(Compared::ByWords)?),
            Some(semantic) => match work(Compared::ByMeaning(&semantic)) {
                Err(error) if own.0.ranked == Ranked::Freely => {
                    own.tell(by_words(&error.to_string()));
                    Ok(work(Compared::ByWords)?)
                }
                done => Ok(done?),
            },
        });
        match task.await {
            Ok(done) => done,
            Err(_) => Err(given_up()),
        }
    }

    /// Does `work` with a retriever, as [`with`](Self::with); blocks.
    ///
    /// # Errors
    /// As [`with`](Self::with).
    pub fn with_blocking<T>(
        &self,
        work: impl Fn(&dyn Retriever) -> Result<T, RetrieveError>,
    ) -> Result<Ordered<T>, DriverError> {
        let found = match self.semantic()? {
            None => work(&Lexical)?,
            Some(semantic) => match (work(semantic.as_ref()), &self.0.ranked) {
                (Ok(found), _) => found,
                (Err(error), Ranked::AsBegun { .. }) => return Err(error.into()),
                (Err(error), Ranked::Freely) => {
                    self.tell(by_words(&error.to_string()));
                    work(&Lexical)?
                }
            },
        };
        let mut untold = self.untold();
        Ok(Ordered {
            found,
            notices: std::mem::take(&mut *untold),
        })
    }

    /// Returns the semantic retriever, or none where words stand in; finds it when it is first
    /// asked for, and blocks.
    ///
    /// # Errors
    /// When a run began with a retriever that is not here.
    pub fn semantic(&self) -> Result<Option<Arc<Semantic>>, DriverError> {
        let begun = match &self.0.ranked {
            Ranked::Freely => None,
            Ranked::AsBegun { retriever } if retriever == Lexical.name() => return Ok(None),
            Ranked::AsBegun { retriever } => Some(retriever),
        };
        let found = self.0.semantic.get_or_init(|| self.find());
        match (found, begun) {
            (Ok(semantic), None) => Ok(Some(Arc::clone(semantic))),
            (Ok(semantic), Some(begun)) if semantic.name() == begun => {
                Ok(Some(Arc::clone(semantic)))
            }
            (Ok(semantic), Some(begun)) => {
                Err(another(begun, &format!("is '{}'", semantic.name())))
            }
            (Err(why), Some(begun)) => Err(another(begun, &format!("is none: {why}"))),
            (Err(why), None) => {
                if !self.0.told.swap(true, Ordering::Relaxed) {
                    self.tell(by_words(why));
                }
                Ok(None)
            }
        }
    }

    fn find(&self) -> Result<Arc<Semantic>, String> {
        let embedder = match self.0.embedding.get() {
            Embedding::Ready(embedder) => embedder,
            Embedding::Lexical { why } => return Err(why),
        };
        let path = self
            .0
            .layout
            .vectors_of(&self.0.namespace, embedder.name())
            .map_err(|error| error.to_string())?;
        let opened = VectorFile::open(&path, embedder.name(), embedder.dim());
        let (vectors, set_aside) = opened.map_err(|error| error.to_string())?;
        if let Some(set_aside) = set_aside {
            self.tell(set_aside.to_string());
        }
        Ok(Arc::new(Semantic::new(embedder, vectors)))
    }

    fn tell(&self, notice: String) {
        let mut untold = self.untold();
        if !untold.contains(&notice) {
            untold.push(notice);
        }
    }

    fn untold(&self) -> std::sync::MutexGuard<'_, Vec<String>> {
        self.0.untold.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

fn given_up() -> DriverError {
    DriverError::Invalid("memory could not be searched: the search was given up".to_owned())
}

fn another(begun: &str, here: &str) -> DriverError {
    DriverError::Invalid(format!(
        "memory was searched with '{begun}' when this began, and what is here {here}; bring that \
         model back ('model_dir' under [memory]), or begin anew: one run keeps one embedder"
    ))
}

pub(super) fn by_words(why: &str) -> String {
    format!("memory is searched by words, not by meaning: {why}")
}
