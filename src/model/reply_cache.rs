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

    /// Composes the key: hash of the exact request, sample index, sampling seed, server.
    ///
    /// The seed counts even where the server is not told it: it tells apart places of a debate that
    /// are asked the same thing.
    pub fn key(&self, request: &Request) -> String {
        let seed = request.sampling.seed.unwrap_or_default();
        let (hash, sample) = (request.sha256(), request.sample);
        format!("{hash}#{sample}+{seed}@{}", self.server)
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
            if let Some(reply) = self.kept(request) {
                return Ok(served(reply, watch));
            }
            let reply = self.inner.complete(request, watch, cancel).await?;
            (self.save)(&self.key(request), &reply);
            Ok(reply)
        })
    }

    fn kept(&self, request: &Request) -> Option<Reply> {
        let mut reply = (self.lookup)(&self.key(request))?;
        reply.cached = true;
        Some(reply)
    }

    fn simulated(&self) -> bool {
        self.inner.simulated()
    }
}

/// A reply that is there already, as the answer to whatever is asked.
pub struct KeptReply {
    reply: Reply,
    simulated: bool,
}

impl KeptReply {
    /// Puts a reply in the place of the model that was to be asked.
    pub fn instead_of(model: &dyn Model, reply: Reply) -> Self {
        Self {
            simulated: model.simulated(),
            reply,
        }
    }
}

impl Model for KeptReply {
    fn complete<'a>(
        &'a self,
        _request: &'a Request,
        watch: &'a dyn Watch,
        _cancel: &'a CancellationToken,
    ) -> BoxFuture<'a, Result<Reply, CallError>> {
        Box::pin(async move { Ok(served(self.reply.clone(), watch)) })
    }

    fn simulated(&self) -> bool {
        self.simulated
    }
}

fn served(reply: Reply, watch: &dyn Watch) -> Reply {
    if let Some(thinking) = &reply.thinking {
        watch.delta(Delta::Thinking(thinking));
    }
    watch.delta(Delta::Public(&reply.text));
    reply
}
