//! Free memory, given back to the system: the C library keeps what a thread freed below anything that is still used,
//! so that journals which were read once for the list would weigh on the program for as long as it is open.

/// Gives the system what is free; a moment's work, for after much was freed. Where the C library has nothing of the
/// kind, it does nothing.
pub(crate) fn release_free_memory() {
    #[cfg(all(target_os = "linux", target_env = "gnu"))]
    // SAFETY: it takes no pointer, and holds the locks of the heaps that it looks through.
    #[allow(
        unsafe_code,
        reason = "nothing of the standard library gives memory back"
    )]
    unsafe {
        libc::malloc_trim(0);
    }
}
