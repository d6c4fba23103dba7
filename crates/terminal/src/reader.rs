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
/// Bytes read at once.
const READ_BYTES: usize = 16 * 1024;

/// The reading thread, as its terminal holds it.
pub(super) struct Reader {
    orders: mpsc::Sender<ReaderCommand>,
    bell: OwnedFd,
    thread: Option<JoinHandle<()>>,
    paused: bool,
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
        tell: UnboundedSender<Input>,
    ) -> Result<Self, TermError> {
        let (rung, bell) = bell()?;
        let (orders, ordered) = mpsc::channel();
        let mut loop_ = ReadLoop {
            input,
            rung,
            ordered,
            windows: Windows::of(link),
            decoder: Decoder::new(),
            tell,
            paused: false,
        };
        let thread = std::thread::Builder::new()
            .name("terminal-input".to_owned())
            .spawn(move || loop_.run())
            .map_err(TermError::Threads)?;
        Ok(Self {
            orders,
            bell,
            thread: Some(thread),
            paused: false,
        })
    }

    /// Stops reading; every key that comes from here on is another program's.
    pub fn pause(&mut self) {
        let (stopped, wait) = mpsc::channel();
        self.order(ReaderCommand::Pause(stopped));
        // A thread that has ended reads nothing either.
        let _ = wait.recv();
        self.paused = true;
    }

    pub fn go_on(&mut self) {
        self.order(ReaderCommand::GoOn);
        self.paused = false;
    }

    pub fn is_paused(&self) -> bool {
        self.paused
    }

    pub fn end(&mut self) {
        self.order(ReaderCommand::End);
        if let Some(thread) = self.thread.take() {
            // It ends at once: it never waits but in poll.
            let _ = thread.join();
        }
    }

    fn order(&self, order: ReaderCommand) {
        // A thread that has ended needs no orders.
        if self.orders.send(order).is_ok() {
            ring(&self.bell);
        }
    }
}

/// Limits of each kind of waiting.
#[derive(Clone, Copy)]
struct Windows {
    esc: Duration,
    tail: Duration,
    rest: Duration,
}

impl Windows {
    fn of(link: Link) -> Self {
        match link {
            Link::Near => Self {
                esc: ESC_NEAR,
                tail: TAIL_NEAR,
                rest: REST_NEAR,
            },
            Link::Far | Link::Slow => Self {
                esc: ESC_FAR,
                tail: TAIL_FAR,
                rest: REST_FAR,
            },
        }
    }

    fn of_waiting(self, waiting: DecoderWait) -> Duration {
        match waiting {
            DecoderWait::Escape => self.esc,
            DecoderWait::Tail => self.tail,
            DecoderWait::Rest => self.rest,
            DecoderWait::Paste => PASTE_PAUSE,
        }
    }
}

struct ReadLoop {
    input: OwnedFd,
    rung: OwnedFd,
    ordered: mpsc::Receiver<ReaderCommand>,
    windows: Windows,
    decoder: Decoder,
    tell: UnboundedSender<Input>,
    paused: bool,
}

/// Reason why a wait ended.
struct WakeReason {
    readable: bool,
    rung: bool,
}

impl ReadLoop {
    fn run(&mut self) {
        let mut bytes = vec![0; READ_BYTES];
        let mut deadline = None;
        loop {
            let Ok(woken) = self.wait(deadline) else {
                return;
            };
            if woken.rung && self.obey().is_err() {
                return;
            }
            let mut inputs = Vec::new();
            if woken.readable && !self.paused {
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
                self.decoder.nothing_came(&mut inputs);
                deadline = self.next_deadline();
            }
            for input in inputs {
                if self.tell.send(input).is_err() {
                    return;
                }
            }
        }
    }

    fn next_deadline(&self) -> Option<Instant> {
        let waiting = self.decoder.waiting()?;
        Some(Instant::now() + self.windows.of_waiting(waiting))
    }

    fn wait(&self, deadline: Option<Instant>) -> Result<WakeReason, Errno> {
        let left = deadline.map(|at| at.saturating_duration_since(Instant::now()));
        let timeout = left.and_then(|left| Timespec::try_from(left).ok());
        let mut waited = [
            PollFd::from_borrowed_fd(self.rung.as_fd(), PollFlags::IN),
            PollFd::from_borrowed_fd(self.input.as_fd(), PollFlags::IN),
        ];
        // A terminal that is lent is not even looked at.
        let looked_at = if self.paused { 1 } else { 2 };
        let waited = waited.get_mut(..looked_at).unwrap_or_default();
        match poll(waited, timeout.as_ref()) {
            Ok(_) | Err(Errno::INTR) => {}
            Err(errno) => return Err(errno),
        }
        let came = |at: usize| waited.get(at).is_some_and(|fd| !fd.revents().is_empty());
        Ok(WakeReason {
            rung: came(0),
            readable: came(1),
        })
    }

    /// Does what was ordered; an error ends the thread.
    fn obey(&mut self) -> Result<(), ()> {
        hush(&self.rung);
        while let Ok(order) = self.ordered.try_recv() {
            match order {
                ReaderCommand::Pause(stopped) => {
                    self.paused = true;
                    self.decoder = Decoder::new();
                    // The receiver may be gone.
                    let _ = stopped.send(());
                }
                ReaderCommand::GoOn => self.paused = false,
                ReaderCommand::End => return Err(()),
            }
        }
        Ok(())
    }
}

/// Reports new sizes, and stops with a program that has the terminal lent.
pub(super) fn watch_sizes(
    tell: WeakUnboundedSender<Input>,
) -> Result<tokio::task::JoinHandle<()>, TermError> {
    let listen = |kind| signal(kind).map_err(TermError::Threads);
    let mut resized = listen(SignalKind::window_change())?;
    let mut suspended = listen(modes::suspend_kind())?;
    Ok(tokio::spawn(async move {
        loop {
            tokio::select! {
                _ = resized.recv() => {
                    // Reported even for an unchanged size: a terminal that was smaller in between
                    // has lost its content.
                    if let Some((width, height)) = modes::measure() {
                        let Some(tell) = tell.upgrade() else { return };
                        if tell.send(Input::Event(Event::Resize(width, height))).is_err() {
                            return;
                        }
                    }
                }
                _ = suspended.recv() => modes::stop_with_a_borrower(),
            }
        }
    }))
}

/// A pipe that wakes a thread which waits in `poll`: the end it looks at, and the end that rings.
pub(super) fn bell() -> Result<(OwnedFd, OwnedFd), TermError> {
    let flags = PipeFlags::CLOEXEC | PipeFlags::NONBLOCK;
    pipe_with(flags).map_err(|errno| TermError::Threads(io::Error::from(errno)))
}

pub(super) fn ring(bell: &OwnedFd) {
    // A full pipe wakes as well, and so does one whose other end is gone.
    let _ = rustix::io::write(bell, &[1]);
}

pub(super) fn hush(rung: &OwnedFd) {
    let mut rings = [0; 64];
    while rustix::io::read(rung, &mut rings).is_ok_and(|count| count == rings.len()) {}
}
