//! The reply cache: the same request is not bought twice.

use std::sync::Arc;

use tokio_util::sync::CancellationToken;

use super::call::{BoxFuture, Delta, Model, Request, Watch};
use super::{CallError, Reply};

/// Finds a reply by its cache key.
pub type LookupReply = Arc<dyn Fn(&str) -> Option<Reply> + Send + Sync>;
/// Keeps a reply under its cache key.
pub type SaveReply = Arc<dyn Fn(&str, &Reply) + Send + Sync>;

/// A model whose replies are kept and served again, marked as cached.
pub struct Cached {
    inner: Arc<dyn Model>,
    server: String,
    lookup: LookupReply,
    save: SaveReply,
}

impl Cached {
    /// Puts a cache before a model; `server` tells apart servers that offer models of one name.
    pub fn new(inner: Arc<dyn Model>, server: &str, lookup: LookupReply, save: SaveReply) -> Self {
        Self {
            inner,
            server: server.to_owned(),
            lookup,
            save,
        }
    }

    /// Composes the key: hash of the exact request, sample index, server.
    pub fn key(&self, request: &Request) -> String {
        format!("{}#{}@{}", request.sha256(), request.sample, self.server)
    }
}

impl Model for Cached {
    fn complete<'a>(
        &'a self,
        request: &'a Request,
        watch: &'a dyn Watch,
        cancel: &'a CancellationToken,
    ) -> BoxFuture<'a, Result<Reply, CallError>> {
        Box::pin(async move {
            let key = self.key(request);
            if let Some(mut reply) = (self.lookup)(&key) {
                reply.cached = true;
                if let Some(thinking) = &reply.thinking {
                    watch.delta(Delta::Thinking(thinking));
                }
                watch.delta(Delta::Public(&reply.text));
                return Ok(reply);
            }
            let reply = self.inner.complete(request, watch, cancel).await?;
            (self.save)(&key, &reply);
            Ok(reply)
        })
    }

    fn simulated(&self) -> bool {
        self.inner.simulated()
    }
}
