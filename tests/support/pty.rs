//! The real program in a real pseudo-terminal, with somebody who types and looks.
//!
//! ```ignore
//! let program = Program::new();                                  // a home, a project and a store of its own
//! let mut pty = Pty::of(&program).size(120, 40).starts(&[]);  // `elenchus` without arguments
//! pty.wait_for("Sessions");                                // the text stands on the screen
//! pty.press("j j Enter");                                  // keys by the names the help gives them
//! pty.wait_until("the editor", |screen| screen.row(3).contains("round 1") && screen.cursor().is_some());
//! pty.type_text("naïve");                                  // characters; no key names
//! pty.paste("two\nlines");                                 // as a terminal pastes
//! pty.wait_for_calm();                                     // whatever it had to do is done and drawn
//! assert!(pty.look_of("unsafe").bold);                     // colours and attributes of a text
//! pty.resize(80, 24);
//! let mark = pty.mark();                                   // then pty.since(mark).bytes, .frames
//! pty.quits();                                             // `q`, and it ends well
//! insta::assert_snapshot!(pty.screen());                   // trimmed rows
//! ```
//!
//! Nothing waits for time: every wait is for content, has a generous bound, and shows the screen when
//! the bound is reached. A program that is still there at the end is killed.
//!
//! - `Pty::of(&program).with("NO_COLOR", "1")` sets a variable; the rest of the environment is `TERM`,
//!   `LANG`, `PATH` and what `Program` gives. `.without("LANG")` takes one away.
//! - `.starts_child("area::module::name")` runs an ignored test of this binary instead.
//! - `.starts_in_shell("set -m; \"$@\"; echo back; fg", &[])` lets a shell start it, here one with job
//!   control; `.starts_child_in_shell` likewise.
//! - `press("Esc")` is an Esc that no terminal could mistake; `send(b"\x1b")` is the bare byte.
//! - `hold()` makes a terminal that takes nothing, `release()` takes everything again.
//! - `hang_up()` closes the terminal, `signal(Signal::TERM)` sends a signal, `modes()` reads how the
//!   terminal is set, `wake_ups()` counts how often the program's threads were woken.

mod keys;
mod screen;
mod setup;
mod threads;

pub use screen::{CellStyle, Screen};
pub use setup::PtySetup;

use super::program::Program;
use super::server::PATIENCE;
use portable_pty::{Child, MasterPty, PtySize};
use rustix::process::{Pid, Signal, kill_process};
use rustix::termios::{LocalModes, OptionalActions, SpecialCodeIndex, tcgetattr, tcsetattr};
use screen::TerminalOutput;
use std::io::{Read, Write};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

/// For how long a program may leave a key unread before the next one is typed all the same.
const READ_WITHIN: Duration = Duration::from_secs(1);
/// How often what cannot be waited for is looked at.
const LOOK_EVERY: Duration = Duration::from_millis(2);
/// How long a program must have had nothing to do to be calm: a frame that is due later is work as well,
/// and the workbench draws one at least this often.
const CALM_FOR: Duration = Duration::from_millis(120);
/// Ends what the reader reads, in order behind everything the program wrote.
const SENTINEL: &[u8] = b"\x1b]777;the end\x07";

/// A program in a pseudo-terminal.
pub struct Pty {
    watched: Arc<SharedOutput>,
    reader: Option<JoinHandle<()>>,
    master: Option<Box<dyn MasterPty + Send>>,
    keys: Option<Box<dyn Write + Send>>,
    /// Held open so that what the program leaves behind can be looked at.
    slave: Option<std::fs::File>,
    child: Box<dyn Child + Send + Sync>,
}

/// What the reader has seen so far.
struct SharedOutput {
    state: Mutex<State>,
    changed: Condvar,
}

struct State {
    seen: TerminalOutput,
    is_held: bool,
    /// The reader shall end with the next thing it reads.
    is_over: bool,
    has_ended: bool,
}

/// A place in what a program wrote.
#[derive(Debug, Clone, Copy)]
pub struct OutputMark {
    bytes: usize,
    frames: usize,
}

/// What a program wrote since a mark.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct OutputSince {
    pub bytes: usize,
    pub frames: usize,
    pub output: Vec<u8>,
}

/// How a program ended.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PtyExit {
    pub code: u32,
    pub signal: Option<String>,
}

/// How the terminal is set, as `stty` would tell.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Modes {
    /// Lines are edited by the terminal.
    pub canonical: bool,
    pub echo: bool,
    /// Ctrl-C and Ctrl-Z send signals.
    pub signals: bool,
}

impl Pty {
    /// A terminal of 80×24 in front of this program.
    pub fn of(program: &Program) -> PtySetup {
        PtySetup::new(program)
    }

    /// Presses keys, by the names that the help gives them: `"n"`, `"Ctrl-D"`, `"g g"`, `"Esc"`, `"Space"`.
    pub fn press(&mut self, names: &str) {
        for name in names.split_whitespace() {
            self.send_and_wait(&keys::bytes_of(name));
        }
    }

    /// Types characters.
    pub fn type_text(&mut self, text: &str) {
        self.send_and_wait(text.as_bytes());
    }

    /// A person's keys come one by one, however slow the machine is: what comes at once may be a pasted text. They are
    /// read once the program's reader waits again and nothing is left of them; one that is not there, or has lent the
    /// terminal, is typed to all the same.
    fn send_and_wait(&mut self, bytes: &[u8]) {
        let before = self.count_reads();
        self.send(bytes);
        let deadline = Instant::now() + READ_WITHIN;
        while before > 0
            && (self.count_reads() == before || self.unread_keys() > 0)
            && Instant::now() < deadline
        {
            std::thread::sleep(LOOK_EVERY);
        }
    }

    /// Pastes a text as a terminal does: in brackets, with carriage returns for the ends of lines.
    pub fn paste(&mut self, text: &str) {
        let text = text.replace('\n', "\r");
        self.send(format!("\x1b[200~{text}\x1b[201~").as_bytes());
    }

    /// Sends bytes as they are.
    pub fn send(&mut self, bytes: &[u8]) {
        let keys = self.keys.as_mut().expect("the terminal is open");
        keys.write_all(bytes).unwrap();
        keys.flush().unwrap();
    }

    /// Gives the terminal another size, width first.
    pub fn resize(&mut self, width: u16, height: u16) {
        self.lock().seen.resize(width, height);
        let size = PtySize {
            rows: height,
            cols: width,
            ..PtySize::default()
        };
        self.master.as_ref().unwrap().resize(size).unwrap();
    }

    /// Waits until a text stands on the screen, within one row.
    #[track_caller]
    pub fn wait_for(&self, text: &str) {
        self.wait_until(text, |screen| screen.contains(text));
    }

    /// Waits until a text stands on the screen no more.
    #[track_caller]
    pub fn wait_for_no(&self, text: &str) {
        self.wait_until(&format!("no {text}"), |screen| !screen.contains(text));
    }

    /// Waits until the screen is as wanted.
    #[track_caller]
    pub fn wait_until(&self, what: &str, mut is_so: impl FnMut(&Screen<'_>) -> bool) {
        let is_not_so = |state: &mut State| !is_so(&state.seen.screen());
        let state = self.lock();
        let waited = self
            .watched
            .changed
            .wait_timeout_while(state, PATIENCE, is_not_so);
        let (state, waited) = waited.unwrap();
        assert!(
            !waited.timed_out(),
            "waited in vain for: {what}\n{}",
            state.seen.report()
        );
    }

    /// Waits until the program has read every key, its threads sleep, and all it wrote is on the screen.
    /// A timer that has yet to run out is no unrest.
    #[track_caller]
    pub fn wait_for_calm(&self) {
        let mut since = Instant::now();
        let mut before = None;
        self.look_until("calm", || {
            // A program that waits for room to write sleeps as well.
            self.wait_for_output();
            let now = (self.wake_ups(), self.lock().seen.bytes());
            let rests = self.threads_wait() && self.unread_keys() == 0;
            if !rests || before.replace(now) != Some(now) {
                since = Instant::now();
            }
            since.elapsed() >= CALM_FOR
        });
    }

    /// Waits until the program is gone and all it wrote is on the screen.
    #[track_caller]
    pub fn wait_for_exit(&mut self) -> PtyExit {
        let deadline = Instant::now() + PATIENCE;
        let status = loop {
            if let Some(status) = self.child.try_wait().unwrap() {
                break status;
            }
            assert!(
                Instant::now() < deadline,
                "the program never ended\n{}",
                self.lock().seen.report()
            );
            std::thread::sleep(LOOK_EVERY);
        };
        if self.slave.is_some() && !self.lock().is_held {
            self.wait_for_output();
        }
        PtyExit {
            code: status.exit_code(),
            signal: status.signal().map(str::to_owned),
        }
    }

    /// Leaves by `q`, once nothing is under way any more that would make it ask whether to.
    #[track_caller]
    pub fn quits(&mut self) {
        self.wait_for_calm();
        self.press("q");
        assert_eq!(self.wait_for_exit().code, 0);
    }

    /// Leaves the workbench where the command goes on, and waits for what it says then.
    pub fn quits_to(&mut self, text: &str) {
        self.wait_for_calm();
        self.press("q");
        self.wait_for(text);
    }

    /// Returns the rows of the screen without what is blank at their ends, and without blank rows at the
    /// bottom.
    pub fn screen(&self) -> String {
        self.lock().seen.screen().text()
    }

    /// Returns the rows of [`screen`](Self::screen) below the line at the top, which names all screens: a picture
    /// of one screen does not change where another is added.
    pub fn screen_below_top_line(&self) -> String {
        let screen = self.screen();
        screen
            .split_once('\n')
            .map_or_else(String::new, |(_, below)| below.to_owned())
    }

    /// Returns the look of a cell, rows and columns counted from 0.
    #[track_caller]
    pub fn cell(&self, row: u16, column: u16) -> CellStyle {
        self.lock().seen.screen().cell(row, column)
    }

    /// Returns the look of the first cell of a text that stands on the screen.
    #[track_caller]
    pub fn look_of(&self, text: &str) -> CellStyle {
        let state = self.lock();
        let screen = state.seen.screen();
        let Some((row, column)) = screen.find(text) else {
            panic!("no {text:?} on the screen\n{}", state.seen.report());
        };
        screen.cell(row, column)
    }

    /// Asks anything of the screen.
    pub fn ask<T>(&self, ask: impl FnOnce(&Screen<'_>) -> T) -> T {
        ask(&self.lock().seen.screen())
    }

    /// Marks a place in what the program writes.
    pub fn mark(&self) -> OutputMark {
        let state = self.lock();
        OutputMark {
            bytes: state.seen.bytes(),
            frames: state.seen.frames(),
        }
    }

    /// Returns what the program wrote since a mark, as far as it was read.
    pub fn since(&self, mark: OutputMark) -> OutputSince {
        let state = self.lock();
        OutputSince {
            bytes: state.seen.bytes() - mark.bytes,
            frames: state.seen.frames() - mark.frames,
            output: state.seen.output()[mark.bytes..].to_vec(),
        }
    }

    /// Returns what the program wrote since it was started, as far as it was read.
    pub fn written(&self) -> OutputSince {
        self.since(OutputMark {
            bytes: 0,
            frames: 0,
        })
    }

    /// Returns everything the program wrote, as far as it was read.
    pub fn output(&self) -> Vec<u8> {
        self.lock().seen.output().to_vec()
    }

    /// Waits until the program has read every key, though its terminal may take nothing.
    #[track_caller]
    pub fn wait_for_keys_read(&self) {
        self.look_until("the keys to be read", || self.unread_keys() == 0);
    }

    /// Returns the texts that were sent to the terminal's clipboard, in base64.
    pub fn clipboard(&self) -> Vec<String> {
        self.lock().seen.clipboard()
    }

    /// Reads nothing of what the program writes until [`Pty::release`]; what was read already is seen.
    pub fn hold(&self) {
        self.lock().is_held = true;
    }

    pub fn release(&self) {
        self.lock().is_held = false;
        self.watched.changed.notify_all();
    }

    /// Sends a signal to the program.
    pub fn signal(&self, signal: Signal) {
        kill_process(self.pid(), signal).unwrap();
    }

    pub fn pid(&self) -> Pid {
        let id = self.child.process_id().expect("the program runs");
        Pid::from_raw(i32::try_from(id).unwrap()).unwrap()
    }

    /// Closes the terminal, as when a connection breaks.
    pub fn hang_up(&mut self) {
        self.lock().is_over = true;
        self.release();
        // Wakes the reader; where there is no room for it, the reader has something to read.
        self.put_sentinel();
        self.reader.take().unwrap().join().unwrap();
        self.end_without_keys();
        self.slave = None;
        self.keys = None;
        self.master = None;
    }

    /// The writer of keys would type a newline and the terminal's end-of-file key when it is dropped,
    /// as no connection does that breaks.
    fn end_without_keys(&self) {
        if let Some(slave) = &self.slave
            && let Ok(mut modes) = tcgetattr(slave)
        {
            modes.special_codes[SpecialCodeIndex::VEOF] = 0;
            tcsetattr(slave, OptionalActions::Now, &modes).unwrap();
        }
    }

    /// Returns how the terminal is set.
    pub fn modes(&self) -> Modes {
        let modes = tcgetattr(self.slave.as_ref().unwrap()).unwrap().local_modes;
        Modes {
            canonical: modes.contains(LocalModes::ICANON),
            echo: modes.contains(LocalModes::ECHO),
            signals: modes.contains(LocalModes::ISIG),
        }
    }

    fn unread_keys(&self) -> u64 {
        rustix::io::ioctl_fionread(self.slave.as_ref().unwrap()).unwrap()
    }

    /// Waits until the reader has read all that was written up to now.
    #[track_caller]
    fn wait_for_output(&self) {
        let ends = self.lock().seen.sentinels();
        self.look_until("room for one more byte", || self.put_sentinel());
        let is_behind = |state: &mut State| state.seen.sentinels() == ends && !state.has_ended;
        let waited = self
            .watched
            .changed
            .wait_timeout_while(self.lock(), PATIENCE, is_behind);
        assert!(!waited.unwrap().1.timed_out(), "the output never ended");
    }

    /// Says whether it was written, whole: an own write never comes in between another's.
    fn put_sentinel(&self) -> bool {
        let mut slave = self.slave.as_ref().unwrap();
        slave
            .write(SENTINEL)
            .is_ok_and(|count| count == SENTINEL.len())
    }

    #[track_caller]
    fn look_until(&self, what: &str, mut is_so: impl FnMut() -> bool) {
        let deadline = Instant::now() + PATIENCE;
        while !is_so() {
            assert!(
                Instant::now() < deadline,
                "waited in vain for: {what}\n{}",
                self.lock().seen.report()
            );
            std::thread::sleep(LOOK_EVERY);
        }
    }

    fn lock(&self) -> MutexGuard<'_, State> {
        self.watched.lock()
    }
}

impl SharedOutput {
    /// A test that fails while it looks must still be able to end its program.
    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn new(seen: TerminalOutput) -> Arc<Self> {
        Arc::new(Self {
            state: Mutex::new(State {
                seen,
                is_held: false,
                is_over: false,
                has_ended: false,
            }),
            changed: Condvar::new(),
        })
    }

    /// Reads until the terminal is closed or it is told to end.
    fn read(&self, mut output: Box<dyn Read + Send>) {
        let mut bytes = [0; 4096];
        loop {
            let state = self.lock();
            let is_held = |state: &mut State| state.is_held && !state.is_over;
            let free = self.changed.wait_while(state, is_held);
            drop(free.unwrap_or_else(PoisonError::into_inner));
            let count = output.read(&mut bytes).unwrap_or(0);
            let mut state = self.lock();
            state.seen.take(&bytes[..count]);
            state.has_ended = count == 0 || state.is_over;
            let has_ended = state.has_ended;
            self.changed.notify_all();
            if has_ended {
                return;
            }
        }
    }
}

impl Drop for Pty {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
        if self.master.is_some() {
            self.hang_up();
        }
    }
}
