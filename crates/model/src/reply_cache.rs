//! Reply cache: a request that was answered before is not sent again.

use std::sync::Arc;

use tokio_util::sync::CancellationToken;

use super::call::{BoxFuture, Delta, Model, Request, Watch};
use super::{BatchServer, CallError, Reply, SplitReply, has_reasoning_marks};

/// Looks a reply up by its cache key.
pub type LookupReply = Arc<dyn Fn(&str) -> Option<Reply> + Send + Sync>;
/// Stores a reply under its cache key.
pub type SaveReply = Arc<dyn Fn(&str, &Reply) + Send + Sync>;

/// A model whose replies are cached and returned again, marked as cached.
pub struct CachedModel {
    inner: Arc<dyn Model>,
    server: String,
    lookup: LookupReply,
    save: SaveReply,
}

impl CachedModel {
    /// Puts a cache in front of a model; `server` distinguishes servers that offer models of one
    /// name.
    pub fn new(inner: Arc<dyn Model>, server: &str, lookup: LookupReply, save: SaveReply) -> Self {
        Self {
            inner,
            server: server.to_owned(),
            lookup,
            save,
        }
    }

    /// Returns the cache key: hash of the exact request, sample index, sampling seed, server.
    ///
    /// The seed is part of the key even if it is not sent: it distinguishes places of a debate that
    /// send the same request.
    pub fn cache_key(&self, request: &Request) -> String {
        let seed = request.sampling.seed.unwrap_or_default();
        let (hash, sample) = (request.compute_sha256(), request.sample);
        format!("{hash}#{sample}+{seed}@{}", self.server)
    }
}

impl Model for CachedModel {
    fn complete<'a>(
        &'a self,
        request: &'a Request,
        watch: &'a dyn Watch,
        cancel: &'a CancellationToken,
    ) -> BoxFuture<'a, Result<Reply, CallError>> {
        Box::pin(async move {
            if let Some(reply) = self.find_cached_reply(request) {
                return Ok(deliver_reply(reply, watch));
            }
            let reply = self.inner.complete(request, watch, cancel).await?;
            (self.save)(&self.cache_key(request), &reply);
            Ok(reply)
        })
    }

    fn find_cached_reply(&self, request: &Request) -> Option<Reply> {
        let mut reply = (self.lookup)(&self.cache_key(request))?;
        reply.cached = true;
        Some(split_again(reply))
    }

    fn is_simulated(&self) -> bool {
        self.inner.is_simulated()
    }

    fn batch_server(&self) -> Option<&dyn BatchServer> {
        self.inner.batch_server()
    }
}

/// Splits a reply that was cached before the marks in it were known: it is about to be recorded anew.
fn split_again(reply: Reply) -> Reply {
    if !has_reasoning_marks(&reply.text) {
        return reply;
    }
    let split = SplitReply::from_text(&reply.text, reply.thinking.as_deref());
    Reply {
        text: split.public,
        thinking: split.thinking,
        end_token: split.end_token.or(reply.end_token),
        unknown_mark: split.unknown_mark.or(reply.unknown_mark),
        ..reply
    }
}

/// A model that answers every request with one given reply, or failure.
pub struct FixedReply {
    result: Result<Reply, CallError>,
    simulated: bool,
}

impl FixedReply {
    /// Puts a reply in the place of the model that was to be asked.
    pub fn new(model: &dyn Model, reply: Reply) -> Self {
        Self::from_result(model, Ok(reply))
    }

    /// Puts what came of a call in the place of the model that was asked.
    pub fn from_result(model: &dyn Model, result: Result<Reply, CallError>) -> Self {
        Self {
            simulated: model.is_simulated(),
            result,
        }
    }
}

impl Model for FixedReply {
    fn complete<'a>(
        &'a self,
        _request: &'a Request,
        watch: &'a dyn Watch,
        _cancel: &'a CancellationToken,
    ) -> BoxFuture<'a, Result<Reply, CallError>> {
        Box::pin(async move { Ok(deliver_reply(self.result.clone()?, watch)) })
    }

    fn is_simulated(&self) -> bool {
        self.simulated
    }
}

fn deliver_reply(reply: Reply, watch: &dyn Watch) -> Reply {
    if let Some(thinking) = &reply.thinking {
        watch.on_delta(Delta::Thinking(thinking));
    }
    watch.on_delta(Delta::Public(&reply.text));
    reply
}
