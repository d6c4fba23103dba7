//! Help of the command line: commands in groups, the usual options of a command first, and at its end what else to
//! look at. What stands where is in `table`; it parses nothing and changes no option but where help shows it.

mod table;

use clap::Command;
pub use table::{COMMAND_GROUPS, CommandGroup, CommandHelp, HELP, MEMORY_GROUPS};

/// Help of a command that holds the groups of its subcommands in place of one list.
const GROUPED: &str = "{about-with-newline}\n{usage-heading} {usage}\n";

/// Arranges the help of the program and of its commands.
pub fn arrange_help(program: Command) -> Command {
    group_commands(arrange_commands(program, ""), COMMAND_GROUPS)
}

fn arrange_commands(command: Command, words: &str) -> Command {
    command.mut_subcommands(|command| {
        let words = match words {
            "" => command.get_name().to_owned(),
            words => format!("{words} {}", command.get_name()),
        };
        let command = match words.as_str() {
            "memory" => group_commands(command, MEMORY_GROUPS),
            _ => command,
        };
        let command = match HELP.iter().find(|help| help.command == words) {
            Some(help) => arrange_command(command, help),
            None => command,
        };
        arrange_commands(command, &words)
    })
}

/// Puts the usual options of a command first, leaves the others to `--help`, and ends it with what else there is.
fn arrange_command(command: Command, help: &CommandHelp) -> Command {
    let see_also = help.describe_see_also();
    let own_end = command.get_after_help().cloned();
    let end = match &own_end {
        Some(own_end) => format!("{}\n\n{see_also}", own_end.ansi()),
        None => see_also.clone(),
    };
    if help.usual.is_empty() {
        return command.after_help(end);
    }
    let position = |id: &str| help.usual.iter().position(|usual| *usual == id);
    command
        .mut_args(|arg| match position(arg.get_id().as_str()) {
            Some(position) => arg.help_heading(None::<&str>).display_order(position),
            None if arg.is_positional() => arg,
            None => arg.hide_short_help(true),
        })
        .after_help(format!(
            "These are the usual options; all of them: elenchus {} --help\n\n{see_also}",
            help.command
        ))
        .after_long_help(end)
}

/// Lists the subcommands of a command in groups.
fn group_commands(command: Command, groups: &[CommandGroup]) -> Command {
    let header = *command.get_styles().get_header();
    let literal = *command.get_styles().get_literal();
    let names = groups.iter().flat_map(|group| group.commands);
    let width = names.map(|name| name.len()).max().unwrap_or(0);
    let mut template = GROUPED.to_owned();
    for group in groups {
        template += &format!("\n{header}{}:{header:#}\n", group.title);
        for name in group.commands {
            let about = command
                .find_subcommand(name)
                .and_then(Command::get_about)
                .map(ToString::to_string)
                .unwrap_or_default();
            template += &format!("  {literal}{name:width$}{literal:#}  {about}\n");
        }
    }
    template += &format!("\n{header}Options:{header:#}\n{{options}}{{after-help}}");
    command.help_template(template)
}
