//! Text of a part of what a seat is shown, with the letters and words of its origin before it.

use super::rows::cut_to_width;
use crate::tui::theme::Role;
use crate::tui::widgets::{Paragraph, StyledLine, lay_out, prose_paragraphs};
use elenchus_view::seat_view::PartOrigin;
use unicode_width::UnicodeWidthStr;

/// Cells for the letters before each line of a part.
pub(in crate::tui) const TAG: usize = 4;
/// From this width on, the origin of a part is next to it in words.
const BROAD: usize = 100;
/// Cells for those words.
const WORDS: usize = 26;

/// Lays a part's text out with letters before each line, and with words where there is room.
pub(crate) fn lay_out_part(
    origin: &PartOrigin,
    role: Role,
    text: &str,
    width: usize,
) -> Vec<StyledLine> {
    let words = if width >= BROAD { WORDS } else { 0 };
    let margin = TAG + words;
    let mut page = prose_paragraphs(role, 0, text);
    if page.is_empty() {
        page.push(Paragraph::new(Role::Muted, "(empty)"));
    }
    let mut lines = lay_out(&page, width.saturating_sub(margin).max(1));
    for (at, line) in lines.iter_mut().enumerate() {
        let origin_words = match at {
            0 => cut_to_width(&origin.short, words.saturating_sub(1)),
            _ => String::new(),
        };
        let blanks = margin - TAG - origin_words.width() + line.indent;
        let mut runs = vec![
            (origin.kind.role(), format!("{} ", origin.kind.tag())),
            (Role::Muted, origin_words),
            (Role::Muted, " ".repeat(blanks)),
        ];
        runs.append(&mut line.runs);
        *line = StyledLine::from_runs(runs);
    }
    lines
}
