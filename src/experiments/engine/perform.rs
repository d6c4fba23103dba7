//! Loop of every experiment: items are opened while there is room, and performed side by side.

use crate::workspace::WorkspaceError;
use futures_util::StreamExt;
use futures_util::future::BoxFuture;
use futures_util::stream::FuturesUnordered;

/// Items of an experiment, each with an outcome `O`.
///
/// Which item follows may depend on what came of earlier ones, so items are opened one at a time. (Boxed
/// futures, because those of an `async fn` in a trait are not known to be `Send` for every lifetime.)
pub(in crate::experiments) trait Work<'a, O>: Send {
    /// Opens the next item; `None` where none can begin now. It is asked again once another item has
    /// come to its end.
    ///
    /// # Errors
    /// What ends the whole experiment, as a journal that cannot be written.
    fn open(&mut self) -> Opened<'_, 'a, O>;

    /// Records what came of an item, durable when this returns.
    ///
    /// # Errors
    /// As [`open`](Self::open).
    fn record(&mut self, outcome: O) -> BoxFuture<'_, Result<(), WorkspaceError>>;
}

/// What [`Work::open`] returns.
pub(in crate::experiments) type Opened<'s, 'a, O> =
    BoxFuture<'s, Result<Option<BoxFuture<'a, O>>, WorkspaceError>>;

/// Performs items, at most `at_once` of them (and at least one) side by side, until none is open. An item
/// that was begun comes to its end; after an error all others are dropped.
///
/// # Errors
/// As those of the work.
pub(in crate::experiments) async fn perform<'a, O: Send>(
    work: &mut dyn Work<'a, O>,
    at_once: usize,
) -> Result<(), WorkspaceError> {
    let mut doing: FuturesUnordered<BoxFuture<'a, O>> = FuturesUnordered::new();
    loop {
        while doing.len() < at_once.max(1) {
            match work.open().await? {
                Some(item) => doing.push(item),
                None => break,
            }
        }
        match doing.next().await {
            Some(outcome) => work.record(outcome).await?,
            None => return Ok(()),
        }
    }
}
