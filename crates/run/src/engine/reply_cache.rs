//! Reply cache: serves earlier replies to prompt trials by exact request. Runs never use it.

use elenchus_model::{LookupReply, Reply, SaveReply};
use elenchus_store::{FileCache, FileCacheLimits, Layout};
use serde::{Deserialize, Serialize};
use std::sync::Arc;

/// Bounds of the cache: the oldest entries are evicted.
const LIMITS: FileCacheLimits = FileCacheLimits {
    files: 20_000,
    bytes: 256 << 20,
};
/// The form of what is kept; another is as if it were not there.
const FORM: u32 = 1;

/// Treatment of a request that a trial has sent before.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Repeats {
    /// The same request and sample of the same server is answered with what came then, marked as
    /// cached, and costs nothing.
    #[default]
    Serve,
    /// Asked again, once in each experiment: going on with one asks nothing twice.
    AskAnew,
}

impl Repeats {
    pub(crate) fn serves(&self) -> bool {
        match self {
            Repeats::Serve => true,
            Repeats::AskAnew => false,
        }
    }
}

/// Replies by request, sample and server, in the store of tries.
#[derive(Debug, Clone)]
pub struct ReplyCache {
    files: Arc<FileCache>,
    /// Begins the keys of an experiment that asks everything anew.
    scope: String,
}

#[derive(Serialize, Deserialize)]
struct CachedReply {
    form: u32,
    reply: Reply,
}

impl ReplyCache {
    /// Names the cache of a store for an experiment; touches nothing.
    pub fn new(layout: &Layout, repeats: Repeats, experiment: &str) -> Self {
        Self {
            files: Arc::new(FileCache::new(
                layout.tries_store().replies_folder(),
                LIMITS,
            )),
            scope: match repeats {
                Repeats::Serve => String::new(),
                Repeats::AskAnew => format!("{experiment}/"),
            },
        }
    }

    /// Returns the function that finds a cached reply.
    pub(crate) fn lookup_function(&self) -> LookupReply {
        let (files, scope) = (Arc::clone(&self.files), self.scope.clone());
        Arc::new(move |key: &str| {
            let bytes = files.get(&format!("{scope}{key}"))?;
            let entry: CachedReply = serde_json::from_slice(&bytes).ok()?;
            (entry.form == FORM).then_some(entry.reply)
        })
    }

    /// Returns how a model keeps replies: the last one counts, for every later experiment.
    pub(crate) fn save_function(&self) -> SaveReply {
        let (files, scope) = (Arc::clone(&self.files), self.scope.clone());
        Arc::new(move |key: &str, reply: &Reply| {
            let entry = CachedReply {
                form: FORM,
                reply: reply.clone(),
            };
            let Ok(bytes) = serde_json::to_vec(&entry) else {
                return;
            };
            let scoped_key = (!scope.is_empty()).then(|| format!("{scope}{key}"));
            for key in scoped_key.iter().map(String::as_str).chain([key]) {
                if let Err(error) = files.insert(key, &bytes) {
                    // The reply is there; asking again would cost money, nothing else.
                    tracing::warn!(%error, "a reply was not kept for later tries");
                }
            }
        })
    }
}
