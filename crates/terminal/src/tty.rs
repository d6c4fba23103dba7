//! Terminal handle of the loop: drawn on, lent, suspended, given back.

use super::capabilities::{Depth, Link};
use super::copy::CopyTarget;
use super::input::Input;
use super::paint::Painter;
use super::reader::Reader;
use super::writer::{WriteTotals, Writer};
use super::{copy, modes, reader};
use ratatui::buffer::Buffer;
use ratatui::layout::{Position, Rect};
use rustix::process::Signal;
use std::io;
use tokio::sync::mpsc::{self, UnboundedReceiver};
use tokio::task::JoinHandle;

/// The size where the terminal does not say one.
const USUAL_SIZE: (u16, u16) = (80, 24);

/// Properties of a terminal's surroundings.
#[derive(Debug, Clone, Copy)]
pub struct TermOptions {
    /// Colours that may be sent; under [`Depth::None`] a stray colour is left out.
    pub depth: Depth,
    pub link: Link,
    pub mouse: Mouse,
    /// Whether copies go through tmux, as [`crate::capabilities::TerminalEnvironment::is_in_tmux`] says.
    pub in_tmux: bool,
    /// Says whether a character of the screen has a part that is not seen: it is never sent.
    pub has_hidden: fn(&str) -> bool,
    /// Says whether a panic on this thread, now, is caught and harmless: it leaves the terminal alone.
    pub panics_are_caught: fn() -> bool,
}

/// Whether the terminal reports its mouse. Off, a person selects text with it as everywhere.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Mouse {
    On,
    #[default]
    Off,
}

/// Reason why there is no terminal to draw on.
#[derive(Debug, thiserror::Error)]
pub enum TermError {
    #[error(
        "the workbench needs a terminal and {0} is none; start it without a pipe or redirection, \
         or use a command such as `elenchus run`"
    )]
    NotATerminal(&'static str),
    #[error("the modes of the terminal cannot be changed; try another terminal")]
    Modes(#[source] io::Error),
    #[error("a thread or a signal handler for the terminal cannot be set up")]
    Threads(#[source] io::Error),
    #[error("the terminal is in use by this process already")]
    Taken,
}

/// Result of a draw.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum DrawResult {
    /// Bytes were handed to the writer.
    Sent { bytes: usize },
    /// The screen is as it was; nothing is written.
    Unchanged,
    /// A frame is unwritten, or the terminal is not ours now: nothing was drawn.
    NotNow,
}

/// Result of suspending.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum SuspendResult {
    /// The process stops; [`crate::signals::Signal::Continue`] follows when it goes on.
    Stopped,
    /// No shell is above that could make it go on: nothing happened.
    NoShell,
}

/// The terminal with its modes set; dropping it puts them back.
pub struct Terminal {
    painter: Painter,
    writer: Writer,
    reader: Reader,
    sizes: JoinHandle<()>,
    in_tmux: bool,
}

impl Terminal {
    /// Takes the terminal and begins to read keys. The receiver ends when the terminal is gone.
    ///
    /// # Errors
    /// When standard input or output is no terminal or its modes cannot be set. Must be called in a
    /// tokio runtime.
    pub fn enter(options: &TermOptions) -> Result<(Self, UnboundedReceiver<Input>), TermError> {
        let ends = modes::take_terminal(options.mouse, options.panics_are_caught)?;
        Self::start_threads(options, ends).inspect_err(|_| modes::release_terminal())
    }

    fn start_threads(
        options: &TermOptions,
        ends: modes::Ends,
    ) -> Result<(Self, UnboundedReceiver<Input>), TermError> {
        let (input_sender, inputs) = mpsc::unbounded_channel();
        let sizes = reader::watch_sizes(input_sender.downgrade())?;
        let reader = Reader::start(ends.input, options.link, input_sender)?;
        let writer = Writer::start(ends.output)?;
        let terminal = Self {
            painter: Painter::new(options.depth, options.has_hidden),
            writer,
            reader,
            sizes,
            in_tmux: options.in_tmux,
        };
        Ok((terminal, inputs))
    }

    /// Returns the size now, width first, in cells.
    pub fn size(&self) -> (u16, u16) {
        modes::measure_size().unwrap_or(USUAL_SIZE)
    }

    /// Says whether a draw would be sent: no frame is unwritten and the terminal is not suspended.
    pub fn is_ready(&self) -> bool {
        self.writer.is_ready() && !self.reader.is_paused()
    }

    /// Resolves when no frame is unwritten; never while suspended. Safe to drop and call again.
    pub async fn wait_until_ready(&self) {
        if self.reader.is_paused() {
            std::future::pending::<()>().await;
        }
        self.writer.wait_until_ready().await;
    }

    /// Draws a screen: `draw` fills the buffer, which comes empty, and returns where the cursor is, if
    /// anywhere. Only what differs from the screen before is sent, as one write.
    pub fn draw(&mut self, draw: impl FnOnce(&mut Buffer) -> Option<Position>) -> DrawResult {
        if !self.is_ready() || !self.is_ours() {
            return DrawResult::NotNow;
        }
        let (width, height) = self.size();
        let frame = self
            .painter
            .paint_screen(Rect::new(0, 0, width, height), draw);
        if frame.is_empty() {
            return DrawResult::Unchanged;
        }
        let bytes = frame.len();
        self.writer.write_frame(frame);
        DrawResult::Sent { bytes }
    }

    /// Makes the next draw send everything, regardless of the terminal's content.
    pub fn clear(&mut self) {
        self.painter.forget_screen();
    }

    /// Sends a text to the clipboard: through tmux where there is one, else to the terminal.
    /// Arrival cannot be known: messages say "sent", and a file is written as well.
    pub fn copy_text(&mut self, text: &str) -> CopyTarget {
        if self.in_tmux && copy::copy_through_tmux(text).is_ok() {
            return CopyTarget::Tmux;
        }
        match copy::clipboard_sequence(text) {
            Some(bytes) => {
                self.writer.write_aside(bytes);
                CopyTarget::Terminal
            }
            None => CopyTarget::TooLong,
        }
    }

    /// Puts the modes back and stops the process and its group, as a shell expects of Ctrl-Z. Nothing is
    /// drawn or read until [`Terminal::resume`].
    pub fn suspend(&mut self) -> SuspendResult {
        if !modes::has_a_shell_above() {
            return SuspendResult::NoShell;
        }
        self.leave_modes();
        if rustix::process::kill_current_process_group(Signal::STOP).is_err() {
            self.resume();
            return SuspendResult::NoShell;
        }
        SuspendResult::Stopped
    }

    /// Sets the modes again after a stop of any kind; the next draw sends everything.
    pub fn resume(&mut self) {
        // Without modes nothing is drawn; a terminal that is gone ends the inputs as well.
        let _ = modes::retake_terminal();
        self.painter.forget_screen();
        self.reader.resume();
    }

    /// Lends the terminal to another program, such as a pager: puts the modes back, leaves every key to
    /// it, and takes the terminal again. Blocks until `run` returns.
    pub fn lend<T>(&mut self, run: impl FnOnce() -> T) -> T {
        self.leave_modes();
        modes::start_lending();
        let answer = run();
        modes::end_lending();
        self.resume();
        answer
    }

    /// Returns what was written since the start.
    pub fn write_totals(&self) -> WriteTotals {
        self.writer.write_totals()
    }

    fn leave_modes(&mut self) {
        self.reader.pause();
        self.writer.finish();
        modes::restore_modes();
    }

    /// A panic in a task that something caught has put the modes back: takes them again.
    fn is_ours(&mut self) -> bool {
        if !modes::are_ours() && !self.reader.is_paused() {
            self.resume();
        }
        modes::are_ours()
    }
}

impl Drop for Terminal {
    fn drop(&mut self) {
        self.sizes.abort();
        self.reader.stop();
        self.writer.stop();
        modes::release_terminal();
    }
}
