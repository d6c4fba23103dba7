//! Files that any process opens, counted by the kernel (inotify).

use rustix::fs::inotify::{self, CreateFlags, ReadFlags, Reader, WatchFlags};
use rustix::io::Errno;
use std::fs;
use std::mem::MaybeUninit;
use std::os::fd::OwnedFd;
use std::path::Path;

/// Folders of a store that hold no journals and no heads.
const DERIVED: [&str; 2] = ["cache", "vectors"];

/// Watch over all folders of a store, but for what is derived from journals.
pub struct OpenedFiles(OwnedFd);

impl OpenedFiles {
    /// Begins to watch.
    pub fn watch(store: &Path) -> Self {
        let watch = inotify::init(CreateFlags::NONBLOCK | CreateFlags::CLOEXEC).unwrap();
        let mut folders = vec![store.to_owned()];
        while let Some(folder) = folders.pop() {
            inotify::add_watch(&watch, &folder, WatchFlags::OPEN).unwrap();
            for entry in fs::read_dir(folder).unwrap() {
                let entry = entry.unwrap();
                let is_derived = DERIVED.iter().any(|name| entry.file_name() == *name);
                if entry.file_type().unwrap().is_dir() && !is_derived {
                    folders.push(entry.path());
                }
            }
        }
        Self(watch)
    }

    /// Returns the names of journals and heads that were opened since, once for each time, and of
    /// whatever else but the lock of the index.
    pub fn names(self) -> Vec<String> {
        let mut buffer = [MaybeUninit::uninit(); 4096];
        let mut events = Reader::new(&self.0, &mut buffer);
        let mut names = Vec::new();
        loop {
            let event = match events.next() {
                Ok(event) => event,
                Err(Errno::AGAIN) => break names,
                Err(error) => panic!("{error}"),
            };
            assert!(!event.events().contains(ReadFlags::QUEUE_OVERFLOW));
            let name = event.file_name().map(|name| name.to_str().unwrap());
            let is_folder = event.events().contains(ReadFlags::ISDIR);
            if let Some(name) = name.filter(|name| !is_folder && *name != "cache.lock") {
                names.push(name.to_owned());
            }
        }
    }
}
