//! Terminal modes and their restoration, set by crossterm: raw input, the alternate screen, bracketed
//! paste. One process has one terminal, so this is the one place with process-wide state: a panic
//! anywhere must find it.
//!
//! crossterm's commands are collected and written here, not by its own macros: those block on a
//! terminal that takes nothing (`a_terminal_that_takes_nothing_does_not_keep_it_from_leaving`).

use super::tty::{Mouse, TermError};
use ratatui::crossterm::cursor::{Hide, Show};
use ratatui::crossterm::event::{DisableBracketedPaste, DisableMouseCapture, EnableBracketedPaste};
use ratatui::crossterm::queue;
use ratatui::crossterm::style::{Attribute, Print, SetAttribute};
use ratatui::crossterm::terminal::{
    DisableLineWrap, EnableLineWrap, EndSynchronizedUpdate, EnterAlternateScreen,
    LeaveAlternateScreen, disable_raw_mode, enable_raw_mode, window_size,
};
use rustix::event::{PollFd, PollFlags, Timespec, poll};
use rustix::fd::{AsFd, BorrowedFd, OwnedFd};
use rustix::fs::{Mode, OFlags};
use rustix::io::Errno;
use rustix::process::{Signal, getpgrp, getsid};
use rustix::termios::isatty;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Mutex, MutexGuard, Once, PoisonError};
use std::time::{Duration, Instant};
use tokio::signal::unix::SignalKind;

/// Longest wait for restoring the modes of a terminal that takes nothing.
const RESTORE_PATIENCE: Duration = Duration::from_millis(300);

/// Longest delay of a signal that came while the terminal was lent.
const LATE_SIGNALS: Duration = Duration::from_secs(1);

/// The keypad and the arrow keys as usual, and the wheel as arrow keys (its own setting is kept).
/// crossterm has no commands for these (`a_program_that_had_the_terminal_leaves_its_keys_to_us`,
/// `quitting_puts_the_terminal_back`).
const USUAL_KEYS: &str = "\x1b>\x1b[?1l\x1b[?1007s\x1b[?1007h";
/// Clicks and the wheel, in the form without a limit of columns. crossterm asks for every motion as well,
/// which wakes an idle program (`the_mouse_is_asked_for_when_it_is_wanted_and_its_motions_never`).
const CLICKS_AND_WHEEL: &str = "\x1b[?1000h\x1b[?1006h";
const WHEEL_AS_BEFORE: &str = "\x1b[?1007r";
/// Ends a string that is half written, which would swallow all that follows.
const END_STRING: &str = "\x1b\\";

static TAKEN: Mutex<Option<HeldTerminal>> = Mutex::new(None);
static HOOK: Once = Once::new();
/// True while the modes are ours; nothing is written while they are not.
static OURS: AtomicBool = AtomicBool::new(false);
static LENT: AtomicBool = AtomicBool::new(false);
static LENT_UNTIL: Mutex<Option<Instant>> = Mutex::new(None);

/// What restoring the terminal and taking it again need.
struct HeldTerminal {
    output: OwnedFd,
    mouse: Mouse,
}

/// Both ends of the terminal. They are opened again where possible, so that non-blocking mode does
/// not leak to other programs.
pub(super) struct Ends {
    pub input: OwnedFd,
    pub output: OwnedFd,
}

impl Ends {
    fn open_ends() -> Result<Self, TermError> {
        let (stdin, stdout) = (rustix::stdio::stdin(), rustix::stdio::stdout());
        if !isatty(stdin) {
            return Err(TermError::NotATerminal("standard input"));
        }
        if !isatty(stdout) {
            return Err(TermError::NotATerminal("standard output"));
        }
        Ok(Self {
            input: reopen_end(stdin, OFlags::RDONLY)?,
            output: reopen_end(stdout, OFlags::WRONLY)?,
        })
    }
}

/// Opens the terminal behind this end for ourselves; where its name leads nowhere, as in some
/// containers, the end itself is used.
fn reopen_end(end: BorrowedFd<'_>, way: OFlags) -> Result<OwnedFd, TermError> {
    let flags = way | OFlags::NONBLOCK | OFlags::NOCTTY | OFlags::CLOEXEC;
    let by_name = rustix::termios::ttyname(end, Vec::new())
        .and_then(|name| rustix::fs::open(name, flags, Mode::empty()))
        .or_else(|_| rustix::fs::open("/dev/tty", flags, Mode::empty()));
    match by_name {
        Ok(opened) => Ok(opened),
        Err(_) => end.try_clone_to_owned().map_err(TermError::Modes),
    }
}

/// Takes the terminal: opens its ends, sets the modes, and sees to it that a panic puts them back.
///
/// A panic of which `panics_are_caught` says so changes nothing.
pub(super) fn take_terminal(
    mouse: Mouse,
    panics_are_caught: fn() -> bool,
) -> Result<Ends, TermError> {
    let mut slot = lock_taken();
    if slot.is_some() {
        return Err(TermError::Taken);
    }
    let ends = Ends::open_ends()?;
    let output = ends.output.try_clone().map_err(TermError::Modes)?;
    let terminal = HeldTerminal { output, mouse };
    set_modes(&terminal)?;
    *slot = Some(terminal);
    HOOK.call_once(|| restore_before_panics(panics_are_caught));
    Ok(ends)
}

/// Sets the modes again after [`restore_modes`].
pub(super) fn retake_terminal() -> Result<(), TermError> {
    match lock_taken().as_ref() {
        Some(terminal) => {
            // After a stop that nobody can refuse the shell has set its own modes, and crossterm
            // takes ours for set (`a_stop_from_outside_is_as_ctrl_z`).
            disable_raw_mode().map_err(TermError::Modes)?;
            set_modes(terminal)
        }
        None => Ok(()),
    }
}

/// Puts the modes back and keeps what is needed to set them again.
pub(super) fn restore_modes() {
    if let Some(terminal) = lock_taken().as_ref() {
        reset_modes(terminal);
    }
}

/// Puts the modes back for good.
pub(super) fn release_terminal() {
    if let Some(terminal) = lock_taken().take() {
        reset_modes(&terminal);
    }
}

/// Says whether the modes are ours now; a panic that something caught has put them back.
pub(super) fn are_ours() -> bool {
    OURS.load(Ordering::SeqCst)
}

/// Returns the size of the terminal in cells, width first.
pub(super) fn measure_size() -> Option<(u16, u16)> {
    // Not `size`, which starts a program where the terminal is gone.
    let size = window_size().ok()?;
    (size.columns > 0 && size.rows > 0).then_some((size.columns, size.rows))
}

/// Says whether a shell above us could continue us after a stop: the process group of a session
/// leader has none.
pub(super) fn has_a_shell_above() -> bool {
    getsid(None).is_ok_and(|session| session != getpgrp())
}

pub(super) fn start_lending() {
    LENT.store(true, Ordering::SeqCst);
}

pub(super) fn end_lending() {
    LENT.store(false, Ordering::SeqCst);
    *LENT_UNTIL.lock().unwrap_or_else(PoisonError::into_inner) = Some(Instant::now());
}

/// Says whether a signal was meant for a program that has, or just had, the terminal lent: signals
/// from its keyboard reach us as well, and some time later. Once the modes are ours the keyboard
/// sends none.
pub(super) fn is_for_a_borrower() -> bool {
    let until = *LENT_UNTIL.lock().unwrap_or_else(PoisonError::into_inner);
    let just_now = |until: Instant| until.elapsed() < LATE_SIGNALS;
    LENT.load(Ordering::SeqCst) || until.is_some_and(just_now)
}

/// A program that has the terminal lent was stopped from the keyboard, and the shell waits for the
/// whole job to stop: so do we.
pub(super) fn stop_with_a_borrower() {
    if LENT.load(Ordering::SeqCst) && has_a_shell_above() {
        // Nothing can be done where even this is refused.
        let _ = rustix::process::kill_current_process_group(Signal::STOP);
    }
}

pub(super) fn suspend_kind() -> SignalKind {
    SignalKind::from_raw(Signal::TSTP.as_raw())
}

pub(super) fn continue_kind() -> SignalKind {
    SignalKind::from_raw(Signal::CONT.as_raw())
}

fn set_modes(terminal: &HeldTerminal) -> Result<(), TermError> {
    enable_raw_mode().map_err(TermError::Modes)?;
    OURS.store(true, Ordering::SeqCst);
    let mut bytes = Vec::new();
    // No line wrap: a character that the terminal draws wider than we know must not push a line down.
    let queue_result = queue!(
        bytes,
        EnterAlternateScreen,
        Print(USUAL_KEYS),
        Print(match terminal.mouse {
            Mouse::On => CLICKS_AND_WHEEL,
            Mouse::Off => "",
        }),
        EnableBracketedPaste,
        DisableLineWrap,
        Hide,
    );
    write_bytes(&terminal.output, &bytes);
    queue_result.map_err(TermError::Modes)
}

fn reset_modes(terminal: &HeldTerminal) {
    if OURS.swap(false, Ordering::SeqCst) {
        let mut bytes = Vec::new();
        // A sequence in memory is always written.
        let _ = queue!(
            bytes,
            Print(END_STRING),
            EndSynchronizedUpdate,
            SetAttribute(Attribute::Reset),
            EnableLineWrap,
            DisableMouseCapture,
            Print(WHEEL_AS_BEFORE),
            DisableBracketedPaste,
            Show,
            LeaveAlternateScreen,
        );
        write_bytes(&terminal.output, &bytes);
        // A terminal that is gone has no modes.
        let _ = disable_raw_mode();
    }
}

/// Writes as far as the terminal takes it within the patience.
fn write_bytes(output: &OwnedFd, bytes: &[u8]) {
    let deadline = Instant::now() + RESTORE_PATIENCE;
    let mut rest = bytes;
    while !rest.is_empty() {
        match rustix::io::write(output, rest) {
            Ok(count) => rest = rest.get(count..).unwrap_or_default(),
            Err(Errno::INTR) => {}
            Err(Errno::AGAIN) => {
                let time_left = deadline.saturating_duration_since(Instant::now());
                if time_left.is_zero() || !wait_for_room(output, time_left) {
                    return;
                }
            }
            Err(_) => return,
        }
    }
}

fn wait_for_room(output: &OwnedFd, patience: Duration) -> bool {
    let mut room = [PollFd::from_borrowed_fd(output.as_fd(), PollFlags::OUT)];
    match Timespec::try_from(patience).map(|timeout| poll(&mut room, Some(&timeout))) {
        Ok(Ok(count)) => count > 0,
        Ok(Err(errno)) => errno == Errno::INTR,
        Err(_) => false,
    }
}

fn restore_before_panics(panics_are_caught: fn() -> bool) {
    let before = std::panic::take_hook();
    std::panic::set_hook(Box::new(move |panic| {
        // What a library does where a panic is caught changes nothing on the screen.
        if panics_are_caught() {
            return;
        }
        // A panic while the lock is held by this very thread must not wait for itself.
        if let Ok(slot) = TAKEN.try_lock()
            && let Some(terminal) = slot.as_ref()
        {
            reset_modes(terminal);
        }
        before(panic);
    }));
}

fn lock_taken() -> MutexGuard<'static, Option<HeldTerminal>> {
    TAKEN.lock().unwrap_or_else(PoisonError::into_inner)
}
