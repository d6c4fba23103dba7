//! A program of the user's: started without a shell in a process group of its own, which ends with it.
//!
//! Training commands and graders are such programs. Which one runs is said by the user's own
//! configuration or a flag, never by a protocol, session or project.

use rustix::process::{Pid, Signal, kill_process_group};
use std::path::Path;
use std::process::{ExitStatus, Stdio};
use tokio::process::{Child, Command};

/// Returns a command whose output is read, and that ends when it is dropped.
pub(crate) fn build_command(program: &Path, arguments: &[String]) -> Command {
    let mut command = Command::new(program);
    command
        .args(arguments)
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .process_group(0)
        .kill_on_drop(true);
    command
}

/// A command and all that it started; they end with this.
pub(crate) struct ProcessGroup(Option<Pid>);

impl ProcessGroup {
    pub(crate) fn of_child(child: &Child) -> Self {
        let id = child.id().and_then(|id| i32::try_from(id).ok());
        Self(id.and_then(Pid::from_raw))
    }
}

impl Drop for ProcessGroup {
    fn drop(&mut self) {
        if let Some(group) = self.0 {
            // One that is over already is gone.
            let _ = kill_process_group(group, Signal::KILL);
        }
    }
}

/// Says how a command ended.
pub(crate) fn describe_status(status: ExitStatus) -> String {
    use std::os::unix::process::ExitStatusExt;
    match (status.code(), status.signal()) {
        (Some(code), _) => format!("status {code}"),
        (None, Some(signal)) => format!("signal {signal}"),
        (None, None) => "an unknown status".to_owned(),
    }
}

/// Says whether a program is named by an absolute path, or by a name that is looked for.
pub(crate) fn names_program(program: &str) -> bool {
    !program.trim().is_empty() && (Path::new(program).is_absolute() || !program.contains('/'))
}
