//! Writer thread of frames, so that a slow terminal blocks nothing but itself.

use super::modes;
use super::reader::{clear_bell, create_bell, ring_bell};
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
pub struct WriteTotals {
    pub frames: u64,
    pub bytes: u64,
}

/// The writing thread, as its terminal holds it.
pub(super) struct Writer {
    command_sender: mpsc::Sender<WriterCommand>,
    bell: OwnedFd,
    progress: watch::Receiver<WriteProgress>,
    frames_given: u64,
    thread: Option<JoinHandle<()>>,
}

#[derive(Clone, Copy, Default)]
struct WriteProgress {
    totals: WriteTotals,
    /// Nothing is written any more: the terminal is gone.
    has_ended: bool,
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
        let (bell_reader, bell) = create_bell()?;
        let (command_sender, commands) = mpsc::channel();
        let (progress_sender, progress) = watch::channel(WriteProgress::default());
        let mut loop_ = WriteLoop {
            output,
            bell_reader,
            commands,
            progress_sender,
            deadline: None,
        };
        let thread = std::thread::Builder::new()
            .name("terminal-output".to_owned())
            .spawn(move || loop_.run())
            .map_err(TermError::Threads)?;
        Ok(Self {
            command_sender,
            bell,
            progress,
            frames_given: 0,
            thread: Some(thread),
        })
    }

    pub fn is_ready(&self) -> bool {
        self.has_written_all(&self.progress.borrow())
    }

    pub async fn wait_until_ready(&self) {
        let mut progress = self.progress.clone();
        // A thread that has ended writes nothing any more: then as well nothing is waited for.
        let _ = progress
            .wait_for(|progress| self.has_written_all(progress))
            .await;
    }

    pub(super) fn write_frame(&mut self, bytes: Vec<u8>) {
        self.frames_given += 1;
        self.send_command(WriterCommand::Frame(bytes));
    }

    pub(super) fn write_aside(&mut self, bytes: Vec<u8>) {
        self.send_command(WriterCommand::Aside(bytes));
    }

    /// Waits until everything is written, or the patience is over and the rest is dropped.
    pub fn finish(&mut self) {
        let (finish_sender, wait) = mpsc::channel();
        // Before the order: answering it must find the bell rung already.
        ring_bell(&self.bell);
        self.send_command(WriterCommand::Finish(finish_sender));
        // A thread that has ended has nothing left to write.
        let _ = wait.recv();
    }

    pub fn stop(&mut self) {
        self.finish();
        self.send_command(WriterCommand::End);
        if let Some(thread) = self.thread.take() {
            let _ = thread.join();
        }
    }

    pub fn write_totals(&self) -> WriteTotals {
        self.progress.borrow().totals
    }

    fn has_written_all(&self, progress: &WriteProgress) -> bool {
        progress.has_ended || progress.totals.frames >= self.frames_given
    }

    fn send_command(&self, order: WriterCommand) {
        // A thread that has ended needs no orders.
        let _ = self.command_sender.send(order);
    }
}

struct WriteLoop {
    output: OwnedFd,
    bell_reader: OwnedFd,
    commands: mpsc::Receiver<WriterCommand>,
    progress_sender: watch::Sender<WriteProgress>,
    /// Until then everything that is yet unwritten must be written or dropped.
    deadline: Option<Instant>,
}

/// Completion of a write.
#[derive(PartialEq, Eq)]
enum WriteCompletion {
    All,
    /// The patience was over, or the terminal is not ours.
    Dropped,
    Gone,
}

impl WriteLoop {
    fn run(&mut self) {
        // Blocks without a time-out: the orders are all there is to do.
        while let Ok(order) = self.commands.recv() {
            let completion = match order {
                WriterCommand::Frame(bytes) => self.write_bytes(&bytes, 1),
                WriterCommand::Aside(bytes) => self.write_bytes(&bytes, 0),
                WriterCommand::Finish(finish_sender) => {
                    clear_bell(&self.bell_reader);
                    self.deadline = None;
                    // The receiver may be gone.
                    let _ = finish_sender.send(());
                    WriteCompletion::All
                }
                WriterCommand::End => return,
            };
            if completion == WriteCompletion::Gone {
                break;
            }
        }
        self.progress_sender
            .send_modify(|progress| progress.has_ended = true);
    }

    fn write_bytes(&mut self, bytes: &[u8], frames: u64) -> WriteCompletion {
        let mut rest = bytes;
        let completion = loop {
            if rest.is_empty() {
                break WriteCompletion::All;
            }
            if !modes::are_ours() {
                break WriteCompletion::Dropped;
            }
            match rustix::io::write(&self.output, rest) {
                Ok(count) => rest = rest.get(count..).unwrap_or_default(),
                Err(Errno::INTR) => {}
                Err(Errno::AGAIN) => match self.wait_for_room() {
                    Ok(true) => {}
                    Ok(false) => break WriteCompletion::Dropped,
                    Err(_) => break WriteCompletion::Gone,
                },
                Err(_) => break WriteCompletion::Gone,
            }
        };
        self.progress_sender.send_modify(|progress| {
            progress.totals.frames += frames;
            progress.totals.bytes += (bytes.len() - rest.len()) as u64;
        });
        completion
    }

    /// Waits for room; once the bell rang, only for the patience.
    fn wait_for_room(&mut self) -> Result<bool, Errno> {
        let deadline = self.deadline;
        let time_left = deadline.map(|at| at.saturating_duration_since(Instant::now()));
        if time_left.is_some_and(|left| left.is_zero()) {
            return Ok(false);
        }
        let timeout = time_left.and_then(|left| Timespec::try_from(left).ok());
        let mut fds = [
            PollFd::from_borrowed_fd(self.output.as_fd(), PollFlags::OUT),
            PollFd::from_borrowed_fd(self.bell_reader.as_fd(), PollFlags::IN),
        ];
        match poll(&mut fds, timeout.as_ref()) {
            Ok(_) | Err(Errno::INTR) => {}
            Err(errno) => return Err(errno),
        }
        if !fds[1].revents().is_empty() {
            clear_bell(&self.bell_reader);
            self.deadline = Some(Instant::now() + FINISH_PATIENCE);
        }
        Ok(true)
    }
}
