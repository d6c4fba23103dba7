//! Help of the command line: what is listed where, at a terminal of 80 columns.

use clap::{Arg, Command, CommandFactory};
use elenchus::cli::Cli;
use elenchus::cli::help::{COMMAND_GROUPS, CommandGroup, HELP, MEMORY_GROUPS};
use elenchus_test_support::program::Program;
use std::collections::BTreeSet;

const COLUMNS: usize = 80;
/// A command with more options, those of every command and help included, says which are the usual ones.
const MANY_OPTIONS: usize = 15;
const MOST_USUAL: usize = 10;
const OF_EVERY_COMMAND: [&str; 4] = ["help", "version", "store", "no_color"];

/// The program's commands as they are when they are called.
fn built() -> Command {
    let mut program = Cli::command().term_width(COLUMNS);
    program.build();
    program
}

/// Every command that help lists, with its words.
fn visible_commands() -> Vec<(String, Command)> {
    fn collect(command: &Command, words: &str, found: &mut Vec<(String, Command)>) {
        let subcommands = command.get_subcommands();
        for sub in subcommands.filter(|sub| !sub.is_hide_set() && sub.get_name() != "help") {
            let words = format!("{words} {}", sub.get_name()).trim().to_owned();
            found.push((words.clone(), sub.clone()));
            collect(sub, &words, found);
        }
    }
    let mut found = Vec::new();
    collect(&built(), "", &mut found);
    found
}

fn help_of(words: &str, flag: &str) -> String {
    let line = std::iter::once("elenchus")
        .chain(words.split_whitespace())
        .chain([flag]);
    let program = Cli::command().term_width(COLUMNS);
    let answer = program.try_get_matches_from(line).unwrap_err();
    answer.render().to_string()
}

fn options(command: &Command) -> Vec<&Arg> {
    let options = command.get_arguments();
    options
        .filter(|arg| !arg.is_positional() && !arg.is_hide_set())
        .collect()
}

/// The option whose help a line begins.
fn option_of(line: &str) -> Option<&str> {
    let long = match line.strip_prefix("      --") {
        Some(long) => long,
        None => line.strip_prefix("  -")?.get(1..)?.strip_prefix(", --")?,
    };
    long.split([' ', ',', '[']).next()
}

fn check_groups(words: &str, groups: &[CommandGroup]) {
    let help = help_of(words, "--help");
    let commands: Vec<String> = visible_commands()
        .into_iter()
        .filter_map(|(name, _)| {
            let name = name.strip_prefix(words)?.trim().to_owned();
            (!name.is_empty() && !name.contains(' ')).then_some(name)
        })
        .collect();
    let mut grouped: Vec<&str> = groups
        .iter()
        .flat_map(|group| group.commands)
        .copied()
        .collect();
    let mut sorted: Vec<&str> = commands.iter().map(String::as_str).collect();
    sorted.sort_unstable();
    grouped.sort_unstable();
    assert_eq!(grouped, sorted, "each command stands in exactly one group");
    let mut left = help.as_str();
    for group in groups {
        left = left.split_once(&format!("\n{}:\n", group.title)).unwrap().1;
        for name in group.commands {
            let (line, rest) = left.split_once('\n').unwrap();
            assert!(line.starts_with(&format!("  {name} ")), "{name}: {line}");
            assert!(line.len() > name.len() + 10, "{name} is described: {line}");
            left = rest;
        }
    }
    assert!(!help.contains("Commands:"), "{help}");
}

#[test]
fn commands_are_listed_in_groups_by_what_one_wants_each_in_one() {
    check_groups("", COMMAND_GROUPS);
    check_groups("memory", MEMORY_GROUPS);
    let program = Program::new().with("COLUMNS", "80");
    let ran = program.run(&["--help"]).ended_with(0);
    for line in [
        "Play debates:",
        "Set up:",
        "  run          Play one debate, or one for each topic of a dataset",
    ] {
        assert!(ran.out.lines().any(|it| it == line), "{line}: {}", ran.out);
    }
    assert_eq!(program.run(&["-h"]).ended_with(0).out, ran.out);
}

#[test]
fn the_help_of_every_command_ends_with_related_commands_and_the_page_that_describes_it() {
    let commands = visible_commands();
    let known: BTreeSet<&str> = commands.iter().map(|(words, _)| words.as_str()).collect();
    let listed: Vec<&str> = HELP.iter().map(|help| help.command).collect();
    assert_eq!(listed.len(), known.len(), "once each");
    for help in HELP {
        let words = help.command;
        assert!(known.contains(words), "{words} is no command");
        assert!(!help.see.is_empty(), "{words}");
        for see in help.see {
            assert!(known.contains(see) && *see != words, "{words}: {see}");
        }
        let page = format!("docs/{}.md", help.page);
        let text = std::fs::read_to_string(&page).unwrap_or_default();
        let called = format!("elenchus {words}");
        assert!(text.contains(&called), "{page} does not name '{called}'");
        for flag in ["-h", "--help"] {
            let text = help_of(words, flag);
            let end: Vec<&str> = text.trim_end().lines().rev().take(2).collect();
            assert_eq!(end[0], format!("Manual:   {page}"), "{words} {flag}");
            assert!(
                end[1].starts_with("See also: elenchus "),
                "{words} {flag}: {text}"
            );
        }
    }
}

#[test]
fn commands_with_many_options_put_at_most_ten_usual_ones_first_and_hide_none() {
    for (words, command) in visible_commands() {
        let options = options(&command);
        let help = HELP.iter().find(|help| help.command == words).unwrap();
        assert!(
            options.len() <= MANY_OPTIONS || !help.usual.is_empty(),
            "{words} has {} options and no usual ones",
            options.len()
        );
        let (short, long) = (help_of(&words, "-h"), help_of(&words, "--help"));
        let is_in = |text: &str, arg: &Arg| {
            let mut options = text.lines().filter_map(option_of);
            options.any(|option| Some(option) == arg.get_long())
        };
        for arg in &options {
            assert!(is_in(&long, arg), "{words} --help hides {}", arg.get_id());
        }
        if help.usual.is_empty() {
            continue;
        }
        assert!(help.usual.len() <= MOST_USUAL, "{words}");
        let ids: Vec<&str> = options.iter().map(|arg| arg.get_id().as_str()).collect();
        for usual in help.usual {
            assert!(ids.contains(usual), "{words} has no option {usual}");
        }
        for arg in &options {
            let id = arg.get_id().as_str();
            let is_usual = help.usual.contains(&id);
            let is_everywhere = OF_EVERY_COMMAND.contains(&id);
            assert_eq!(
                is_in(&short, arg),
                is_usual || is_everywhere,
                "{words} -h: {id}"
            );
            assert!(
                is_usual || is_everywhere || arg.get_help_heading().is_some(),
                "{words}: {id} stands in no group"
            );
        }
        // The usual ones come first, in the order of the list.
        let first = long.split_once("\nOptions:\n").unwrap().1;
        let shown = first.lines().filter_map(option_of);
        let shown: Vec<&str> = shown.take(help.usual.len()).collect();
        let usual: Vec<String> = help.usual.iter().map(|id| id.replace('_', "-")).collect();
        assert_eq!(shown, usual, "{words}");
        assert!(
            short.contains(&format!("all of them: elenchus {words} --help")),
            "{words}: {short}"
        );
    }
}

#[test]
fn help_fits_80_columns() {
    let mut all: Vec<String> = visible_commands().into_iter().map(|it| it.0).collect();
    all.push(String::new());
    for words in all {
        for flag in ["-h", "--help"] {
            for line in help_of(&words, flag).lines() {
                assert!(line.chars().count() <= COLUMNS, "{words} {flag}: {line}");
            }
        }
    }
}
