//! Questions at the terminal, put on standard error and answered in a line.

use super::output;
use anyhow::{Context, Result};
use std::io::{BufRead, IsTerminal, Write};

/// The longest answer that is read, in bytes.
const MAX_ANSWER_BYTES: u64 = 4096;

/// What a line that says nothing means.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Default {
    Yes,
    No,
}

/// Says whether a person can be asked.
pub fn is_somebody_there() -> bool {
    std::io::stdin().is_terminal() && std::io::stderr().is_terminal()
}

/// Puts a question, and returns the line that answers it; none where the terminal gives no line.
///
/// # Errors
/// When the terminal cannot be written to or read.
pub fn read_answer(question: &str) -> Result<Option<String>> {
    let mut stderr = std::io::stderr().lock();
    // In one piece: a terminal shows what is typed meanwhile in the middle of a second one.
    let question_text = format!(
        "{} ",
        output::fold_to_terminal(&output::clean_lines(question), output::error_width())
    );
    stderr
        .write_all(question_text.as_bytes())
        .and_then(|()| stderr.flush())
        .context("the terminal cannot be written to")?;
    let mut line = String::new();
    let byte_count =
        std::io::Read::take(std::io::stdin().lock(), MAX_ANSWER_BYTES).read_line(&mut line);
    let byte_count = byte_count.context("the terminal cannot be read")?;
    Ok((byte_count > 0).then(|| line.trim().to_owned()))
}

/// Puts a question that is answered with yes or no; none where the terminal gives no line.
///
/// # Errors
/// As [`line`].
pub fn confirm(question: &str, default: Default) -> Result<Option<bool>> {
    let hint = match default {
        Default::Yes => "[Y/n]",
        Default::No => "[y/N]",
    };
    let answer = read_answer(&format!("{question} {hint}"))?;
    Ok(answer.map(|answer| match answer.to_lowercase().as_str() {
        "" => default == Default::Yes,
        "y" | "yes" => true,
        _ => false,
    }))
}
