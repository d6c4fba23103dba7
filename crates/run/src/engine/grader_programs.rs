//! Programs that grade, by the names that protocols use: which program a name is, the user says.

use super::user_command::names_program;
use elenchus_records::workspace::{Result, reject};
use serde::Deserialize;
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;
use tokio::sync::Semaphore;

/// Longest time of one answer unless the configuration says another.
const DEFAULT_DEADLINE_S: u64 = 10;
/// Programs that run at the same time, in all debates of a run.
const MAX_RUNNING: usize = 8;

/// Table `[graders.NAME]` of the user's own configuration.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct GraderProgram {
    /// Program by its absolute path, with its arguments.
    pub command: Vec<String>,
    #[serde(default)]
    pub deadline_s: Option<u64>,
}

impl GraderProgram {
    /// Refuses invalid values, with the name of the field.
    ///
    /// # Errors
    /// With what is wrong.
    pub fn check_values(&self) -> std::result::Result<(), (&'static str, &'static str)> {
        let program = self.command.first();
        let is_absolute = |program: &String| names_program(program) && program.starts_with('/');
        if !program.is_some_and(is_absolute) {
            return Err((
                "command",
                "must begin with the absolute path of a program; no shell runs it",
            ));
        }
        if self.deadline_s == Some(0) {
            return Err(("deadline_s", "must be at least 1"));
        }
        Ok(())
    }

    /// Reads a program that was typed as `NAME=COMMAND`, its words parted as a shell parts them.
    ///
    /// # Errors
    /// When a part is missing, a quote is not closed, or the program has no absolute path.
    pub fn parse_typed(typed: &str) -> Result<(String, Self)> {
        let Some((name, line)) = typed.split_once('=') else {
            return reject(format!("--grader {typed}: write NAME=COMMAND"));
        };
        let Ok(command) = shell_words::split(line) else {
            return reject(format!("--grader {typed}: a quote in it is not closed"));
        };
        let program = Self {
            command,
            deadline_s: None,
        };
        match program.check_values() {
            Ok(()) => Ok((name.to_owned(), program)),
            Err((field, why)) => reject(format!("--grader {typed}: the {field} {why}")),
        }
    }

    /// Returns how long it may take.
    pub(super) fn deadline(&self) -> Duration {
        Duration::from_secs(self.deadline_s.unwrap_or(DEFAULT_DEADLINE_S))
    }
}

/// Programs that grade, and how many of them run.
#[derive(Debug, Clone)]
pub struct GraderPrograms {
    programs: BTreeMap<String, GraderProgram>,
    pub(super) running: Arc<Semaphore>,
}

impl Default for GraderPrograms {
    fn default() -> Self {
        Self::new(BTreeMap::new())
    }
}

impl GraderPrograms {
    /// Returns the programs of these names.
    pub fn new(programs: BTreeMap<String, GraderProgram>) -> Self {
        Self {
            programs,
            running: Arc::new(Semaphore::new(MAX_RUNNING)),
        }
    }

    /// Finds the program of a name.
    ///
    /// # Errors
    /// When the user's configuration has none of that name, or it is not there.
    pub fn find_program(&self, name: &str) -> Result<(&GraderProgram, PathBuf)> {
        let Some(program) = self.programs.get(name) else {
            return reject(format!(
                "the grader command '{name}' is not known here: say which program it is with --grader \
                 {name}=/PATH/TO/PROGRAM, or under [graders.{name}] of your own configuration, as \
                 command = [\"/PATH/TO/PROGRAM\"]; a protocol only names it"
            ));
        };
        let file = program.command.first().map_or("", String::as_str);
        let path = Path::new(file);
        match path.is_absolute() && path.is_file() {
            true => Ok((program, path.to_owned())),
            false => reject(format!(
                "the program of the grader command '{name}', {file}, is not there"
            )),
        }
    }
}
