//! Clipboard, as far as a terminal reaches: tmux's buffer, or OSC 52.

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use std::io::{self, Write};
use std::process::{Child, Command, Stdio};
use std::sync::mpsc;
use std::time::Duration;

/// Way of a copied text. None implies that it arrived.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum CopyTarget {
    /// Into tmux's buffer, which hands it to the outer terminal if that allows it.
    Tmux,
    /// To the terminal.
    Terminal,
    /// Nowhere: terminals drop a text of this length.
    TooLong,
}

/// The longest text in base64 that common terminals take (hterm and xterm's limit of a string).
const OSC_52_LIMIT_BYTES: usize = 74_994;
/// Longest wait for tmux; the screen is frozen meanwhile.
const TMUX_PATIENCE: Duration = Duration::from_secs(1);

/// Returns the sequence that hands a text to the terminal's clipboard; `None` where it is too long.
///
/// OSC 52, xterm control sequences ("Manipulate Selection Data").
pub(super) fn clipboard_sequence(text: &str) -> Option<Vec<u8>> {
    let base64_text = STANDARD.encode(text);
    let fits = base64_text.len() <= OSC_52_LIMIT_BYTES;
    fits.then(|| format!("\x1b]52;c;{base64_text}\x1b\\").into_bytes())
}

/// Hands a text to tmux, which drops OSC 52 by default; `-w` passes it on to the outer terminal.
///
/// # Errors
/// When there is no tmux, it refuses the text (before 3.2), or it does not answer in time.
pub(super) fn copy_through_tmux(text: &str) -> io::Result<()> {
    let mut child = Command::new("tmux")
        .args(["load-buffer", "-w", "-"])
        .stdin(Stdio::piped())
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .spawn()?;
    let text = text.to_owned();
    let (sender, receiver) = mpsc::channel();
    std::thread::Builder::new()
        .name("tmux-buffer".to_owned())
        .spawn(move || {
            // The receiver is gone when it took too long.
            let _ = sender.send(hand_over(&mut child, &text));
        })?;
    receiver
        .recv_timeout(TMUX_PATIENCE)
        .map_err(io::Error::other)?
}

fn hand_over(child: &mut Child, text: &str) -> io::Result<()> {
    let write_result = match child.stdin.take() {
        Some(mut stdin) => stdin.write_all(text.as_bytes()),
        None => Ok(()),
    };
    let status = child.wait()?;
    write_result?;
    if status.success() {
        Ok(())
    } else {
        Err(io::Error::other("tmux refused the text"))
    }
}
