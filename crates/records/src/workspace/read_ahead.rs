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
        let readers: Vec<Option<Receiver<T>>> = (0..threads)
            .map(|first| {
                let (send, receive) = sync_channel(AHEAD);
                let reading = move || {
                    let mut read = begin();
                    for item in items.iter().skip(first).step_by(threads) {
                        // Nobody takes anything after an error.
                        if send.send(read(item)).is_err() {
                            break;
                        }
                    }
                };
                let handle = thread::Builder::new().spawn_scoped(scope, reading);
                handle.is_ok().then_some(receive)
            })
            .collect();
        // Where the system gives no thread, its items are read here.
        let mut read = begin();
        for (item, reader) in items.iter().zip(readers.iter().cycle()) {
            let result = match reader.as_ref().map(Receiver::recv) {
                Some(Ok(result)) => result,
                // Its thread has panicked, which the scope says.
                Some(Err(_)) => break,
                None => read(item),
            };
            take(item, result)?;
        }
        Ok(())
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn results_are_taken_in_order_until_an_error() {
        let items: Vec<u32> = (0..100).collect();
        let mut taken = Vec::new();
        let ended = read_ahead(
            &items,
            || |item: &u32| item * 2,
            |item, read| {
                taken.push((*item, read));
                if *item == 70 { Err("enough") } else { Ok(()) }
            },
        );
        assert_eq!(ended, Err("enough"));
        let wanted: Vec<(u32, u32)> = (0..=70).map(|item| (item, item * 2)).collect();
        assert_eq!(taken, wanted);
    }
}
