//! Items of a comparison, laid out: in two columns where there is room.

use crate::tui::components::rows::{join_columns, split_width};
use crate::tui::theme::{Glyphs, Role};
use crate::tui::widgets::{Paragraph, StyledLine, lay_out};
use elenchus_view::session_diff::{Comparison, DiffItem, DiffLayout, DiffOptions, RowText};

/// Cells for what a line of the totals counts.
const WHAT: usize = 18;

/// Layouts with their names; two columns need room.
const LAYOUTS: [(DiffLayout, &str); 4] = [
    (DiffLayout::Beside, "both"),
    (DiffLayout::Woven, "differences"),
    (DiffLayout::Left, "left"),
    (DiffLayout::Right, "right"),
];

/// Returns the layouts that there is room for.
pub(super) fn available_layouts(is_narrow: bool) -> &'static [(DiffLayout, &'static str)] {
    LAYOUTS.get(usize::from(is_narrow)..).unwrap_or_default()
}

/// Display options of the page.
#[derive(Clone, Copy)]
pub(super) struct PageOptions {
    pub text: DiffOptions,
    pub glyphs: &'static Glyphs,
    /// There is no room for two columns.
    pub is_narrow: bool,
}

/// A comparison as it is drawn.
#[derive(Clone, Copy)]
pub(super) struct Pages<'a> {
    pub comparison: &'a Comparison,
    pub show: PageOptions,
}

impl Pages<'_> {
    /// Lays an item out.
    pub(super) fn lay_out(&self, item: &DiffItem, width: usize) -> Vec<StyledLine> {
        match item {
            DiffItem::Shared { rows, turns, upto } => {
                let turns = match turns {
                    1 => "the same turn".to_owned(),
                    many => format!("the same {many} turns"),
                };
                let text = format!("{} {turns} up to {upto}", self.show.glyphs.folded);
                let line = Paragraph::new(Role::Muted, text)
                    .with_run(Role::Muted, format!(", shared past ({rows} rows, folded)"));
                lay_out(&[line], width)
            }
            DiffItem::Row(_) => self.lay_out_row(item, width),
            DiffItem::Totals => lay_out_totals(self, width),
        }
    }

    fn lay_out_row(&self, item: &DiffItem, width: usize) -> Vec<StyledLine> {
        let Some(row) = self.comparison.find_row(item) else {
            return Vec::new();
        };
        let (heading, parts) = self.comparison.row_text(row, self.show.text);
        let mut lines = lay_out(&[heading], width);
        if parts.is_empty() {
            return lines;
        }
        let (first, second) = split_width(width);
        lines.extend(parts.into_iter().flat_map(|part| match part {
            RowText::Both(left, right) => join_columns(
                lay_out(&left, first),
                lay_out(&right, second),
                first,
                self.show.glyphs.separator,
            ),
            RowText::One(page) => lay_out(&page, width),
        }));
        lines.push(StyledLine::default());
        lines
    }
}

fn lay_out_totals(pages: &Pages<'_>, width: usize) -> Vec<StyledLine> {
    let mut lines = lay_out(&[Paragraph::new(Role::Strong, "in all")], width);
    let room = width.saturating_sub(WHAT) / 2;
    for total in pages.comparison.build_totals() {
        let differs = total.left != total.right;
        let role = if differs { Role::Text } else { Role::Muted };
        if room < 16 || pages.show.text.layout != DiffLayout::Beside {
            let line = Paragraph::new(Role::Muted, format!("{:WHAT$}", total.what))
                .with_run(role, total.left)
                .with_run(Role::Border, format!(" {} ", pages.show.glyphs.separator))
                .with_run(role, total.right);
            lines.extend(lay_out(&[line.with_indent(0, WHAT)], width));
            continue;
        }
        let what = lay_out(&[Paragraph::new(Role::Muted, total.what)], WHAT);
        let left = lay_out(&[Paragraph::new(role, total.left)], room.saturating_sub(3));
        let right = lay_out(&[Paragraph::new(role, total.right)], room.saturating_sub(3));
        let line = pages.show.glyphs.separator;
        let first = join_columns(what, left, WHAT, " ");
        let both = join_columns(first, right, WHAT + room, line);
        lines.extend(both);
    }
    lines
}
