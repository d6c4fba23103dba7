//! Output of commands: all that they print goes through here. Text of models, files and journals never
//! reaches a terminal as it is.

use crate::tui::theme::{GlyphSet, spell_in_ascii};
use anyhow::{Context, Result};
use elenchus_metrics::{TextCharacter, classify_characters};
use elenchus_terminal::TerminalEnvironment;
pub use elenchus_text::{Ink, Page, display_width, fit_to_width, format_noun_count, wrap_line};
use elenchus_text::{Keep, MIN_WIDTH, make_visible};
use serde::Serialize;
use std::borrow::Cow;
use std::fmt::{self, Write as _};
use std::io::{self, IsTerminal, Write as _};
use std::os::fd::AsFd;

pub use elenchus_text::shell_word;

/// Default width.
const DEFAULT_WIDTH: usize = 80;
/// What a command begins with that ends a line.
const COMMAND_START: &str = ": elenchus ";

/// Returns the width of what is written to: the terminal's, `COLUMNS`, or [`DEFAULT_WIDTH`].
pub fn width() -> usize {
    if let Some(width) = terminal_width(io::stdout()) {
        return width;
    }
    std::env::var("COLUMNS")
        .ok()
        .and_then(|columns| columns.trim().parse().ok())
        .filter(|columns| *columns >= MIN_WIDTH)
        .unwrap_or(DEFAULT_WIDTH)
}

/// Makes one line of JSON harmless without changing what it says: what acts on a terminal is
/// written as `\u` escapes.
pub fn clean_json(line: &str) -> String {
    let mut out = String::with_capacity(line.len());
    for character in classify_characters(line) {
        let (TextCharacter::Plain(c) | TextCharacter::Hidden(c)) = character;
        if character == TextCharacter::Plain(c) && (!c.is_control() || matches!(c, '\n' | '\t')) {
            out.push(c);
        } else if c == '\r' {
            // Inside a JSON string it must be escaped, outside it is white space.
            out.push(' ');
        } else {
            for unit in c.encode_utf16(&mut [0; 2]) {
                // Writing to a string cannot fail.
                let _ = write!(out, "\\u{unit:04x}");
            }
        }
    }
    out
}

/// Makes text harmless that goes on one line.
pub fn clean_line(text: &str) -> String {
    make_visible(text, Keep::Nothing).into_owned()
}

/// Makes a text of several lines harmless.
pub fn clean_lines(text: &str) -> String {
    make_visible(text, Keep::Newlines).into_owned()
}

/// Makes a text of several lines harmless, and changes nothing else in it.
pub fn clean_text(text: &str) -> String {
    make_visible(text, Keep::NewlinesAndTabs).into_owned()
}

/// Writes to standard output.
///
/// # Errors
/// When it cannot be written to; [`is_broken_pipe`] recognises a reader that has gone.
pub fn print_text(text: &str) -> Result<()> {
    let text = spell_for_terminal(text, &io::stdout());
    let mut stdout = io::stdout().lock();
    stdout
        .write_all(text.as_bytes())
        .and_then(|()| stdout.flush())
        .context("standard output cannot be written to")
}

/// Prints values as JSON, one a line, made harmless.
///
/// # Errors
/// As [`print_text`].
pub fn print_json_lines<T: Serialize>(values: impl IntoIterator<Item = T>) -> Result<()> {
    let mut text = String::new();
    for value in values {
        text.push_str(&clean_json(&serde_json::to_string(&value)?));
        text.push('\n');
    }
    print_text(&text)
}

/// Prints a notice on standard error, made harmless; a terminal breaks it between words. A write error is ignored.
pub fn print_notice(text: &str) {
    let text = make_visible(text, Keep::Newlines);
    let text = fold_to_terminal(&text, error_width());
    let text = spell_for_terminal(&text, &io::stderr());
    let _ = writeln!(io::stderr().lock(), "{text}");
}

/// Returns a text in signs that the terminal has which it is written to; files and pipes get it as it is.
fn spell_for_terminal<'a>(text: &'a str, stream: &impl IsTerminal) -> Cow<'a, str> {
    if text.is_ascii() || !stream.is_terminal() {
        return Cow::Borrowed(text);
    }
    match detect_glyph_set() {
        GlyphSet::Unicode => Cow::Borrowed(text),
        GlyphSet::Ascii => Cow::Owned(spell_in_ascii(text)),
    }
}

/// Returns the signs that the locale has.
pub fn detect_glyph_set() -> GlyphSet {
    let environment = |name: &str| std::env::var(name).ok();
    TerminalEnvironment::new(&environment).detect_glyphs()
}

/// Prints lines on standard output; a terminal breaks them between words.
///
/// # Errors
/// As [`print_text`].
pub fn print_lines(lines: &[String]) -> Result<()> {
    print_text(&(fold_to_terminal(&lines.join("\n"), terminal_width(io::stdout())) + "\n"))
}

/// Returns the width of the terminal that questions and notices are written to; `None` where it is none.
pub fn error_width() -> Option<usize> {
    terminal_width(io::stderr())
}

fn terminal_width(stream: impl AsFd) -> Option<usize> {
    let (terminal_size::Width(width), _) = terminal_size::terminal_size_of(stream)?;
    Some(usize::from(width).max(MIN_WIDTH))
}

/// Breaks the lines of a text between words. A command that ends a line stays one command for who copies it: it
/// stands on lines of its own, which end in a backslash where it goes on.
pub fn fold_to_terminal(text: &str, width: Option<usize>) -> String {
    let Some(width) = width else {
        return text.to_owned();
    };
    let lines = text.split('\n').flat_map(|line| {
        if display_width(line) <= width {
            return vec![line.to_owned()];
        }
        let command = line.rfind(COMMAND_START).map(|at| at + COMMAND_START.len());
        match command.map(|at| line.split_at(at - "elenchus ".len())) {
            Some((before, command)) => {
                let mut lines = wrap_line(before.trim_end(), width, width);
                lines.extend(fold_command(command, width));
                lines
            }
            None => wrap_line(line, width, width),
        }
    });
    lines.collect::<Vec<_>>().join("\n")
}

/// Breaks a command before its options, so that a shell takes its lines for one.
fn fold_command(command: &str, width: usize) -> Vec<String> {
    let mut lines = Vec::new();
    let mut line = String::from("  ");
    for (at, part) in command.split(" --").enumerate() {
        let part = match at {
            0 => part.to_owned(),
            _ => format!("--{part}"),
        };
        // Two columns are left for the blank and the backslash.
        if at > 0 && display_width(&line) + display_width(&part) + 3 > width {
            lines.push(line + " \\");
            line = format!("    {part}");
        } else {
            let blank = if at > 0 { " " } else { "" };
            line.push_str(blank);
            line.push_str(&part);
        }
    }
    lines.push(line);
    lines
}

/// Says how many journals were there already, behind what travelled.
pub fn describe_duplicates(same: usize) -> String {
    match same {
        0 => String::new(),
        _ => format!("; {same} were there already"),
    }
}

/// Says whether the reader of the output has gone, as `head` does: no error.
pub fn is_broken_pipe(error: &anyhow::Error) -> bool {
    error.chain().any(|cause| {
        cause
            .downcast_ref::<io::Error>()
            .is_some_and(|error| error.kind() == io::ErrorKind::BrokenPipe)
    })
}

/// Joins the first of some names, and says how many more there are.
pub fn join_first_names(names: &[impl AsRef<str>], at_most: usize) -> String {
    let first: Vec<&str> = names.iter().take(at_most).map(AsRef::as_ref).collect();
    match names.len().saturating_sub(at_most) {
        0 => first.join(", "),
        more => format!("{} and {more} more", first.join(", ")),
    }
}

/// Prints notices, each with that word in front.
pub fn print_notices<T: fmt::Display>(notices: impl IntoIterator<Item = T>) {
    for text in notices {
        print_notice(&format!("notice: {text}"));
    }
}

/// Returns the day of a time in RFC 3339.
pub fn day_part(at: &str) -> String {
    at.get(..10).unwrap_or(at).to_owned()
}
