//! How a file of labels is read, as a line of its columns and as the command that says the same.

use super::args::LabelImportArgs;
use crate::cli::common::{format_columns, output, shell_word};
use elenchus_records::exchange::{LabelField, LabelReading};

/// Prints how a file is read, before anything else is said of it.
pub(super) fn print_reading(args: &LabelImportArgs, file: &str, reading: &LabelReading) {
    let used_columns = reading.columns.iter();
    let used_columns = used_columns.map(|(column, field)| (column.as_str(), field.name()));
    let unread = reading.unread.iter().map(String::as_str);
    let line = format_columns(&format!(" of {file}"), used_columns, unread);
    let kind = reading.kind.describe();
    output::print_notice(&output::clean_line(&format!("{file} is read as {kind}")));
    output::print_notice(&output::clean_line(&line));
    output::print_notice(&output::clean_line(&format!(
        "as options: {}",
        format_command(args, file, reading)
    )));
}

/// Writes the command that reads the file in the same way, for a person to change.
fn format_command(args: &LabelImportArgs, file: &str, reading: &LabelReading) -> String {
    let mut paths = args.path.iter();
    let path = paths.find(|path| path.ends_with(file));
    let path = path.map_or_else(|| file.to_owned(), |path| path.display().to_string());
    let mut command = format!(
        "elenchus labels import {} --kind {}",
        shell_word(&path),
        reading.kind
    );
    let mut add = |option: &str, value: &str| {
        command.push_str(&format!(" {option} {}", shell_word(value)));
    };
    for (column, field) in &reading.columns {
        if let Some(option) = option_of_field(*field) {
            add(option, column);
        }
        if *field == LabelField::Text {
            add("--completion", column);
        }
    }
    // The labels of XSTest's columns are known by themselves.
    let is_known = reading
        .columns
        .iter()
        .any(|(_, field)| *field == LabelField::Settled);
    for (field, option) in [
        (LabelField::Person, "--human"),
        (LabelField::Program, "--automatic"),
    ] {
        let columns = reading
            .columns
            .iter()
            .filter(|(_, own)| *own == field && !is_known);
        let columns: Vec<&str> = columns.map(|(column, _)| column.as_str()).collect();
        if !columns.is_empty() {
            add(option, &columns.join(","));
        }
    }
    if let Some(set) = &args.set {
        add("--set", set);
    }
    for map in &args.map {
        add("--map", map);
    }
    for (option, values) in [("--no-label", &args.no_label), ("--ignore", &args.ignore)] {
        if !values.is_empty() {
            add(option, &values.join(","));
        }
    }
    command
}

/// Returns the option that names a column of a field, where one does.
fn option_of_field(field: LabelField) -> Option<&'static str> {
    match field {
        LabelField::Prompt | LabelField::Text => Some("--prompt"),
        LabelField::Completion => Some("--completion"),
        LabelField::Annotator => Some("--annotator"),
        LabelField::Label => Some("--label"),
        LabelField::Probability => Some("--probability"),
        LabelField::Id
        | LabelField::Category
        | LabelField::Context
        | LabelField::Person
        | LabelField::Settled
        | LabelField::Program => None,
    }
}
