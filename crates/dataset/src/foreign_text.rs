//! Text files that hold no rows as topics are read: recognised by name or content and refused, never played line
//! by line.

/// Endings of file names, what such a file is, and the way out.
const ENDINGS: &[(&[&str], &str, &str)] = &[
    (
        &["md", "markdown", "mdx", "rmd", "qmd"],
        "Markdown",
        MARKDOWN_WAY_OUT,
    ),
    (&["html", "htm", "xhtml", "mhtml"], "a web page", SAVE_ROWS),
    (&["xml", "xlf", "tmx", "svg"], "XML", SAVE_ROWS),
    (
        &["toml", "ini", "cfg", "conf"],
        "a file of settings",
        SAVE_ROWS,
    ),
    (&["tex", "bib"], "LaTeX", SAVE_ROWS),
    (&["rst", "adoc", "org"], "a marked-up document", SAVE_ROWS),
    (&["rtf"], "a rich text document", SAVE_ROWS),
    (&["ipynb"], "a notebook", SAVE_ROWS),
    (&["py", "js", "ts", "r", "jl", "sh"], "a program", SAVE_ROWS),
    (&["sql"], "SQL", SAVE_ROWS),
    (
        &["arff", "sas", "do"],
        "a file of a statistics package",
        SAVE_ROWS,
    ),
];

const SAVE_ROWS: &str =
    "save its rows as CSV or JSON Lines, or its prompts as plain text with one topic a line (.txt)";
const MARKDOWN_WAY_OUT: &str =
    "save its table as CSV, or its prompts as plain text with one topic a line (.txt)";

/// Beginnings of texts in no case, what such a text is.
const BEGINNINGS: &[(&str, &str)] = &[
    ("<!doctype html", "a web page"),
    ("<html", "a web page"),
    ("<?xml", "XML"),
    ("{\\rtf", "a rich text document"),
    ("\\documentclass", "LaTeX"),
];

/// Lines that are looked at for a table of Markdown.
const LINES_LOOKED_AT: usize = 200;

/// Returns what is wrong with a file whose name ends so, or whose text begins so, and the way out.
pub(super) fn foreign_text(ending: &str, bytes: &[u8]) -> Option<String> {
    let of_name = ENDINGS.iter().find(|(ends, ..)| ends.contains(&ending));
    if let Some((_, what, way_out)) = of_name {
        return Some(format!(
            "the file is {what} (its name ends in .{ending}), which is not read as topics: {way_out}"
        ));
    }
    let begin = bytes.trim_ascii_start();
    let begins = BEGINNINGS.iter().find(|(mark, _)| {
        let begin = begin.get(..mark.len());
        begin.is_some_and(|begin| begin.eq_ignore_ascii_case(mark.as_bytes()))
    });
    if let Some((_, what)) = begins {
        return Some(format!(
            "the file is {what} by its first line, which is not read as topics: {SAVE_ROWS}"
        ));
    }
    drawn_table_line(bytes).map(|line| {
        format!(
            "the file holds a table drawn with lines, as Markdown's are (line {line}), which is not read as topics: {MARKDOWN_WAY_OUT}"
        )
    })
}

/// Returns the line of a rule of a drawn table (`|---|:--|`, `+----+`).
fn drawn_table_line(bytes: &[u8]) -> Option<usize> {
    let lines = bytes.split(|byte| *byte == b'\n').take(LINES_LOOKED_AT);
    let mut before: &[u8] = b"";
    for (at, line) in lines.enumerate() {
        let line = line.trim_ascii();
        let is_of = |marks: &[u8]| {
            line.windows(2).any(|two| matches!(two, b"--" | b"=="))
                && line.iter().all(|byte| marks.contains(byte))
        };
        let is_rule = line.contains(&b'|') && is_of(b"|-: \t") && before.contains(&b'|');
        // A grid, as databases print tables.
        let is_grid = (line.starts_with(b"+") && is_of(b"+-= \t"))
            || (line.contains(&b'+') && before.contains(&b'|') && is_of(b"-+"));
        if is_rule || is_grid {
            return Some(at + 1);
        }
        before = line;
    }
    None
}
