//! How adapters are trained here: the command of the user, and what it is told.

use super::user_command::names_program;
use elenchus_records::workspace::run::TrainingRecipe;
use elenchus_records::workspace::{Result, reject};
use serde::Deserialize;
use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::time::Duration;

/// Longest time of a training unless the configuration says another.
const DEFAULT_DEADLINE_S: u64 = 6 * 60 * 60;

/// Table `[training]` of the user's own configuration. A project, session or import never has one: what it
/// names is run.
#[derive(Debug, Clone, Default, PartialEq, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct TrainingSettings {
    /// Program with its arguments; the folder of a training is put behind them.
    pub command: Vec<String>,
    pub deadline_s: Option<u64>,
    pub rank: Option<u32>,
    pub alpha: Option<u32>,
    pub dropout: Option<f64>,
    pub epochs: Option<u32>,
    pub learning_rate: Option<f64>,
    /// Folders in which a program without a path is looked for.
    #[serde(skip)]
    pub search_path: Option<OsString>,
}

impl TrainingSettings {
    /// Refuses invalid values, with the name of the field.
    ///
    /// # Errors
    /// With what is wrong.
    pub fn check_values(&self) -> std::result::Result<(), (&'static str, &'static str)> {
        let counts = [
            ("rank", self.rank.map(u64::from)),
            ("alpha", self.alpha.map(u64::from)),
            ("epochs", self.epochs.map(u64::from)),
            ("deadline_s", self.deadline_s),
        ];
        for (field, count) in counts {
            if count == Some(0) {
                return Err((field, "must be at least 1"));
            }
        }
        if self
            .dropout
            .is_some_and(|share| !(0.0..1.0).contains(&share))
        {
            return Err(("dropout", "must be 0 or more and less than 1"));
        }
        if self
            .learning_rate
            .is_some_and(|rate| !(rate.is_finite() && rate > 0.0))
        {
            return Err(("learning_rate", "must be more than 0"));
        }
        if self
            .command
            .first()
            .is_some_and(|program| !names_program(program))
        {
            return Err((
                "command",
                "must begin with a program: its absolute path, or a name that is found on the PATH",
            ));
        }
        Ok(())
    }

    /// Returns the same with a command that was typed, its words parted as a shell parts them; no shell runs it.
    ///
    /// # Errors
    /// When a quote is not closed, or the first word names no program.
    pub fn with_command_line(self, line: &str) -> Result<Self> {
        let Ok(command) = shell_words::split(line) else {
            return reject(format!("--train-cmd {line}: a quote in it is not closed"));
        };
        if command.is_empty() {
            return reject("--train-cmd names no program");
        }
        let with_command = Self { command, ..self };
        match with_command.check_values() {
            Ok(()) => Ok(with_command),
            Err((_, why)) => reject(format!("--train-cmd {line}: it {why}")),
        }
    }

    /// Returns what trainings are told.
    pub fn recipe(&self) -> TrainingRecipe {
        let default = TrainingRecipe::default();
        TrainingRecipe {
            rank: self.rank.unwrap_or(default.rank),
            alpha: self.alpha.unwrap_or(default.alpha),
            dropout: self.dropout.unwrap_or(default.dropout),
            epochs: self.epochs.unwrap_or(default.epochs),
            learning_rate: self.learning_rate.unwrap_or(default.learning_rate),
        }
    }

    /// Returns how long a training may take.
    pub fn deadline(&self) -> Duration {
        Duration::from_secs(self.deadline_s.unwrap_or(DEFAULT_DEADLINE_S))
    }

    /// Finds the program of the command.
    ///
    /// # Errors
    /// When no command is configured, or its program is not there.
    pub fn find_program(&self) -> Result<PathBuf> {
        let Some(program) = self.command.first() else {
            return reject(
                "no training command: give --train-cmd COMMAND, or put command = [\"…\"] under [training] of your own \
                 configuration (docs/training has one to begin with); the one that a run was begun with is not \
                 taken from its journal",
            );
        };
        let path = Path::new(program);
        if path.is_absolute() {
            return match path.is_file() {
                true => Ok(path.to_owned()),
                false => reject(format!(
                    "the training command's program {program} is not there"
                )),
            };
        }
        let folders = self.search_path.iter().flat_map(std::env::split_paths);
        let mut found = folders
            .filter(|folder| folder.is_absolute())
            .map(|folder| folder.join(program));
        match found.find(|file| file.is_file()) {
            Some(file) => Ok(file),
            None => reject(format!(
                "the training command's program '{program}' is not on the PATH; name it with its absolute path"
            )),
        }
    }
}
