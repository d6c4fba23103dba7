//! Deadline, retries and concurrency limit around a model.

use std::sync::Arc;
use std::time::Duration;

use futures_util::future::select_all;
use sha2::{Digest, Sha256};
use tokio::time::{Instant, sleep, timeout};
use tokio_util::sync::CancellationToken;

use super::circuit_breaker::CircuitBreaker;
use super::concurrency_limit::{ConcurrencyLimit, Permit};
use crate::call::{BoxFuture, Model, Request, Watch};
use crate::settings::{ModelSettings, ProviderSettings};
use crate::{BatchServer, CallError, CallErrorKind, Reply};

/// The wait before the first retry.
const BASE_BACKOFF_MS: u64 = 500;
/// The longest wait that is chosen here; a server may ask for a longer one.
const MAX_BACKOFF_MS: u64 = 30_000;
/// The longest wait before a model that is being loaded is asked again, unless the server asks for
/// more.
const MAX_LOADING_BACKOFF_MS: u64 = 10_000;
/// Doubling stops here; the longest wait is reached long before.
const MAX_DOUBLINGS: u32 = 16;

/// Rules for repeating a failed request.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RetryPolicy {
    /// The most retries.
    pub retries: u32,
    /// The wait before the first retry; it doubles each time.
    pub base_backoff_ms: u64,
    /// The longest wait, unless the server asks for more.
    pub max_backoff_ms: u64,
    /// The longest time for a call with all its retries and waits; waiting for a permit
    /// does not count.
    pub deadline_ms: u64,
    /// Spreads the waits: each is 50–100 % of its nominal length.
    pub jitter_seed: u64,
}

impl RetryPolicy {
    /// Reads the policy from settings; the model's deadline overrides the provider's.
    pub(super) fn from_settings(
        provider: &ProviderSettings,
        model: &ModelSettings,
        jitter_seed: u64,
    ) -> Self {
        let deadline_s = model.deadline_s.unwrap_or(provider.deadline_s);
        Self {
            retries: provider.retries,
            base_backoff_ms: BASE_BACKOFF_MS,
            max_backoff_ms: MAX_BACKOFF_MS,
            deadline_ms: deadline_s.saturating_mul(1000),
            jitter_seed,
        }
    }

    /// Returns the more patient policy of the two, value by value.
    #[must_use]
    pub fn merge(self, other: &Self) -> Self {
        Self {
            retries: self.retries.max(other.retries),
            deadline_ms: self.deadline_ms.max(other.deadline_ms),
            ..self
        }
    }

    /// Returns the wait before the `retry`th retry (from 1) in milliseconds: the server's wish, but
    /// at least the back-off.
    pub fn wait_ms(&self, retry: u32, error: &CallErrorKind, request: &Request) -> u64 {
        let doublings = retry.saturating_sub(1).min(MAX_DOUBLINGS);
        let nominal = self
            .base_backoff_ms
            .saturating_mul(1 << doublings)
            .min(self.max_backoff_ms);
        let half = nominal / 2;
        let backoff = half + self.draw_jitter(retry, request) % (nominal - half + 1);
        backoff.max(error.retry_after_ms().unwrap_or(0))
    }

    fn draw_jitter(&self, retry: u32, request: &Request) -> u64 {
        let context = &request.context;
        let place = format!(
            "{} {} {} {} {} {} {} {} {retry}",
            self.jitter_seed,
            context.topic,
            context.round,
            context.stage,
            context.seat,
            context.index,
            context.attempt,
            request.sample,
        );
        let digest: [u8; 32] = Sha256::digest(place.as_bytes()).into();
        let [a, b, c, d, e, f, g, h, ..] = digest;
        u64::from_be_bytes([a, b, c, d, e, f, g, h])
    }
}

/// A model at one server, with what all models of that server share.
pub struct ServerModel {
    /// The model there, without retries.
    pub model: Arc<dyn Model>,
    /// Its concurrency limit.
    pub in_flight: Arc<ConcurrencyLimit>,
    /// Its circuit breaker.
    pub breaker: Arc<CircuitBreaker>,
    /// Name in errors, as `provider/model`.
    pub place: String,
}

/// A model with a deadline, retries and a concurrency limit.
///
/// The permit is released during back-off. Where several servers have the model, a call goes to the
/// one with the largest share of free permits, and is repeated at another one first.
pub struct RetryingModel {
    servers: Vec<ServerModel>,
    policy: RetryPolicy,
}

/// State of a call between attempts.
#[derive(Default)]
struct RetryState {
    /// Retries that count against the policy.
    retries: u32,
    /// Number of rounds in which every available server was tried.
    rounds: u32,
    /// Failed attempts in total.
    failures: u32,
    /// The servers that failed in this round.
    failed_servers: Vec<usize>,
}

impl RetryingModel {
    /// Wraps a model; `in_flight` is shared by all models of a provider.
    pub fn new(
        model: Arc<dyn Model>,
        policy: RetryPolicy,
        in_flight: Arc<ConcurrencyLimit>,
        place: &str,
    ) -> Self {
        let server = ServerModel {
            model,
            in_flight,
            breaker: Arc::default(),
            place: place.to_owned(),
        };
        Self::from_servers(server, Vec::new(), policy)
    }

    /// Distributes calls over several servers of one model.
    pub fn from_servers(first: ServerModel, others: Vec<ServerModel>, policy: RetryPolicy) -> Self {
        let mut servers = vec![first];
        servers.extend(others);
        Self { servers, policy }
    }

    async fn call_with_retries(
        &self,
        request: &Request,
        watch: &dyn Watch,
        cancel: &CancellationToken,
    ) -> Result<Reply, CallError> {
        let mut remaining_time = Duration::from_millis(self.policy.deadline_ms);
        let mut tries = RetryState::default();
        let earlier_replies = self.reply_count();
        loop {
            let start_time;
            let at;
            let outcome = {
                let (server, _place) = self.acquire_permit(&tries.failed_servers).await;
                at = server;
                if !watch.may_send() {
                    let place = &self.servers[at].place;
                    return Err(CallError::new(CallErrorKind::Cancelled, place, ""));
                }
                start_time = Instant::now();
                let model = &self.servers[at].model;
                timeout(remaining_time, model.complete(request, watch, cancel)).await
            };
            remaining_time = remaining_time.saturating_sub(start_time.elapsed());
            let error = match outcome {
                Ok(Ok(reply)) => {
                    self.servers[at].in_flight.record_reply();
                    self.servers[at].breaker.record_answer();
                    return Ok(reply);
                }
                Ok(Err(error)) => self.record_failure(at, error),
                Err(_) => return Err(self.deadline_error(at)),
            };
            let Some(wait_ms) = self.next_wait_ms(&mut tries, at, &error, request) else {
                return Err(self.final_error(error, earlier_replies));
            };
            let wait = Duration::from_millis(wait_ms);
            if wait >= remaining_time {
                // Waiting would only replace this error by "deadline".
                return Err(self.final_error(error, earlier_replies));
            }
            remaining_time = remaining_time.saturating_sub(wait);
            watch.on_retry(tries.failures, &error, wait_ms);
            sleep(wait).await;
        }
    }

    /// Waits for a permit of the least busy server that can be reached and has not failed; where
    /// there is none, of any.
    async fn acquire_permit(&self, failed: &[usize]) -> (usize, Permit<'_>) {
        // A breaker may open while its server's permit is waited for, each of them once.
        for _ in 1..self.servers.len() {
            let (at, permit) = self.acquire_any_permit(&self.rank_servers(failed)).await;
            let now = Instant::now();
            if self.servers[at].breaker.try_enter(now) || !self.is_any_open(failed, now) {
                return (at, permit);
            }
        }
        let (at, permit) = self.acquire_any_permit(&self.rank_servers(failed)).await;
        self.servers[at].breaker.try_enter(Instant::now());
        (at, permit)
    }

    async fn acquire_any_permit(&self, candidates: &[usize]) -> (usize, Permit<'_>) {
        let pending_permits = candidates
            .iter()
            .map(|at| Box::pin(self.servers[*at].in_flight.acquire()));
        // There is always a server.
        let (place, nth, _) = select_all(pending_permits).await;
        (candidates[nth], place)
    }

    /// Returns the servers that a call may go to, the least busy first; at least one.
    fn rank_servers(&self, failed: &[usize]) -> Vec<usize> {
        let now = Instant::now();
        let is_fresh = |at: &usize| !failed.contains(at);
        let is_open = |at: &usize| self.servers[*at].breaker.allows_calls(now);
        let all = || 0..self.servers.len();
        let mut able: Vec<usize> = all().filter(|at| is_fresh(at) && is_open(at)).collect();
        if able.is_empty() {
            able = all().filter(is_fresh).collect();
        }
        if able.is_empty() {
            able = all().collect();
        }
        let mut loads: Vec<_> = able
            .into_iter()
            .map(|at| (at, self.servers[at].in_flight.current_load()))
            .collect();
        loads.sort_by(|(_, one), (_, other)| one.compare_load(other));
        loads.into_iter().map(|(at, _)| at).collect()
    }

    fn is_any_open(&self, failed: &[usize], now: Instant) -> bool {
        let servers = self.servers.iter().enumerate();
        let mut fresh = servers.filter(|(at, _)| !failed.contains(at));
        fresh.any(|(_, server)| server.breaker.allows_calls(now))
    }

    /// Records in breaker and limit what an error says about its server.
    fn record_failure(&self, at: usize, error: CallError) -> CallError {
        let server = &self.servers[at];
        if error.kind == CallErrorKind::Connect {
            server.breaker.record_refusal(Instant::now());
            return error;
        }
        server.breaker.record_answer();
        if error.kind != CallErrorKind::NoFinishReason {
            return error;
        }
        let limit = server.in_flight.halve();
        let detail = format!("from now on at most {limit} at once");
        CallError { detail, ..error }
    }

    /// Returns the wait before the next attempt in milliseconds; `None` where there is no further
    /// one. After a refused connection the next server is tried at once, which does not count as a
    /// retry.
    fn next_wait_ms(
        &self,
        tries: &mut RetryState,
        at: usize,
        error: &CallError,
        request: &Request,
    ) -> Option<u64> {
        tries.failures += 1;
        tries.failed_servers.push(at);
        let is_unreachable = error.kind == CallErrorKind::Connect;
        let has_other = match is_unreachable {
            // The other servers may be back before their breakers allow a probe.
            true => tries.failed_servers.len() < self.servers.len(),
            false => self.is_any_open(&tries.failed_servers, Instant::now()),
        };
        let is_loading = matches!(
            error.kind,
            CallErrorKind::Busy {
                is_loading: true,
                ..
            }
        );
        // A model that is being loaded is waited for as long as the call may take.
        let is_no_retry = is_loading || (is_unreachable && has_other);
        if !is_no_retry {
            if !error.is_worth_retrying() || tries.retries >= self.policy.retries {
                return None;
            }
            tries.retries += 1;
        }
        if has_other {
            return Some(0);
        }
        tries.rounds += 1;
        tries.failed_servers.clear();
        let wait_ms = self.policy.wait_ms(tries.rounds, &error.kind, request);
        Some(match is_loading {
            true => {
                wait_ms.min(MAX_LOADING_BACKOFF_MS.max(error.kind.retry_after_ms().unwrap_or(0)))
            }
            false => wait_ms,
        })
    }

    /// Counts whole replies of all its servers.
    fn reply_count(&self) -> u64 {
        let counts = self
            .servers
            .iter()
            .map(|server| server.in_flight.reply_count());
        counts.sum()
    }

    /// A refused connection counts as unreachable only if no server answered any call meanwhile.
    fn final_error(&self, error: CallError, answered_before: u64) -> CallError {
        let is_gone = self.reply_count() == answered_before;
        match error.kind {
            CallErrorKind::Connect if is_gone => {
                let others: Vec<&str> = self
                    .servers
                    .iter()
                    .map(|server| server.place.as_str())
                    .filter(|place| *place != error.place)
                    .collect();
                let detail = match others.is_empty() {
                    true => error.detail,
                    false => format!("nor at {}", others.join(", ")),
                };
                CallError {
                    kind: CallErrorKind::Unreachable,
                    detail,
                    ..error
                }
            }
            _ => error,
        }
    }

    fn deadline_error(&self, at: usize) -> CallError {
        let after_ms = self.policy.deadline_ms;
        self.build_error(at, CallErrorKind::Deadline { after_ms })
    }

    fn build_error(&self, at: usize, kind: CallErrorKind) -> CallError {
        CallError::new(kind, &self.servers[at].place, "")
    }
}

impl Model for RetryingModel {
    fn complete<'a>(
        &'a self,
        request: &'a Request,
        watch: &'a dyn Watch,
        cancel: &'a CancellationToken,
    ) -> BoxFuture<'a, Result<Reply, CallError>> {
        Box::pin(async move {
            tokio::select! {
                biased;
                () = cancel.cancelled() => Err(self.build_error(0, CallErrorKind::Cancelled)),
                outcome = self.call_with_retries(request, watch, cancel) => outcome,
            }
        })
    }

    fn batch_server(&self) -> Option<&dyn BatchServer> {
        // What several servers have is one model: any of them words its calls.
        self.servers.first()?.model.batch_server()
    }

    fn is_simulated(&self) -> bool {
        self.servers
            .iter()
            .any(|server| server.model.is_simulated())
    }
}
