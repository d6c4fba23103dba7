//! Watcher of folders: reports changed files without waking up for anything else.

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
    use super::{FolderWatch, WatchedChanges, WatchedFolder};
    use rustix::event::{PollFd, PollFlags, poll};
    use rustix::fs::inotify::{CreateFlags, ReadFlags, Reader, WatchFlags, add_watch, init};
    use rustix::io::Errno;
    use rustix::pipe::{PipeFlags, pipe_with};
    use std::mem::MaybeUninit;
    use std::os::fd::OwnedFd;

    /// Room for the events that are read at once.
    const EVENT_BYTES: usize = 4096;

    impl FolderWatch {
        /// Watches the folders that exist; which these are is asked again when one of them gets another.
        /// `tell` is called from a thread of its own after such a change of a file in one of them, and
        /// says whether to go on.
        ///
        /// # Errors
        /// When the system has no watch or no thread left.
        pub fn start(
            folders: impl Fn() -> Vec<WatchedFolder> + Send + 'static,
            ending: &'static str,
            mut tell: impl FnMut() -> Listens + Send + 'static,
        ) -> std::io::Result<Self> {
            let events = init(CreateFlags::CLOEXEC | CreateFlags::NONBLOCK)?;
            watch_all(&events, &folders)?;
            let (stopped, stop) = pipe_with(PipeFlags::CLOEXEC)?;
            let thread = std::thread::Builder::new()
                .name("watch".to_owned())
                .spawn(move || {
                    while wait_for_change(&events, &stopped) == WatchWake::Changed {
                        let news = drain_events(&events, ending);
                        // What cannot be watched any more was watched until now.
                        if news.has_folders && watch_all(&events, &folders).is_err() {
                            return;
                        }
                        let is_about_them = news.is_about_them || news.has_folders;
                        if is_about_them && tell() == Listens::No {
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

    /// Watches the folders that exist, with those that were made before their parent was watched.
    fn watch_all(
        events: &OwnedFd,
        folders: &impl Fn() -> Vec<WatchedFolder>,
    ) -> std::io::Result<()> {
        let save_flags = WatchFlags::CLOSE_WRITE
            | WatchFlags::MOVED_TO
            | WatchFlags::MOVED_FROM
            | WatchFlags::DELETE;
        let mut known_folders = Vec::new();
        loop {
            let mut existing = folders();
            existing.retain(|(folder, _)| folder.is_dir());
            if existing == known_folders {
                return Ok(());
            }
            for (folder, changes) in &existing {
                let flags = match changes {
                    WatchedChanges::Saved => save_flags,
                    WatchedChanges::Written => save_flags | WatchFlags::CREATE | WatchFlags::MODIFY,
                    WatchedChanges::Folders => WatchFlags::CREATE | WatchFlags::MOVED_TO,
                };
                add_watch(events, folder, flags | WatchFlags::ONLYDIR)?;
            }
            known_folders = existing;
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

    fn wait_for_change(events: &OwnedFd, stopped: &OwnedFd) -> WatchWake {
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

    /// What pending events were about.
    #[derive(Default)]
    struct News {
        is_about_them: bool,
        has_folders: bool,
    }

    /// Reads all pending events.
    fn drain_events(events: &OwnedFd, ending: &str) -> News {
        let mut room = [MaybeUninit::uninit(); EVENT_BYTES];
        let mut reader = Reader::new(events, &mut room);
        let mut news = News::default();
        // Ends with "would block" when there is nothing left.
        while let Ok(event) = reader.next() {
            let name = event.file_name().map(|name| name.to_bytes());
            let is_folder = event.events().contains(ReadFlags::ISDIR);
            news.has_folders |= is_folder;
            news.is_about_them |=
                !is_folder && name.is_none_or(|name| name.ends_with(ending.as_bytes()));
        }
        news
    }
}

/// A folder, and which changes in it are reported.
pub type WatchedFolder = (PathBuf, WatchedChanges);

/// Changes that are reported.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum WatchedChanges {
    /// A file was saved, moved or removed.
    Saved,
    /// It was begun or written to as well; a folder that was made is reported too.
    Written,
    /// A folder was made: files that others keep beside it wake nobody up.
    Folders,
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
        _folders: impl Fn() -> Vec<WatchedFolder> + Send + 'static,
        _ending: &'static str,
        _tell: impl FnMut() -> Listens + Send + 'static,
    ) -> std::io::Result<Self> {
        Ok(Self {})
    }
}
