//! `elenchus labels sets`: label sets, or one with its codebook.

use super::args::LabelSetsArgs;
use crate::cli::common::{Exit, Workshop, output, print_table};
use crate::exchange::{Keep, visible};
use crate::library::LabelBook;

/// Lists the label sets, or prints one with its codebook.
///
/// # Errors
/// When there is no such set or it cannot be read.
pub fn run(args: &LabelSetsArgs, shop: &Workshop) -> anyhow::Result<Exit> {
    if let Some(name) = &args.set {
        let book = shop.library.label_set(name)?;
        output::out(&printed(&book))?;
        return Ok(Exit::Fine);
    }
    let mut broken = false;
    let rows: Vec<[String; 4]> = shop
        .library
        .label_sets()
        .into_iter()
        .map(|(name, origin)| match shop.library.label_set(&name) {
            Ok(book) => {
                let labels = book.set.labels.iter().map(|label| label.name.as_str());
                let mut labels: Vec<&str> = labels.collect();
                labels.extend(book.set.free.as_ref().map(|_| "words of one's own"));
                let labels = labels.join(", ");
                [name, labels, origin.to_string(), book.set.description]
            }
            Err(error) => {
                broken = true;
                output::notice(&format!("notice: {error}"));
                let why = "cannot be used; see above".to_owned();
                [name, String::new(), origin.to_string(), why]
            }
        })
        .collect();
    let heads = ["SET", "LABELS", "FROM", "WHAT"];
    print_table(&heads, &rows)?;
    Ok(if broken { Exit::Broken } else { Exit::Fine })
}

fn printed(book: &LabelBook) -> String {
    let set = &book.set;
    let mut text = format!("{}: {}\n", set.id, set.description);
    if !set.source.is_empty() {
        text.push_str(&format!("source: {}\n", set.source));
    }
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
    visible(&text, Keep::NewlinesAndTabs).to_string()
}
