//! Header of a session comparison: both sessions at a glance. Pure.

use super::page::{Pages, layouts};
use crate::tui::components::rows::{beside, cut, halves};
use crate::tui::screens::tree::strip;
use crate::tui::theme::Role;
use crate::tui::widgets::{Paragraph, StyledLine, lay_out};
use elenchus_records::workspace::summary;
use elenchus_view::debate_blocks::texts;
use elenchus_view::session_diff::{DiffLayout, DiffSide};

/// Returns the lines over the rows.
pub(super) fn lines(pages: &Pages<'_>, width: usize) -> Vec<StyledLine> {
    let mut lines = match pages.show.text.layout {
        DiffLayout::Beside => {
            let (first, second) = halves(width);
            let one = side(pages, &pages.compared.left, "left", first);
            let other = side(pages, &pages.compared.right, "right", second);
            beside(one, other, first, pages.show.glyphs.separator)
        }
        DiffLayout::Woven | DiffLayout::Left | DiffLayout::Right => {
            let mut lines = short(pages, &pages.compared.left, "left ", width);
            lines.extend(short(pages, &pages.compared.right, "right", width));
            lines
        }
    };
    let topics = pages.compared.topics(pages.show.text.content, width);
    lines.extend(first_lines(&topics, width));
    lines.extend(first_lines(&[tabs(pages)], width));
    lines
}

/// Four lines of a side, for its column.
fn side(pages: &Pages<'_>, side: &DiffSide, which: &str, width: usize) -> Vec<StyledLine> {
    let title = format!("{which}: {}", side.title());
    let title = Paragraph::of(Role::Strong, cut(&title, width));
    if let Some(why) = &side.missing {
        let why = Paragraph::of(Role::Notice, why.clone());
        return lay_out(&[title, why], width).into_iter().take(4).collect();
    }
    let page = [title, side.game(), went(pages, side), side.memory()];
    first_lines(&page, width)
}

/// One line of a side, where there is room for no more.
fn short(pages: &Pages<'_>, side: &DiffSide, which: &str, width: usize) -> Vec<StyledLine> {
    let line = Paragraph::of(Role::Strong, format!("{which} "));
    let line = match &side.missing {
        Some(why) => line.and(Role::Notice, format!("{}: {why}", side.session)),
        None => {
            let name = side.name.clone();
            let name = name.unwrap_or_else(|| side.session.to_string());
            let mut line = line.and(Role::Text, format!("{} ", cut(&name, 26)));
            if let Some(created) = side.state.created() {
                line = line.and(Role::Muted, format!("{} ", created.protocol.id));
                if created.is_simulated() {
                    line = line.and(Role::Simulated, "simulated ");
                }
            }
            line.runs.extend(went(pages, side).runs);
            line
        }
    };
    first_lines(&[line], width)
}

/// State, verdicts and cost.
fn went(pages: &Pages<'_>, side: &DiffSide) -> Paragraph {
    let (role, ending) = texts::ending(&side.state);
    let mut line = Paragraph::of(role, ending).and(Role::Muted, " ");
    if let Some(summary) = summary(&side.session, &side.state) {
        line.runs
            .extend(strip(&summary.verdicts, pages.show.glyphs));
        line = line.and(Role::Muted, format!(" · {}", texts::cost(&side.state)));
    }
    line
}

/// Lays paragraphs out, one line each.
fn first_lines(page: &[Paragraph], width: usize) -> Vec<StyledLine> {
    let lines = page.iter();
    let lines = lines.map(|line| lay_out(std::slice::from_ref(line), width));
    lines.flat_map(|lines| lines.into_iter().take(1)).collect()
}

fn tabs(pages: &Pages<'_>) -> Paragraph {
    let mut line = Paragraph::of(Role::Muted, "shown:");
    for (view, name) in layouts(pages.show.is_narrow) {
        line = if *view == pages.show.text.layout {
            line.and(Role::Accent, format!(" [{name}]"))
        } else {
            line.and(Role::Muted, format!("  {name} "))
        };
    }
    let differ = pages.compared.differing_words();
    line.and(Role::Muted, format!(" · {differ}"))
}
