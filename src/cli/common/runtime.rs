//! Runtime of commands that call models: Ctrl-C and SIGTERM stop them between calls.

use super::output;
use anyhow::{Context, Result};
use std::pin::Pin;
use tokio_util::sync::CancellationToken;

/// What a command does, in a box: each type of future that is waited for is compiled with the runtime's code
/// around it.
type Work<'a, T> = Pin<Box<dyn Future<Output = T> + 'a>>;

/// Runs a future on a runtime of several threads; Ctrl-C cancels its token.
pub(crate) fn run_interruptible<T, F: Future<Output = Result<T>>>(
    work: impl FnOnce(CancellationToken) -> F,
) -> Result<T> {
    let runtime = tokio::runtime::Builder::new_multi_thread()
        .enable_all()
        .build()
        .context("the runtime could not be started")?;
    let work: Work<'_, Result<T>> = Box::pin(async {
        let cancel = CancellationToken::new();
        tokio::spawn(cancel_on_interrupt(cancel.clone()));
        work(cancel).await
    });
    let exit = runtime.block_on(work);
    // A person may have been asked when it was stopped: their terminal is not waited for.
    runtime.shutdown_background();
    exit
}

/// Waits for a future on this thread, without a signal that stops it.
pub(crate) fn wait_for<T>(future: impl Future<Output = T>) -> Result<T> {
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build()
        .context("the system gives no means to contact anybody")?;
    let work: Work<'_, T> = Box::pin(future);
    Ok(runtime.block_on(work))
}

/// The first Ctrl-C (or SIGTERM) stops between calls; a second one leaves at once.
async fn cancel_on_interrupt(cancel: CancellationToken) {
    use tokio::signal::unix::{SignalKind, signal};
    let Ok(mut terminate) = signal(SignalKind::terminate()) else {
        return;
    };
    let mut is_stopping = false;
    loop {
        tokio::select! {
            pressed = tokio::signal::ctrl_c() => if pressed.is_err() { return },
            _ = terminate.recv() => {}
        }
        if is_stopping {
            std::process::exit(130);
        }
        is_stopping = true;
        cancel.cancel();
        output::print_notice(
            "stopping; everything that came back is kept (Ctrl-C again leaves at once)",
        );
    }
}
