//! External programs: the person's editor and pager. Called while the terminal is lent to them.

use super::copy::CopyTarget;
use std::fmt::Display;
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::process::{Command, ExitStatus, Stdio};
use std::sync::Arc;

/// The longest text that is read back from an editor, in bytes.
const MAX_EDITED_BYTES: u64 = 1 << 20;
const EDITORS: [&str; 3] = ["vi", "nano", "ed"];
const PAGERS: [&str; 2] = ["less", "more"];

/// Why an editor or a pager did not do its work.
#[derive(Debug, Clone, thiserror::Error)]
pub enum ProgramError {
    #[error("{program} ended with {status}; the text is as it was")]
    Failed { program: String, status: ExitStatus },
    #[error("{program} cannot be started: {cause}")]
    NotStarted {
        program: String,
        cause: Arc<io::Error>,
    },
    #[error("no {what} is there ({candidates}); set {variables}")]
    NotFound {
        /// "editor", "pager".
        what: &'static str,
        candidates: String,
        variables: &'static str,
    },
    #[error("the text grew to {bytes} bytes; at most {MAX_EDITED_BYTES} are taken")]
    TooLong { bytes: u64 },
    /// The file of the text, or the program while it ran.
    #[error("{0}")]
    Io(Arc<io::Error>),
}

impl From<io::Error> for ProgramError {
    fn from(error: io::Error) -> Self {
        Self::Io(Arc::new(error))
    }
}

impl ProgramError {
    fn not_started(program: &str, cause: io::Error) -> Self {
        Self::NotStarted {
            program: program.to_owned(),
            cause: Arc::new(cause),
        }
    }
}

/// Lets an editor change a file, and returns what is in it then: the editor configured, else the first that
/// is there.
///
/// # Errors
/// When no editor can be started, it fails, or the text is not UTF-8 or too long.
pub fn edit_file(editor: Option<&str>, path: &Path) -> Result<String, ProgramError> {
    run_editor(editor, path)?;
    read_back(path)
}

fn run_editor(editor: Option<&str>, path: &Path) -> Result<(), ProgramError> {
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
                let program = (*candidate).to_owned();
                return Err(ProgramError::Failed { program, status });
            }
            Err(error) if error.kind() == io::ErrorKind::NotFound => {}
            Err(error) => return Err(ProgramError::not_started(candidate, error)),
        }
    }
    Err(ProgramError::NotFound {
        what: "editor",
        candidates: candidates.join(", "),
        variables: "VISUAL or EDITOR",
    })
}

fn read_back(path: &Path) -> Result<String, ProgramError> {
    let size = std::fs::metadata(path)?.len();
    if size > MAX_EDITED_BYTES {
        return Err(ProgramError::TooLong { bytes: size });
    }
    let text = std::fs::read_to_string(path)?;
    Ok(text.strip_suffix('\n').unwrap_or(&text).to_owned())
}

/// Shows a text in a pager, as it is: whatever acts on a terminal was made visible before.
///
/// # Errors
/// When no pager can be started.
pub fn run_pager(pager: Option<&str>, text: &str) -> Result<(), ProgramError> {
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
                child.wait()?;
                return Ok(());
            }
            Err(error) if error.kind() == io::ErrorKind::NotFound => {}
            Err(error) => return Err(ProgramError::not_started(candidate, error)),
        }
    }
    Err(ProgramError::NotFound {
        what: "pager",
        candidates: candidates.join(", "),
        variables: "PAGER",
    })
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
pub fn describe_copy<E: Display>(
    sent: CopyTarget,
    file: Result<PathBuf, E>,
) -> Result<String, String> {
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
