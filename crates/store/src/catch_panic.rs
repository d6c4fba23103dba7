//! Panics as errors: runs code that may panic, without printing the panic.

use std::{
    cell::Cell,
    panic::{self, AssertUnwindSafe},
    sync::Once,
    thread,
};

thread_local! {
    static CAUGHT: Cell<u32> = const { Cell::new(0) };
}

/// Returns whether a panic on this thread, now, is caught and harmless.
pub fn panics_are_caught() -> bool {
    let library_thread = || {
        thread::current()
            .name()
            .is_some_and(|name| name.starts_with("sled-"))
    };
    CAUGHT.with(Cell::get) > 0 || library_thread()
}

/// Runs `work`; a panic in it becomes its message, and nothing is printed.
///
/// # Errors
/// With the message of the panic.
pub fn catch_panics(work: &mut dyn FnMut()) -> Result<(), String> {
    catch_panic(work)
}

/// Runs `work`; a panic in it becomes its message, and nothing is printed.
pub(super) fn catch_panic<T>(work: impl FnOnce() -> T) -> Result<T, String> {
    silence_caught_panics();
    CAUGHT.with(|caught| caught.set(caught.get() + 1));
    let result = panic::catch_unwind(AssertUnwindSafe(work));
    CAUGHT.with(|caught| caught.set(caught.get() - 1));
    result.map_err(|payload| {
        let text = match payload.downcast::<String>() {
            Ok(text) => *text,
            Err(payload) => match payload.downcast::<&'static str>() {
                Ok(text) => (*text).to_owned(),
                Err(_) => "a panic without a message".to_owned(),
            },
        };
        let first = text.lines().next().unwrap_or_default();
        first.chars().take(200).collect()
    })
}

/// Installs, once, a panic hook that keeps quiet about panics that are caught and passes others on.
fn silence_caught_panics() {
    static ONCE: Once = Once::new();
    ONCE.call_once(|| {
        // Setting a hook on a thread that is panicking is the one thing that would panic here.
        if thread::panicking() {
            return;
        }
        let before = panic::take_hook();
        panic::set_hook(Box::new(move |info| {
            if !panics_are_caught() {
                before(info);
            }
        }));
    });
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_caught_panic_becomes_its_message_and_is_known_while_it_lasts() {
        assert_eq!(catch_panic(panics_are_caught), Ok(true));
        assert_eq!(
            catch_panic(|| -> u8 { panic!("page {}", 7) }),
            Err("page 7".to_owned())
        );
        assert!(!panics_are_caught());
    }
}
