//! Writer thread for small files of a person's own, so that a slow disk never delays a key. Of
//! several texts for one file that wait, the last is written.

use elenchus_store::replace_private;
use std::collections::BTreeMap;
use std::path::PathBuf;
use std::sync::mpsc::{Receiver, Sender, channel};
use std::sync::{Mutex, PoisonError};
use std::thread::JoinHandle;

/// What the thread is asked to do.
enum FileRequest {
    /// A file, and what it is to hold; nothing removes it.
    Write(PathBuf, Option<Vec<u8>>),
    /// Say when everything that was wished for before is written.
    Answer(Sender<()>),
}

/// Writes files in the order they were given.
pub struct FileWriter {
    thread: Mutex<Option<WriterThread>>,
}

struct WriterThread {
    wishes: Sender<FileRequest>,
    ended: JoinHandle<()>,
}

impl FileWriter {
    /// Starts the thread; without one, files are written at once.
    pub fn start() -> Self {
        let (wishes, wished) = channel();
        let thread = std::thread::Builder::new()
            .name("files".to_owned())
            .spawn(move || write_all(&wished));
        let thread = thread.ok().map(|ended| WriterThread { wishes, ended });
        Self {
            thread: Mutex::new(thread),
        }
    }

    /// Has a file written, or removed.
    pub fn queue_write(&self, path: PathBuf, text: Option<Vec<u8>>) {
        let unsent = match &*self.thread.lock().unwrap_or_else(PoisonError::into_inner) {
            Some(thread) => thread
                .wishes
                .send(FileRequest::Write(path, text))
                .err()
                .map(|unsent| unsent.0),
            None => Some(FileRequest::Write(path, text)),
        };
        if let Some(FileRequest::Write(path, text)) = unsent {
            write_or_remove(path, text);
        }
    }

    /// Waits until what was given so far is written. Blocks.
    pub fn wait_until_written(&self) {
        let (tell, told) = channel();
        match &*self.thread.lock().unwrap_or_else(PoisonError::into_inner) {
            Some(thread) => drop(thread.wishes.send(FileRequest::Answer(tell))),
            None => return,
        }
        // A thread that is gone has nothing left to write.
        let _ = told.recv();
    }

    /// Waits until everything is written.
    pub fn close(&self) {
        let mut thread = self.thread.lock().unwrap_or_else(PoisonError::into_inner);
        let thread = thread.take();
        if let Some(WriterThread { wishes, ended }) = thread {
            drop(wishes);
            // A thread that panicked has nothing left to write.
            let _ = ended.join();
        }
    }
}

fn write_all(wished: &Receiver<FileRequest>) {
    while let Ok(first) = wished.recv() {
        let mut waiting = BTreeMap::new();
        let mut answers = Vec::new();
        for wish in std::iter::once(first).chain(wished.try_iter()) {
            match wish {
                FileRequest::Write(path, text) => drop(waiting.insert(path, text)),
                FileRequest::Answer(tell) => answers.push(tell),
            }
        }
        for (path, text) in waiting {
            write_or_remove(path, text);
        }
        for tell in answers {
            let _ = tell.send(());
        }
    }
}

fn write_or_remove(path: PathBuf, text: Option<Vec<u8>>) {
    let result = match text {
        Some(text) => replace_private(&path, &text).map_err(|error| error.to_string()),
        None => match std::fs::remove_file(&path) {
            Err(error) if error.kind() != std::io::ErrorKind::NotFound => Err(error.to_string()),
            Ok(()) | Err(_) => Ok(()),
        },
    };
    // These files are a comfort: a disk that refuses them must not stop the program.
    if let Err(error) = result {
        tracing::warn!("{} could not be written: {error}", path.display());
    }
}
