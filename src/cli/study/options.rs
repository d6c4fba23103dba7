//! Options of an entry, read by the command line's own parser: a plan knows what a command knows, and no more.

use super::file::Entry;
use anyhow::{Result, bail};
use clap::{Arg, Args, Command, FromArgMatches};
use toml::Value;

/// Reads the options of an entry as the arguments of a command. `refused` are options that a plan may not give, each
/// with what to do in its place.
///
/// # Errors
/// When an option does not exist, has no such value, or is refused.
pub(super) fn parse_options<T: Args + FromArgMatches>(
    words: &'static str,
    entry: &Entry,
    refused: &[(&str, &str)],
) -> Result<T> {
    let mut command = T::augment_args(Command::new(words).no_binary_name(true));
    command.build();
    let mut line: Vec<String> = Vec::new();
    for (key, value) in &entry.options {
        let name = key.replace('_', "-");
        if let Some((_, instead)) = refused.iter().find(|(option, _)| *option == name) {
            bail!(
                "{}: '{key}' does not stand in a plan: {instead}",
                entry.place
            );
        }
        let mut options = command.get_arguments();
        let Some(option) = options.find(|arg| arg.get_long() == Some(name.as_str())) else {
            bail!(
                "{}: '{key}' is no option of 'elenchus {words}'; 'elenchus {words} --help' lists them",
                entry.place
            );
        };
        push_option(&mut line, option, value, entry, key)?;
    }
    let parsed = command
        .try_get_matches_from(&line)
        .and_then(|matches| T::from_arg_matches(&matches));
    parsed.map_err(|error| {
        let text = error.to_string();
        let paragraph: Vec<&str> = text
            .lines()
            .take_while(|line| !line.trim().is_empty())
            .map(str::trim)
            .collect();
        let message = paragraph.join(" ");
        let message = message.strip_prefix("error: ").unwrap_or(&message);
        anyhow::anyhow!("{}: {message}", entry.place)
    })
}

/// Adds an option as it is typed: a flag alone, a list as often as it has values.
fn push_option(
    line: &mut Vec<String>,
    option: &Arg,
    value: &Value,
    entry: &Entry,
    key: &str,
) -> Result<()> {
    let long = option.get_long().unwrap_or_default();
    let most_values = option.get_num_args().map_or(1, |range| range.max_values());
    match value {
        Value::Boolean(true)
            if most_values == 0
                || option
                    .get_num_args()
                    .is_some_and(|range| range.min_values() == 0) =>
        {
            line.push(format!("--{long}"));
        }
        Value::Boolean(false) => bail!(
            "{}: '{key} = false' is how it is without: leave it out",
            entry.place
        ),
        Value::Array(values) if most_values > 1 => {
            line.push(format!("--{long}"));
            for value in values {
                let word = to_word(value, entry, key)?;
                // It stands by itself on the line, and would be an option that no plan may give.
                if word.starts_with('-') {
                    bail!(
                        "{}: '{key}' takes no value that begins with a hyphen: {word}",
                        entry.place
                    );
                }
                line.push(word);
            }
        }
        Value::Array(values) => {
            for value in values {
                line.push(format!("--{long}={}", to_word(value, entry, key)?));
            }
        }
        Value::Boolean(true)
        | Value::String(_)
        | Value::Integer(_)
        | Value::Float(_)
        | Value::Datetime(_)
        | Value::Table(_) => line.push(format!("--{long}={}", to_word(value, entry, key)?)),
    }
    Ok(())
}

fn to_word(value: &Value, entry: &Entry, key: &str) -> Result<String> {
    Ok(match value {
        Value::String(text) => text.clone(),
        Value::Integer(number) => number.to_string(),
        Value::Float(number) => number.to_string(),
        Value::Boolean(word) => word.to_string(),
        Value::Datetime(time) => time.to_string(),
        Value::Array(_) | Value::Table(_) => {
            bail!(
                "{}: '{key}' takes texts and numbers, or a list of them",
                entry.place
            )
        }
    })
}
