//! Options of a command as they were typed.

use super::common::args::BESIDE;
use clap::parser::ValueSource;
use clap::{Arg, ArgMatches, Command};
use elenchus_records::workspace::Hash;
use std::collections::BTreeMap;
use std::path::Path;

/// The key itself is no part of what is asked for under it.
const KEY: &str = "key";

/// Options of a command as they were typed, by their names; those that may change when an experiment goes on are left
/// out. What is in a file that an option names is there by its hash.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct TypedOptions {
    pub options: BTreeMap<String, String>,
    /// The files among them, by the name of their option.
    files: Vec<(String, String)>,
}

impl TypedOptions {
    /// Lists the options of the command that was named.
    pub(super) fn from_matches(command: &Command, matches: &ArgMatches) -> Self {
        let (mut command, mut matches) = (command, matches);
        while let Some((name, inner)) = matches.subcommand() {
            let Some(subcommand) = command.find_subcommand(name) else {
                break;
            };
            (command, matches) = (subcommand, inner);
        }
        let mut typed = Self::default();
        for option in command.get_arguments() {
            let id = option.get_id().as_str();
            if id != KEY && !BESIDE.contains(&id) {
                typed.add_option(option, matches);
            }
        }
        typed
    }

    /// Returns the options, with the hashes of what is in their files now. A file that cannot be read has none: the
    /// command itself says why.
    pub(super) fn with_hashes(&self) -> BTreeMap<String, String> {
        let mut options = self.options.clone();
        for (name, path) in &self.files {
            if let Ok(bytes) = std::fs::read(path) {
                options.insert(
                    format!("{name}, what is in {path},"),
                    Hash::digest(&bytes).to_string(),
                );
            }
        }
        options
    }

    fn add_option(&mut self, option: &Arg, matches: &ArgMatches) {
        let id = option.get_id().as_str();
        let is_typed = matches!(
            matches.value_source(id),
            Some(ValueSource::CommandLine | ValueSource::EnvVariable)
        );
        if !is_typed {
            return;
        }
        let values = matches.get_raw(id).into_iter().flatten();
        let values: Vec<String> = values
            .map(|value| value.to_string_lossy().into_owned())
            .collect();
        let value_name = || option.get_value_names()?.first().map(ToString::to_string);
        let name = match option.get_long() {
            Some(long) => format!("--{long}"),
            None => value_name().unwrap_or_else(|| id.to_owned()),
        };
        let files = values.iter().filter_map(|value| find_file(value));
        self.files.extend(files.map(|path| (name.clone(), path)));
        self.options.insert(name, values.join(" "));
    }
}

/// Returns the file that a value names, with or without a word before it, as its kind or `fixed`.
fn find_file(value: &str) -> Option<String> {
    let behind_kind = value.rsplit_once(':').map(|(_, path)| path);
    let paths = [Some(value), behind_kind].into_iter().flatten();
    let mut files = paths.filter(|path| Path::new(path).is_file());
    files.next().map(str::to_owned)
}
