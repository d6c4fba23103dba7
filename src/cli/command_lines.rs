//! Index of the command line: every command and option with its sentence, for the palette of the workbench.

use super::Cli;
use crate::tui::popups::CommandLineEntry;
use clap::{Command, CommandFactory};

/// Lists all commands and their options, as they are typed.
pub(super) fn list_command_lines() -> Vec<CommandLineEntry> {
    let mut root = Cli::command();
    // Some options exist only once it is built.
    root.build();
    let mut entries = Vec::new();
    list_below(&root, "elenchus", &mut entries);
    entries
}

fn list_below(command: &Command, path: &str, entries: &mut Vec<CommandLineEntry>) {
    let shown = command
        .get_subcommands()
        .filter(|below| !below.is_hide_set());
    for below in shown.filter(|below| below.get_name() != "help") {
        let path = format!("{path} {}", below.get_name());
        entries.push(CommandLineEntry {
            command: path.clone(),
            about: below
                .get_about()
                .map(ToString::to_string)
                .unwrap_or_default(),
        });
        let options = below.get_arguments().filter(|option| !option.is_hide_set());
        let own = options.filter(|option| !option.is_global_set() && option.get_id() != "help");
        entries.extend(own.filter_map(|option| {
            Some(CommandLineEntry {
                command: format!("{path} --{}", option.get_long()?),
                about: option
                    .get_help()
                    .map(ToString::to_string)
                    .unwrap_or_default(),
            })
        }));
        list_below(below, &path, entries);
    }
}
