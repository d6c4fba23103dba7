//! The table of keys on the page of the workbench is the program's own.
//!
//! `README_SCREENS=write cargo test documents::keys` puts it there.

use super::pages::{Page, root};
use elenchus::tui::keys::{Context, KeyTable};
use elenchus::tui::screens::{PLACES, default_keys};
use std::collections::BTreeMap;

const PAGE: &str = "docs/workbench.md";
const BEGIN: &str = "<!-- keys -->\n";
const END: &str = "<!-- end of keys -->";

#[test]
fn the_table_of_keys_is_the_one_that_comes_with_the_program() {
    let page = Page::read(PAGE).text;
    let begin = page.find(BEGIN).expect("the page has a place for keys") + BEGIN.len();
    let end = page.find(END).expect("the place ends");
    let made = format!(
        "{}{}{}{}",
        &page[..begin],
        letters(),
        tables(),
        &page[end..]
    );
    if std::env::var("README_SCREENS").is_ok_and(|how| how == "write") {
        std::fs::write(root().join(PAGE), made).unwrap();
        return;
    }
    assert!(
        made == page,
        "{PAGE} shows other keys; 'README_SCREENS=write cargo test documents::keys' puts these there:\n{made}"
    );
}

/// What the letters do that do not do the same everywhere: each meaning, with the contexts that have it.
fn letters() -> String {
    let keys = KeyTable::from(default_keys(PLACES));
    let mut meanings: BTreeMap<String, BTreeMap<String, Vec<&str>>> = BTreeMap::new();
    for context in Context::ALL {
        for binding in keys.list_bindings(context) {
            let chord = binding.chord.to_string();
            if binding.context == context && chord.chars().count() == 1 {
                let labels = meanings.entry(chord).or_default();
                let label = binding.action.label().into_owned();
                labels.entry(label).or_default().push(context.name());
            }
        }
    }
    let mut text =
        "\n**Letters of several meanings**\n\n| key | meanings, and where |\n|---|---|\n"
            .to_owned();
    for (chord, labels) in meanings.iter().filter(|(_, labels)| labels.len() > 1) {
        let labels = labels.iter();
        let labels = labels.map(|(label, contexts)| format!("{label} ({})", contexts.join(", ")));
        let labels: Vec<String> = labels.collect();
        text += &format!("| `{chord}` | {} |\n", labels.join("; "));
    }
    text
}

/// A table for each context; keys that hold everywhere are in its table alone.
fn tables() -> String {
    let keys = KeyTable::from(default_keys(PLACES));
    let mut text = String::new();
    for context in Context::ALL {
        text += &format!(
            "\n**`{}`**\n\n| keys | action | effect |\n|---|---|---|\n",
            context.name()
        );
        let own: Vec<_> = keys
            .list_bindings(context)
            .into_iter()
            .filter(|binding| binding.context == context)
            .collect();
        let mut actions: Vec<_> = own.iter().map(|binding| binding.action).collect();
        actions.sort();
        actions.dedup();
        for action in actions {
            let chords: Vec<String> = own
                .iter()
                .filter(|binding| binding.action == action)
                .map(|binding| format!("`{}`", binding.chord))
                .collect();
            text += &format!(
                "| {} | `{}` | {} |\n",
                chords.join(", ").replace('|', "\\|"),
                action.name(),
                action.help_in(context)
            );
        }
    }
    text + "\n"
}
