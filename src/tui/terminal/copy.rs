//! Clipboard, as far as a terminal reaches: tmux's buffer, or OSC 52.

use std::io::{self, Write};
use std::process::{Child, Command, Stdio};
use std::sync::mpsc;
use std::time::Duration;

/// Way of a copied text. None implies that it arrived.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Copied {
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
pub(super) fn sequence(text: &str) -> Option<Vec<u8>> {
    let encoded = base64(text.as_bytes());
    if encoded.len() > OSC_52_LIMIT_BYTES {
        return None;
    }
    let mut bytes = b"\x1b]52;c;".to_vec();
    bytes.extend_from_slice(&encoded);
    bytes.extend_from_slice(b"\x1b\\");
    Some(bytes)
}

/// Hands a text to tmux, which drops OSC 52 by default; `-w` passes it on to the outer terminal.
///
/// # Errors
/// When there is no tmux, it refuses the text (before 3.2), or it does not answer in time.
pub(super) fn through_tmux(text: &str) -> io::Result<()> {
    let mut child = Command::new("tmux")
        .args(["load-buffer", "-w", "-"])
        .stdin(Stdio::piped())
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .spawn()?;
    let text = text.to_owned();
    let (tell, told) = mpsc::channel();
    std::thread::Builder::new()
        .name("tmux-buffer".to_owned())
        .spawn(move || {
            // The receiver is gone when it took too long.
            let _ = tell.send(hand_over(&mut child, &text));
        })?;
    told.recv_timeout(TMUX_PATIENCE).map_err(io::Error::other)?
}

fn hand_over(child: &mut Child, text: &str) -> io::Result<()> {
    let written = match child.stdin.take() {
        Some(mut stdin) => stdin.write_all(text.as_bytes()),
        None => Ok(()),
    };
    let status = child.wait()?;
    written?;
    if status.success() {
        Ok(())
    } else {
        Err(io::Error::other("tmux refused the text"))
    }
}

/// RFC 4648, section 4.
fn base64(bytes: &[u8]) -> Vec<u8> {
    const ALPHABET: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    let mut encoded = Vec::with_capacity(bytes.len().div_ceil(3) * 4);
    for chunk in bytes.chunks(3) {
        let mut group = [0; 4];
        for (place, byte) in group.iter_mut().skip(1).zip(chunk) {
            *place = *byte;
        }
        let bits = u32::from_be_bytes(group);
        for place in 0..4 {
            let sextet = bits >> (18 - 6 * place) & 0x3f;
            let known = place <= chunk.len();
            let letter = ALPHABET.get(sextet as usize).filter(|_| known);
            encoded.push(letter.copied().unwrap_or(b'='));
        }
    }
    encoded
}
