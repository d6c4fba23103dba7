//! Watcher of folders: reports saved files without waking up for anything else.
//!
//! Thread sleeps

use std::path::PathBuf;

/// Sleeps until files change; dropping it ends its thread.
#[derive(Debug)]
pub struct FolderWatch {
    #[cfg(target_os = "linux")]
    stop: Option<std::os::fd::OwnedFd>,
    #[cfg(target_os = "linux")]
    thread: Option<std::thread::JoinHandle<()>>,
}

#[cfg(target_os = "linux")]
mod linux {
    use super::{FolderWatch, PathBuf};
    use rustix::event::{PollFd, PollFlags, poll};
    use rustix::fs::inotify::{CreateFlags, Reader, WatchFlags, add_watch, init};
    use rustix::io::Errno;
    use rustix::pipe::{PipeFlags, pipe_with};
    use std::mem::MaybeUninit;
    use std::os::fd::OwnedFd;

    /// Room for the events that are read at once.
    const EVENT_BYTES: usize = 4096;

    impl FolderWatch {
        /// Watches the folders that exist. `tell` is called from a thread of its own after a file
        /// whose name ends so was written, moved or removed in one of them, and says whether to go
        /// on.
        ///
        /// # Errors
        /// When the system has no watch or no thread left.
        pub fn begin(
            folders: &[PathBuf],
            ending: &'static str,
            mut tell: impl FnMut() -> Listens + Send + 'static,
        ) -> std::io::Result<Self> {
            let events = init(CreateFlags::CLOEXEC | CreateFlags::NONBLOCK)?;
            let wanted = WatchFlags::CLOSE_WRITE
                | WatchFlags::MOVED_TO
                | WatchFlags::MOVED_FROM
                | WatchFlags::DELETE
                | WatchFlags::ONLYDIR;
            for folder in folders.iter().filter(|folder| folder.is_dir()) {
                add_watch(&events, folder, wanted)?;
            }
            let (stopped, stop) = pipe_with(PipeFlags::CLOEXEC)?;
            let thread = std::thread::Builder::new()
                .name("watch".to_owned())
                .spawn(move || {
                    while wait(&events, &stopped) == WatchWake::Changed {
                        if drain(&events, ending) && tell() == Listens::No {
                            return;
                        }
                    }
                })?;
            Ok(Self {
                stop: Some(stop),
                thread: Some(thread),
            })
        }
    }

    use super::Listens;

    impl Drop for FolderWatch {
        fn drop(&mut self) {
            // Closing the pipe wakes the thread.
            self.stop.take();
            if let Some(thread) = self.thread.take() {
                // It can only have ended; what it panicked with was shown.
                let _ = thread.join();
            }
        }
    }

    #[derive(PartialEq, Eq)]
    enum WatchWake {
        Changed,
        Stopped,
    }

    fn wait(events: &OwnedFd, stopped: &OwnedFd) -> WatchWake {
        loop {
            let mut both = [
                PollFd::new(events, PollFlags::IN),
                PollFd::new(stopped, PollFlags::IN),
            ];
            match poll(&mut both, None) {
                Ok(_) => {}
                Err(Errno::INTR) => continue,
                Err(_) => return WatchWake::Stopped,
            }
            let [changed, stop] = both.map(|fd| !fd.revents().is_empty());
            if stop {
                return WatchWake::Stopped;
            }
            if changed {
                return WatchWake::Changed;
            }
        }
    }

    /// Reads all pending events and returns whether one was about such a file.
    fn drain(events: &OwnedFd, ending: &str) -> bool {
        let mut room = [MaybeUninit::uninit(); EVENT_BYTES];
        let mut reader = Reader::new(events, &mut room);
        let mut is_about_them = false;
        // Ends with "would block" when there is nothing left.
        while let Ok(event) = reader.next() {
            let name = event.file_name().map(|name| name.to_bytes());
            is_about_them |= name.is_none_or(|name| name.ends_with(ending.as_bytes()));
        }
        is_about_them
    }
}

/// Answer of a listener: go on or end the watch.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Listens {
    Yes,
    No,
}

#[cfg(not(target_os = "linux"))]
impl FolderWatch {
    /// Watches nothing: this system has no inotify.
    pub fn begin(
        _folders: &[PathBuf],
        _ending: &'static str,
        _tell: impl FnMut() -> Listens + Send + 'static,
    ) -> std::io::Result<Self> {
        Ok(Self {})
    }
}
