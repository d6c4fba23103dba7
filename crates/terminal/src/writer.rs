//! Writer thread of frames, so that a slow terminal blocks nothing but itself.

use super::modes;
use super::reader::{bell, hush, ring};
use super::tty::TermError;
use rustix::event::{PollFd, PollFlags, Timespec, poll};
use rustix::fd::{AsFd, OwnedFd};
use rustix::io::Errno;
use std::sync::mpsc;
use std::thread::JoinHandle;
use std::time::{Duration, Instant};
use tokio::sync::watch;

/// Longest wait for an unfinished frame when the terminal is given back.
const FINISH_PATIENCE: Duration = Duration::from_millis(300);

/// Bytes and frames written to the terminal since the start.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Written {
    pub frames: u64,
    pub bytes: u64,
}

/// The writing thread, as its terminal holds it.
pub(super) struct Writer {
    orders: mpsc::Sender<WriterCommand>,
    bell: OwnedFd,
    progress: watch::Receiver<WriteProgress>,
    frames_given: u64,
    thread: Option<JoinHandle<()>>,
}

#[derive(Clone, Copy, Default)]
struct WriteProgress {
    written: Written,
    /// Nothing is written any more: the terminal is gone.
    ended: bool,
}

enum WriterCommand {
    Frame(Vec<u8>),
    /// Bytes between frames.
    Aside(Vec<u8>),
    /// Writes what it can within the patience, drops the rest, and says so.
    Finish(mpsc::Sender<()>),
    End,
}

impl Writer {
    pub fn start(output: OwnedFd) -> Result<Self, TermError> {
        let (rung, bell) = bell()?;
        let (orders, ordered) = mpsc::channel();
        let (tell, progress) = watch::channel(WriteProgress::default());
        let mut loop_ = WriteLoop {
            output,
            rung,
            ordered,
            tell,
            deadline: None,
        };
        let thread = std::thread::Builder::new()
            .name("terminal-output".to_owned())
            .spawn(move || loop_.run())
            .map_err(TermError::Threads)?;
        Ok(Self {
            orders,
            bell,
            progress,
            frames_given: 0,
            thread: Some(thread),
        })
    }

    pub fn is_ready(&self) -> bool {
        self.has_written_all(&self.progress.borrow())
    }

    pub async fn ready(&self) {
        let mut progress = self.progress.clone();
        // A thread that has ended writes nothing any more: then as well nothing is waited for.
        let _ = progress
            .wait_for(|progress| self.has_written_all(progress))
            .await;
    }

    pub(super) fn write_frame(&mut self, bytes: Vec<u8>) {
        self.frames_given += 1;
        self.order(WriterCommand::Frame(bytes));
    }

    pub(super) fn write_aside(&mut self, bytes: Vec<u8>) {
        self.order(WriterCommand::Aside(bytes));
    }

    /// Waits until everything is written, or the patience is over and the rest is dropped.
    pub fn finish(&mut self) {
        let (finished, wait) = mpsc::channel();
        // Before the order: answering it must find the bell rung already.
        ring(&self.bell);
        self.order(WriterCommand::Finish(finished));
        // A thread that has ended has nothing left to write.
        let _ = wait.recv();
    }

    pub fn end(&mut self) {
        self.finish();
        self.order(WriterCommand::End);
        if let Some(thread) = self.thread.take() {
            let _ = thread.join();
        }
    }

    pub fn written(&self) -> Written {
        self.progress.borrow().written
    }

    fn has_written_all(&self, progress: &WriteProgress) -> bool {
        progress.ended || progress.written.frames >= self.frames_given
    }

    fn order(&self, order: WriterCommand) {
        // A thread that has ended needs no orders.
        let _ = self.orders.send(order);
    }
}

struct WriteLoop {
    output: OwnedFd,
    rung: OwnedFd,
    ordered: mpsc::Receiver<WriterCommand>,
    tell: watch::Sender<WriteProgress>,
    /// Until then everything that is yet unwritten must be written or dropped.
    deadline: Option<Instant>,
}

/// Completion of a write.
#[derive(PartialEq, Eq)]
enum Reached {
    All,
    /// The patience was over, or the terminal is not ours.
    Dropped,
    Gone,
}

impl WriteLoop {
    fn run(&mut self) {
        // Blocks without a time-out: the orders are all there is to do.
        while let Ok(order) = self.ordered.recv() {
            let reached = match order {
                WriterCommand::Frame(bytes) => self.write(&bytes, 1),
                WriterCommand::Aside(bytes) => self.write(&bytes, 0),
                WriterCommand::Finish(finished) => {
                    hush(&self.rung);
                    self.deadline = None;
                    // The receiver may be gone.
                    let _ = finished.send(());
                    Reached::All
                }
                WriterCommand::End => return,
            };
            if reached == Reached::Gone {
                break;
            }
        }
        self.tell.send_modify(|progress| progress.ended = true);
    }

    fn write(&mut self, bytes: &[u8], frames: u64) -> Reached {
        let mut rest = bytes;
        let reached = loop {
            if rest.is_empty() {
                break Reached::All;
            }
            if !modes::are_ours() {
                break Reached::Dropped;
            }
            match rustix::io::write(&self.output, rest) {
                Ok(count) => rest = rest.get(count..).unwrap_or_default(),
                Err(Errno::INTR) => {}
                Err(Errno::AGAIN) => match self.wait_for_room() {
                    Ok(true) => {}
                    Ok(false) => break Reached::Dropped,
                    Err(_) => break Reached::Gone,
                },
                Err(_) => break Reached::Gone,
            }
        };
        self.tell.send_modify(|progress| {
            progress.written.frames += frames;
            progress.written.bytes += (bytes.len() - rest.len()) as u64;
        });
        reached
    }

    /// Waits for room; once the bell rang, only for the patience.
    fn wait_for_room(&mut self) -> Result<bool, Errno> {
        let deadline = self.deadline;
        let left = deadline.map(|at| at.saturating_duration_since(Instant::now()));
        if left.is_some_and(|left| left.is_zero()) {
            return Ok(false);
        }
        let timeout = left.and_then(|left| Timespec::try_from(left).ok());
        let mut waited = [
            PollFd::from_borrowed_fd(self.output.as_fd(), PollFlags::OUT),
            PollFd::from_borrowed_fd(self.rung.as_fd(), PollFlags::IN),
        ];
        match poll(&mut waited, timeout.as_ref()) {
            Ok(_) | Err(Errno::INTR) => {}
            Err(errno) => return Err(errno),
        }
        if !waited[1].revents().is_empty() {
            hush(&self.rung);
            self.deadline = Some(Instant::now() + FINISH_PATIENCE);
        }
        Ok(true)
    }
}
