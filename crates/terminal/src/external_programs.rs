//! External programs: the person's editor and pager. Called while the terminal is lent to them.

use super::copy::CopyTarget;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

/// The longest text that is read back from an editor, in bytes.
const MAX_EDITED_BYTES: u64 = 1 << 20;
const EDITORS: [&str; 3] = ["vi", "nano", "ed"];
const PAGERS: [&str; 2] = ["less", "more"];

/// Lets an editor change a file, and returns what is in it then: the editor configured, else the first that
/// is there.
///
/// # Errors
/// In words: when no editor can be started, it fails, or the text is not UTF-8 or too long.
pub fn edit_file(editor: Option<&str>, path: &Path) -> Result<String, String> {
    run_editor(editor, path)?;
    read_back(path)
}

fn run_editor(editor: Option<&str>, path: &Path) -> Result<(), String> {
    let candidates: Vec<&str> = match editor {
        Some(editor) => vec![editor],
        None => EDITORS.to_vec(),
    };
    for candidate in &candidates {
        let Some(mut command) = parse_command(candidate) else {
            continue;
        };
        match command.arg(path).status() {
            Ok(status) if status.success() => return Ok(()),
            Ok(status) => {
                return Err(format!(
                    "{candidate} ended with {status}; the text is as it was"
                ));
            }
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => {}
            Err(error) => return Err(format!("{candidate} cannot be started: {error}")),
        }
    }
    Err(format!(
        "no editor is there ({}); set VISUAL or EDITOR",
        candidates.join(", ")
    ))
}

fn read_back(path: &Path) -> Result<String, String> {
    let size = std::fs::metadata(path)
        .map_err(|error| error.to_string())?
        .len();
    if size > MAX_EDITED_BYTES {
        return Err(format!(
            "the text grew to {size} bytes; at most {MAX_EDITED_BYTES} are taken"
        ));
    }
    let text = std::fs::read_to_string(path).map_err(|error| error.to_string())?;
    Ok(text.strip_suffix('\n').unwrap_or(&text).to_owned())
}

/// Shows a text in a pager, as it is: whatever acts on a terminal was made visible before.
///
/// # Errors
/// In words, when no pager can be started.
pub fn run_pager(pager: Option<&str>, text: &str) -> Result<(), String> {
    let candidates: Vec<&str> = match pager {
        Some(pager) => vec![pager],
        None => PAGERS.to_vec(),
    };
    for candidate in &candidates {
        let Some(mut command) = parse_command(candidate) else {
            continue;
        };
        match command.stdin(Stdio::piped()).spawn() {
            Ok(mut child) => {
                if let Some(mut stdin) = child.stdin.take() {
                    // Who leaves the pager early does not want the rest.
                    let _ = stdin.write_all(text.as_bytes());
                    let _ = stdin.write_all(b"\n");
                }
                child.wait().map_err(|error| error.to_string())?;
                return Ok(());
            }
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => {}
            Err(error) => return Err(format!("{candidate} cannot be started: {error}")),
        }
    }
    Err(format!(
        "no pager is there ({}); set PAGER",
        candidates.join(", ")
    ))
}

/// Makes a command of what a variable holds: a program with its options, parted by blanks.
fn parse_command(text: &str) -> Option<Command> {
    let mut words = text.split_whitespace();
    let mut command = Command::new(words.next()?);
    command.args(words);
    Some(command)
}

/// Describes the destination of a copied text. Arrival cannot be known.
///
/// # Errors
/// When it went nowhere.
pub fn describe_copy(sent: CopyTarget, file: Result<PathBuf, String>) -> Result<String, String> {
    let to = match sent {
        CopyTarget::Tmux => Some("sent to tmux and the terminal"),
        CopyTarget::Terminal => Some("sent to terminal"),
        CopyTarget::TooLong => None,
    };
    match (to, file) {
        (Some(to), Ok(path)) => Ok(format!("{to}, and written to {}", path.display())),
        (Some(to), Err(why)) => Ok(format!("{to}; not written to a file: {why}")),
        (None, Ok(path)) => Ok(format!(
            "too long for the terminal: written to {}",
            path.display()
        )),
        (None, Err(why)) => Err(format!("too long for the terminal, and no file: {why}")),
    }
}
