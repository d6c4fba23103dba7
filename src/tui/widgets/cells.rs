//! Width of texts in cells. Pure.

use ratatui::buffer::CellWidth;
use unicode_segmentation::UnicodeSegmentation;

/// Returns how many cells ratatui gives a text; none to controls.
pub fn count_cells(text: &str) -> usize {
    if text.is_ascii() {
        return text.bytes().filter(|byte| !byte.is_ascii_control()).count();
    }
    text.graphemes(true).map(grapheme_cells).sum()
}

/// Returns what people see as characters.
pub fn graphemes(text: &str) -> impl Iterator<Item = &str> {
    text.graphemes(true)
}

/// Returns how many cells ratatui gives what people see as one character; none to controls.
pub(super) fn grapheme_cells(grapheme: &str) -> usize {
    if grapheme.contains(char::is_control) {
        0
    } else {
        grapheme.cell_width().into()
    }
}
