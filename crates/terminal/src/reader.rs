//! Reader thread that waits for keys. It has a time-out only while a key may be half arrived, and
//! sleeps in `poll` otherwise.

use super::capabilities::Link;
use super::decode::{Decoder, DecoderWait};
use super::input::Input;
use super::modes;
use super::tty::TermError;
use ratatui::crossterm::event::Event;
use rustix::event::{PollFd, PollFlags, Timespec, poll};
use rustix::fd::{AsFd, OwnedFd};
use rustix::io::Errno;
use rustix::pipe::{PipeFlags, pipe_with};
use std::io;
use std::sync::mpsc;
use std::thread::JoinHandle;
use std::time::{Duration, Instant};
use tokio::signal::unix::{SignalKind, signal};
use tokio::sync::mpsc::{UnboundedSender, WeakUnboundedSender};

/// Time for which a bare Esc is held: the rest of an arrow key comes with it, or right behind it.
const ESC_NEAR: Duration = Duration::from_millis(30);
const ESC_FAR: Duration = Duration::from_millis(100);
/// Time after a lone Esc within which its torn-off tail may still come.
const TAIL_NEAR: Duration = Duration::from_millis(100);
const TAIL_FAR: Duration = Duration::from_millis(300);
/// Time for the rest of a begun sequence.
const REST_NEAR: Duration = Duration::from_millis(500);
const REST_FAR: Duration = Duration::from_millis(1500);
/// A pause in a pasted text, after which a Ctrl-C is a person's; a slow link makes shorter ones.
const PASTE_PAUSE: Duration = Duration::from_millis(500);
/// Time within which more of a text follows that was pasted without brackets.
const BURST_NEAR: Duration = Duration::from_millis(30);
const BURST_FAR: Duration = Duration::from_millis(150);
/// Bytes read at once.
const READ_BYTES: usize = 16 * 1024;

/// The reading thread, as its terminal holds it.
pub(super) struct Reader {
    command_sender: mpsc::Sender<ReaderCommand>,
    bell: OwnedFd,
    thread: Option<JoinHandle<()>>,
    is_paused: bool,
}

enum ReaderCommand {
    /// Reads nothing until resumed; reports when it has stopped.
    Pause(mpsc::Sender<()>),
    GoOn,
    End,
}

impl Reader {
    pub fn start(
        input: OwnedFd,
        link: Link,
        input_sender: UnboundedSender<Input>,
    ) -> Result<Self, TermError> {
        let (bell_reader, bell) = create_bell()?;
        let (command_sender, commands) = mpsc::channel();
        let mut loop_ = ReadLoop {
            input,
            bell_reader,
            commands,
            windows: WaitLimits::from_link(link),
            decoder: Decoder::new(),
            input_sender,
            is_paused: false,
        };
        let thread = std::thread::Builder::new()
            .name("terminal-input".to_owned())
            .spawn(move || loop_.run())
            .map_err(TermError::Threads)?;
        Ok(Self {
            command_sender,
            bell,
            thread: Some(thread),
            is_paused: false,
        })
    }

    /// Stops reading; every key that comes from here on is another program's.
    pub fn pause(&mut self) {
        let (stop_sender, wait) = mpsc::channel();
        self.send_command(ReaderCommand::Pause(stop_sender));
        // A thread that has ended reads nothing either.
        let _ = wait.recv();
        self.is_paused = true;
    }

    pub fn resume(&mut self) {
        self.send_command(ReaderCommand::GoOn);
        self.is_paused = false;
    }

    pub fn is_paused(&self) -> bool {
        self.is_paused
    }

    pub fn stop(&mut self) {
        self.send_command(ReaderCommand::End);
        if let Some(thread) = self.thread.take() {
            // It ends at once: it never waits but in poll.
            let _ = thread.join();
        }
    }

    fn send_command(&self, order: ReaderCommand) {
        // A thread that has ended needs no orders.
        if self.command_sender.send(order).is_ok() {
            ring_bell(&self.bell);
        }
    }
}

/// Limits of each kind of waiting.
#[derive(Clone, Copy)]
struct WaitLimits {
    esc: Duration,
    tail: Duration,
    rest: Duration,
    burst: Duration,
}

impl WaitLimits {
    fn from_link(link: Link) -> Self {
        match link {
            Link::Near => Self {
                esc: ESC_NEAR,
                tail: TAIL_NEAR,
                rest: REST_NEAR,
                burst: BURST_NEAR,
            },
            Link::Far | Link::Slow => Self {
                esc: ESC_FAR,
                tail: TAIL_FAR,
                rest: REST_FAR,
                burst: BURST_FAR,
            },
        }
    }

    fn wait_limit(self, waiting: DecoderWait) -> Duration {
        match waiting {
            DecoderWait::Escape => self.esc,
            DecoderWait::Tail => self.tail,
            DecoderWait::Rest => self.rest,
            DecoderWait::Paste => PASTE_PAUSE,
            DecoderWait::Burst => self.burst,
        }
    }
}

struct ReadLoop {
    input: OwnedFd,
    bell_reader: OwnedFd,
    commands: mpsc::Receiver<ReaderCommand>,
    windows: WaitLimits,
    decoder: Decoder,
    input_sender: UnboundedSender<Input>,
    is_paused: bool,
}

/// Reason why a wait ended.
struct WakeReason {
    is_readable: bool,
    has_command: bool,
}

impl ReadLoop {
    fn run(&mut self) {
        let mut bytes = vec![0; READ_BYTES];
        let mut deadline = None;
        loop {
            let Ok(reason) = self.wait_for_input(deadline) else {
                return;
            };
            if reason.has_command && self.apply_commands().is_err() {
                return;
            }
            let mut inputs = Vec::new();
            if reason.is_readable && !self.is_paused {
                match rustix::io::read(&self.input, bytes.as_mut_slice()) {
                    Ok(0) => return,
                    Ok(count) => {
                        let new = bytes.get(..count).unwrap_or_default();
                        self.decoder.feed(new, &mut inputs);
                        deadline = self.next_deadline();
                    }
                    Err(Errno::AGAIN | Errno::INTR) => {}
                    // The terminal is gone.
                    Err(_) => return,
                }
            } else if deadline.is_some_and(|deadline| deadline <= Instant::now()) {
                self.decoder.handle_timeout(&mut inputs);
                deadline = self.next_deadline();
            }
            for input in inputs {
                if self.input_sender.send(input).is_err() {
                    return;
                }
            }
        }
    }

    fn next_deadline(&self) -> Option<Instant> {
        let wait_kind = self.decoder.pending_wait()?;
        Some(Instant::now() + self.windows.wait_limit(wait_kind))
    }

    fn wait_for_input(&self, deadline: Option<Instant>) -> Result<WakeReason, Errno> {
        let time_left = deadline.map(|at| at.saturating_duration_since(Instant::now()));
        let timeout = time_left.and_then(|left| Timespec::try_from(left).ok());
        let mut fds = [
            PollFd::from_borrowed_fd(self.bell_reader.as_fd(), PollFlags::IN),
            PollFd::from_borrowed_fd(self.input.as_fd(), PollFlags::IN),
        ];
        // A terminal that is lent is not even looked at.
        let looked_at = if self.is_paused { 1 } else { 2 };
        let fds = fds.get_mut(..looked_at).unwrap_or_default();
        match poll(fds, timeout.as_ref()) {
            Ok(_) | Err(Errno::INTR) => {}
            Err(errno) => return Err(errno),
        }
        let came = |at: usize| fds.get(at).is_some_and(|fd| !fd.revents().is_empty());
        Ok(WakeReason {
            has_command: came(0),
            is_readable: came(1),
        })
    }

    /// Does what was ordered; an error ends the thread.
    fn apply_commands(&mut self) -> Result<(), ()> {
        clear_bell(&self.bell_reader);
        while let Ok(order) = self.commands.try_recv() {
            match order {
                ReaderCommand::Pause(stop_sender) => {
                    self.is_paused = true;
                    self.decoder = Decoder::new();
                    // The receiver may be gone.
                    let _ = stop_sender.send(());
                }
                ReaderCommand::GoOn => self.is_paused = false,
                ReaderCommand::End => return Err(()),
            }
        }
        Ok(())
    }
}

/// Reports new sizes, and stops with a program that has the terminal lent.
pub(super) fn watch_sizes(
    input_sender: WeakUnboundedSender<Input>,
) -> Result<tokio::task::JoinHandle<()>, TermError> {
    let listen = |kind| signal(kind).map_err(TermError::Threads);
    let mut resize_signal = listen(SignalKind::window_change())?;
    let mut suspend_signal = listen(modes::suspend_kind())?;
    Ok(tokio::spawn(async move {
        loop {
            tokio::select! {
                _ = resize_signal.recv() => {
                    // Reported even for an unchanged size: a terminal that was smaller in between
                    // has lost its content.
                    if let Some((width, height)) = modes::measure_size() {
                        let Some(input_sender) = input_sender.upgrade() else { return };
                        if input_sender.send(Input::Event(Event::Resize(width, height))).is_err() {
                            return;
                        }
                    }
                }
                _ = suspend_signal.recv() => modes::stop_with_a_borrower(),
            }
        }
    }))
}

/// A pipe that wakes a thread which waits in `poll`: the end it looks at, and the end that rings.
pub(super) fn create_bell() -> Result<(OwnedFd, OwnedFd), TermError> {
    let flags = PipeFlags::CLOEXEC | PipeFlags::NONBLOCK;
    pipe_with(flags).map_err(|errno| TermError::Threads(io::Error::from(errno)))
}

pub(super) fn ring_bell(bell: &OwnedFd) {
    // A full pipe wakes as well, and so does one whose other end is gone.
    let _ = rustix::io::write(bell, &[1]);
}

pub(super) fn clear_bell(bell_reader: &OwnedFd) {
    let mut rings = [0; 64];
    while rustix::io::read(bell_reader, &mut rings).is_ok_and(|count| count == rings.len()) {}
}
