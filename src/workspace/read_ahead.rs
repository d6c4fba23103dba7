//! Reading ahead: several threads read, and what they read is handed over in order.

use std::num::NonZero;
use std::sync::mpsc::{Receiver, sync_channel};
use std::thread;

/// Most threads that read at once.
const MAX_THREADS: usize = 8;

/// Most results of one thread that wait to be taken.
const AHEAD: usize = 4;

/// Reads every item on as many threads as there are cores and takes the results one after the other, in the
/// order of the items. `begin` makes the reader of a thread. Blocks.
///
/// # Errors
/// The first one of `take`; nothing is read after it but what is being read already.
pub fn read_ahead<I: Sync, T: Send, E, R: FnMut(&I) -> T>(
    items: &[I],
    begin: impl Fn() -> R + Sync,
    mut take: impl FnMut(&I, T) -> Result<(), E>,
) -> Result<(), E> {
    let threads = thread::available_parallelism().map_or(1, NonZero::get);
    let threads = threads.min(MAX_THREADS);
    let begin = &begin;
    thread::scope(|scope| {
        let readers: Vec<Receiver<T>> = (0..threads)
            .map(|first| {
                let (send, receive) = sync_channel(AHEAD);
                scope.spawn(move || {
                    let mut read = begin();
                    for item in items.iter().skip(first).step_by(threads) {
                        // Nobody takes anything after an error.
                        if send.send(read(item)).is_err() {
                            break;
                        }
                    }
                });
                receive
            })
            .collect();
        for (item, reader) in items.iter().zip(readers.iter().cycle()) {
            // Its thread has panicked, which the scope says.
            let Ok(result) = reader.recv() else { break };
            take(item, result)?;
        }
        Ok(())
    })
}
