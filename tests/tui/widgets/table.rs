//! Tables: long texts of a column that begin alike.

use crate::tui::drawing::look;
use elenchus::tui::theme::{Depth, GlyphSet};
use elenchus::tui::widgets::tell_apart;

#[test]
fn titles_that_begin_alike_show_their_ends_or_where_they_part() {
    let look = look("ansi", Depth::None, GlyphSet::Unicode);
    let shown = |titles: &[&str]| -> Vec<String> {
        let apart = tell_apart(titles, 20, &look);
        titles
            .iter()
            .map(|title| apart.get(title).map_or_else(String::new, Clone::clone))
            .collect()
    };
    assert_eq!(
        shown(&[
            "How do I store paint in winter?",
            "How do I store paint in summer?",
            "Why?"
        ]),
        ["How do I s…n winter?", "How do I s…n summer?", ""]
    );
    assert_eq!(
        shown(&[
            "Is old paint number 1 safe in the cellar?",
            "Is old paint number 2 safe in the cellar?"
        ]),
        [
            "Is old…1 safe in the cellar?",
            "Is old…2 safe in the cellar?"
        ]
    );
    // One title alone is cut at its end, as everything is.
    assert_eq!(
        shown(&["Is old paint number 1 safe?", "Is old paint number 1 safe?"]),
        ["", ""]
    );
}
