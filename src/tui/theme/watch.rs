//! Tells when a theme file was saved, without ever waking up for anything else.
//!
//! A thread sleeps in the kernel until something happens in a folder of themes. Where there is no
//! inotify nothing is told, and themes are read again when the picker is opened.

use std::path::PathBuf;

/// Sleeps until theme files change; dropping it ends its thread.
#[derive(Debug)]
pub struct ThemeWatch {
    #[cfg(target_os = "linux")]
    stop: Option<std::os::fd::OwnedFd>,
    #[cfg(target_os = "linux")]
    thread: Option<std::thread::JoinHandle<()>>,
}

#[cfg(target_os = "linux")]
mod linux {
    use super::{PathBuf, ThemeWatch};
    use rustix::event::{PollFd, PollFlags, poll};
    use rustix::fs::inotify::{CreateFlags, Reader, WatchFlags, add_watch, init};
    use rustix::io::Errno;
    use rustix::pipe::{PipeFlags, pipe_with};
    use std::mem::MaybeUninit;
    use std::os::fd::OwnedFd;

    /// Room for the events that are read at once.
    const EVENT_BYTES: usize = 4096;

    impl ThemeWatch {
        /// Watches the folders that exist; `tell` is called from a thread of its own after a file in
        /// one of them was written, moved or removed, and says whether anybody still listens.
        ///
        /// # Errors
        /// When the system has no watch or no thread left; themes then change when they are chosen.
        pub fn begin(
            folders: &[PathBuf],
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
                .name("themes".to_owned())
                .spawn(move || {
                    while wait(&events, &stopped) == Woken::Changed {
                        if drain(&events) && tell() == Listens::No {
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

    impl Drop for ThemeWatch {
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
    enum Woken {
        Changed,
        Stopped,
    }

    fn wait(events: &OwnedFd, stopped: &OwnedFd) -> Woken {
        loop {
            let mut both = [
                PollFd::new(events, PollFlags::IN),
                PollFd::new(stopped, PollFlags::IN),
            ];
            match poll(&mut both, None) {
                Ok(_) => {}
                Err(Errno::INTR) => continue,
                Err(_) => return Woken::Stopped,
            }
            let [changed, stop] = both.map(|fd| !fd.revents().is_empty());
            if stop {
                return Woken::Stopped;
            }
            if changed {
                return Woken::Changed;
            }
        }
    }

    /// Reads everything that happened and tells whether it was about a theme file.
    fn drain(events: &OwnedFd) -> bool {
        let mut room = [MaybeUninit::uninit(); EVENT_BYTES];
        let mut reader = Reader::new(events, &mut room);
        let mut about_themes = false;
        // Ends with "would block" when there is nothing left.
        while let Ok(event) = reader.next() {
            let name = event.file_name().map(|name| name.to_bytes());
            about_themes |= name.is_none_or(|name| name.ends_with(b".toml"));
        }
        about_themes
    }
}

/// Whether anybody still wants to be told.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Listens {
    Yes,
    No,
}

#[cfg(not(target_os = "linux"))]
impl ThemeWatch {
    /// Watches nothing: this system has no inotify.
    pub fn begin(
        _folders: &[PathBuf],
        _tell: impl FnMut() -> Listens + Send + 'static,
    ) -> std::io::Result<Self> {
        Ok(Self {})
    }
}
