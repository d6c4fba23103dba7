//! Commands and options: the manual names them all, and none that does not exist.

use super::pages::pages;
use clap::{Command, CommandFactory};
use elenchus::cli::Cli;

#[test]
fn every_command_is_described_on_a_page() {
    let text: String = pages().into_iter().map(|page| page.text).collect();
    let mut missing = Vec::new();
    for (name, _) in all_commands() {
        let named = text.match_indices(&name).any(|(at, _)| {
            let after = text[at + name.len()..].chars().next();
            !after.is_some_and(|c| c.is_ascii_alphanumeric() || c == '-')
        });
        if !named {
            missing.push(name);
        }
    }
    assert!(missing.is_empty(), "on no page: {missing:#?}");
}

#[test]
fn every_option_that_a_page_names_exists() {
    // Those of cargo and git.
    let others = [
        "--release",
        "--path",
        "--test",
        "--lib",
        "--check",
        "--all-targets",
        "--bench",
        "--follow",
        // Of docs/training/lora.py.
        "--merge",
        // Those of .ci/run.
        "--full",
        "--record",
    ];
    let known = options();
    let mut seen = 0;
    for page in pages() {
        let named = page
            .text
            .split(|c: char| !(c.is_ascii_lowercase() || c.is_ascii_digit() || c == '-'))
            .filter(|word| word.starts_with("--") && word.len() > 3);
        for option in named {
            if !others.contains(&option) {
                assert!(
                    known.iter().any(|known| known == option),
                    "{}: {option} is an option of no command",
                    page.path
                );
                seen += 1;
            }
        }
    }
    assert!(seen > 100, "{seen}");
}

#[test]
fn every_option_is_named_on_a_page() {
    let text: String = pages().into_iter().map(|page| page.text).collect();
    let missing: Vec<String> = options()
        .into_iter()
        .filter(|option| !["--help", "--version"].contains(&option.as_str()))
        .filter(|option| !text.contains(option.as_str()))
        .collect();
    assert!(missing.is_empty(), "on no page: {missing:#?}");
}

/// Every command with the words that call it, such as `elenchus memory guardrails list`.
fn all_commands() -> Vec<(String, Command)> {
    let mut found = Vec::new();
    collect("elenchus", &Cli::command(), &mut found);
    found
}

fn collect(words: &str, command: &Command, found: &mut Vec<(String, Command)>) {
    for sub in command.get_subcommands().filter(|sub| !sub.is_hide_set()) {
        let words = format!("{words} {}", sub.get_name());
        // A command that only holds others is described by them.
        if !sub.has_subcommands() || !sub.is_subcommand_required_set() {
            found.push((words.clone(), sub.clone()));
        }
        collect(&words, sub, found);
    }
}

fn options() -> Vec<String> {
    let mut root = Cli::command();
    root.build();
    let mut found = Vec::new();
    let mut open = vec![root];
    while let Some(command) = open.pop() {
        for arg in command.get_arguments().filter(|arg| !arg.is_hide_set()) {
            if let Some(long) = arg.get_long() {
                found.push(format!("--{long}"));
            }
        }
        open.extend(command.get_subcommands().cloned());
    }
    found.sort();
    found.dedup();
    found
}
