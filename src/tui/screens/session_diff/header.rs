//! Header of a session comparison: both sessions at a glance. Pure.

use super::page::{Pages, available_layouts};
use crate::tui::components::rows::{cut_to_width, join_columns, split_width};
use crate::tui::screens::tree::verdict_marks;
use crate::tui::theme::Role;
use crate::tui::widgets::{Paragraph, StyledLine, lay_out};
use elenchus_game::debate::event::Created;
use elenchus_records::workspace::summarize_session;
use elenchus_view::debate_text::texts;
use elenchus_view::session_diff::{DiffLayout, DiffSide};

/// Cells that state, verdicts and cost of a side have beside its title, where there is one line for all.
const STATE_ROOM: usize = 34;
/// Cells that a title has at least.
const MIN_TITLE: usize = 26;

/// Returns the lines over the rows.
pub(super) fn lay_out_header(pages: &Pages<'_>, width: usize) -> Vec<StyledLine> {
    let [left, right] = pages.comparison.side_titles();
    let mut lines = match pages.show.text.layout {
        DiffLayout::Beside => {
            let (first, second) = split_width(width);
            let one = lay_out_side(pages, &pages.comparison.left, &left, first);
            let other = lay_out_side(pages, &pages.comparison.right, &right, second);
            join_columns(one, other, first, pages.show.glyphs.separator)
        }
        DiffLayout::Woven | DiffLayout::Left | DiffLayout::Right => {
            let mut lines = lay_out_short_side(pages, &pages.comparison.left, &left, width);
            let side = &pages.comparison.right;
            lines.extend(lay_out_short_side(pages, side, &right, width));
            lines
        }
    };
    let topics = pages
        .comparison
        .describe_topics(pages.show.text.content, width);
    lines.extend(first_lines(&topics, width));
    lines.extend(first_lines(&[build_tabs(pages)], width));
    lines
}

/// Four lines of a side, for its column.
fn lay_out_side(pages: &Pages<'_>, side: &DiffSide, title: &str, width: usize) -> Vec<StyledLine> {
    let title = Paragraph::new(Role::Strong, cut_to_width(title, width));
    if let Some(why) = &side.missing {
        let why = Paragraph::new(Role::Notice, why.clone());
        return lay_out(&[title, why], width).into_iter().take(4).collect();
    }
    let page = [
        title,
        side.describe_game(),
        describe_state(pages, side),
        side.describe_memory(),
    ];
    first_lines(&page, width)
}

/// One line of a side, where there is room for no more.
fn lay_out_short_side(
    pages: &Pages<'_>,
    side: &DiffSide,
    title: &str,
    width: usize,
) -> Vec<StyledLine> {
    let title = cut_to_width(title, width.saturating_sub(STATE_ROOM).max(MIN_TITLE));
    let line = Paragraph::new(Role::Strong, format!("{title} "));
    let line = match &side.missing {
        Some(why) => line.with_run(Role::Notice, why.clone()),
        None => {
            let mut line = line;
            let is_same_game = pages.comparison.left.state.protocol().map(|game| &game.id)
                == pages.comparison.right.state.protocol().map(|game| &game.id);
            // What both play says nothing about one of them.
            let creation = side.state.first_event().filter(|_| !is_same_game);
            if let Some(creation) = creation {
                line = line.with_run(Role::Muted, format!("{} ", creation.protocol.id));
            }
            if side.state.first_event().is_some_and(Created::is_simulated) {
                line = line.with_run(Role::Simulated, "simulated ");
            }
            line.runs.extend(describe_state(pages, side).runs);
            line
        }
    };
    first_lines(&[line], width)
}

/// State, verdicts and cost.
fn describe_state(pages: &Pages<'_>, side: &DiffSide) -> Paragraph {
    let (role, ending) = texts::describe_ending(&side.state);
    let mut line = Paragraph::new(role, ending).with_run(Role::Muted, " ");
    if let Some(summary) = summarize_session(&side.session, &side.state) {
        line.runs
            .extend(verdict_marks(&summary.verdicts, pages.show.glyphs));
        line = line.with_run(
            Role::Muted,
            format!(" · {}", texts::describe_cost(&side.state)),
        );
    }
    line
}

/// Lays paragraphs out, one line each.
fn first_lines(page: &[Paragraph], width: usize) -> Vec<StyledLine> {
    let lines = page.iter();
    let lines = lines.map(|line| lay_out(std::slice::from_ref(line), width));
    lines.flat_map(|lines| lines.into_iter().take(1)).collect()
}

fn build_tabs(pages: &Pages<'_>) -> Paragraph {
    let mut line = Paragraph::new(Role::Muted, "shown:");
    let [left, right] = pages.comparison.side_names();
    for (view, name) in available_layouts(pages.show.is_narrow) {
        let name = match view {
            DiffLayout::Left => left,
            DiffLayout::Right => right,
            DiffLayout::Beside | DiffLayout::Woven => name,
        };
        line = if *view == pages.show.text.layout {
            line.with_run(Role::Accent, format!(" [{name}]"))
        } else {
            line.with_run(Role::Muted, format!("  {name} "))
        };
    }
    let differ = pages.comparison.differing_words();
    line.with_run(Role::Muted, format!(" · {differ}"))
}
