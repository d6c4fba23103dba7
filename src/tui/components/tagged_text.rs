//! Text of a part of what a seat is shown, with the letters and words of its origin before it.

use super::rows::cut;
use crate::tui::theme::Role;
use crate::tui::widgets::{Paragraph, StyledLine, lay_out, prose};
use elenchus_view::seat_view::PartOrigin;
use unicode_width::UnicodeWidthStr;

/// Cells for the letters before each line of a part.
pub(in crate::tui) const TAG: usize = 4;
/// From this width on, the origin of a part is next to it in words.
const BROAD: usize = 100;
/// Cells for those words.
const WORDS: usize = 26;

/// Lays a part's text out with letters before each line, and with words where there is room.
pub(crate) fn tagged(origin: &PartOrigin, role: Role, text: &str, width: usize) -> Vec<StyledLine> {
    let words = if width >= BROAD { WORDS } else { 0 };
    let margin = TAG + words;
    let mut page = prose(role, 0, text);
    if page.is_empty() {
        page.push(Paragraph::of(Role::Muted, "(empty)"));
    }
    let mut lines = lay_out(&page, width.saturating_sub(margin).max(1));
    for (at, line) in lines.iter_mut().enumerate() {
        let beside = match at {
            0 => cut(&origin.short, words.saturating_sub(1)),
            _ => String::new(),
        };
        let blanks = margin - TAG - beside.width() + line.indent;
        let mut runs = vec![
            (origin.kind.role(), format!("{} ", origin.kind.tag())),
            (Role::Muted, beside),
            (Role::Muted, " ".repeat(blanks)),
        ];
        runs.append(&mut line.runs);
        *line = StyledLine::from_runs(runs);
    }
    lines
}
