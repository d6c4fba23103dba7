//! Signals of the system as one stream. Decides nothing: the loop answers each of them.

use super::modes;
use std::io;
use tokio::signal::unix::{self, SignalKind};

/// Signal to the process.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Signal {
    /// The terminal is gone: keep what is in flight and leave; nothing can be written any more.
    Hangup,
    /// The process is asked to end: leave as on quitting.
    Terminate,
    /// An interrupt from outside; Ctrl-C in the workbench is a key. Those that were meant for a program
    /// that had the terminal lent are left out.
    Interrupt,
    /// The process is asked to stop, from outside: answer with [`crate::Terminal::suspend`].
    Suspend,
    /// The process goes on after a stop of any kind: answer with [`crate::Terminal::resume`].
    Continue,
}

/// The stream of signals. A new size comes as an input, not from here.
pub struct Signals {
    hangup: unix::Signal,
    terminate: unix::Signal,
    interrupt: unix::Signal,
    suspend: unix::Signal,
    goes_on: unix::Signal,
}

impl Signals {
    /// Begins to listen; from here on none of these signals ends or stops the process by itself.
    ///
    /// # Errors
    /// When the system refuses a handler. Must be called in a tokio runtime.
    pub fn listen() -> io::Result<Self> {
        Ok(Self {
            hangup: unix::signal(SignalKind::hangup())?,
            terminate: unix::signal(SignalKind::terminate())?,
            interrupt: unix::signal(SignalKind::interrupt())?,
            suspend: unix::signal(modes::suspend_kind())?,
            goes_on: unix::signal(modes::continue_kind())?,
        })
    }

    /// Waits for the next signal. Safe to drop and call again: no signal is lost.
    pub async fn next(&mut self) -> Signal {
        loop {
            let signal = tokio::select! {
                biased;
                _ = self.hangup.recv() => Signal::Hangup,
                _ = self.terminate.recv() => Signal::Terminate,
                _ = self.goes_on.recv() => Signal::Continue,
                _ = self.suspend.recv() => Signal::Suspend,
                _ = self.interrupt.recv() => Signal::Interrupt,
            };
            let for_another = match signal {
                Signal::Interrupt | Signal::Suspend => modes::is_for_a_borrower(),
                Signal::Hangup | Signal::Terminate | Signal::Continue => false,
            };
            if !for_another {
                return signal;
            }
        }
    }
}
