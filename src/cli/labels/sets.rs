//! `elenchus labels sets`: label sets, or one with its codebook.

use crate::cli::common::{CommandContext, Exit, output, print_table};
use anyhow::Result;
use elenchus_records::library::LabelBook;

/// Lists the label sets, or prints one with its codebook.
///
/// # Errors
/// When there is no such set or it cannot be read.
pub fn run(set: Option<&str>, context: &CommandContext) -> Result<Exit> {
    if let Some(name) = set {
        let book = context.library.read_label_set(name)?;
        output::print_text(&format_set(&book))?;
        return Ok(Exit::Fine);
    }
    let sets = context.library.list_label_sets().into_iter();
    let sets = sets.map(|(name, origin)| (context.library.read_label_set(&name), name, origin));
    let sets: Vec<_> = sets.collect();
    output::print_notices(sets.iter().filter_map(|(book, ..)| book.as_ref().err()));
    print_table(
        &sets,
        &[
            ("SET", &|(_, name, _)| name.clone()),
            ("LABELS", &|(book, ..)| {
                book.as_ref().map(list_label_names).unwrap_or_default()
            }),
            ("OF", &|(book, ..)| match book {
                Ok(book) => format!("{}s", book.set.of.name()),
                Err(_) => String::new(),
            }),
            ("FROM", &|(.., origin)| origin.to_string()),
            ("WHAT", &|(book, ..)| match book {
                Ok(book) => book.set.description.clone(),
                Err(_) => "cannot be used; see above".to_owned(),
            }),
        ],
    )?;
    match sets.iter().any(|(book, ..)| book.is_err()) {
        true => Ok(Exit::Broken),
        false => Ok(Exit::Fine),
    }
}

fn list_label_names(book: &LabelBook) -> String {
    let labels = book.set.labels.iter().map(|label| label.name.as_str());
    let mut labels: Vec<&str> = labels.collect();
    labels.extend(book.set.free.as_ref().map(|_| "words of one's own"));
    labels.join(", ")
}

fn format_set(book: &LabelBook) -> String {
    let set = &book.set;
    let mut text = format!("{}: {}\n", set.id, set.description);
    if !set.source.is_empty() {
        text.push_str(&format!("source: {}\n", set.source));
    }
    text.push_str(&format!("of: {}s\n", set.of.name()));
    text.push_str(&format!("hash: {}\n\n", book.hash));
    for label in &set.labels {
        text.push_str(&format!(
            "  {}  {}: {}\n",
            label.key, label.name, label.meaning
        ));
    }
    if let Some(free) = &set.free {
        text.push_str(&format!("  {}  {}\n", free.key, free.meaning));
    }
    text.push('\n');
    text.push_str(&book.codebook);
    output::clean_text(&text)
}
