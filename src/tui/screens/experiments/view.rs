//! Drawing of the experiments screen: the list, what is known of the one under the cursor, and figures.

use super::Experiments;
use crate::tui::app::DrawContext;
use crate::tui::keys::{Action, Context, key_for};
use crate::tui::theme::Role;
use crate::tui::widgets::{
    Align, Focus, Paragraph, Split, TABLE_MARGIN, Table, TableCell, TableColumn, count_cells,
    draw_frame, draw_text,
};
use elenchus_records::workspace::to_the_minute;
use elenchus_run::experiments::{Activity, ListedExperiment};
use ratatui::buffer::Buffer;
use ratatui::layout::{Position, Rect};

/// From this width on, list and details are side by side.
const WIDE: u16 = 120;
/// Rows of the details below the list.
const BELOW: u16 = 9;
/// Bytes of the year before a time, as RFC 3339 writes it.
const YEAR: usize = 5;
/// Cells between two columns.
const GUTTER: u16 = 2;

impl Experiments {
    pub(super) fn draw_experiments(
        &mut self,
        buffer: &mut Buffer,
        area: Rect,
        context: DrawContext<'_>,
    ) -> Option<Position> {
        if let Some(page) = &mut self.page {
            page.draw(buffer, area, context);
            return None;
        }
        let look = context.look;
        let [list, details] = Split::with_details(area, WIDE, BELOW);
        let inner = draw_frame(list, buffer, look, "experiments", Focus::Focused);
        let all = self.experiments();
        let empty = match &self.known {
            None => "reading the experiments".to_owned(),
            Some(_) if all.is_empty() => {
                let key = key_for(Context::Sessions, Action::New);
                context.spell_keys(&format!(
                    "no experiment yet: {key} in the list of sessions begins a debate or a run, and \
                     'elenchus run', 'sweep', 'golden', 'judge' and 'prompts ab' begin others"
                ))
            }
            Some(_) => "no experiment fits the filter".to_owned(),
        };
        let table = build_table(all, inner.width);
        let list = &self.list;
        let (cursor, left) = list.draw_table(buffer, inner, context, &empty, &table, |at| {
            let one = all.get(at);
            one.map_or_else(Vec::new, cells_of)
        });
        let unreadable = self.known.iter().flat_map(|known| &known.unreadable);
        let unreadable = unreadable.map(|why| {
            Paragraph::new(Role::Error, format!("! cannot be read: {why}")).with_indent(0, 2)
        });
        draw_text(buffer, left, look, &unreadable.collect::<Vec<_>>());
        let inner = draw_frame(details, buffer, look, "", Focus::Unfocused);
        if let Some(one) = self.selected_experiment() {
            draw_text(buffer, inner, look, &one.describe());
        }
        cursor
    }
}

/// Returns the table of experiments: each column as wide as all of them need, what they are about in the
/// rest.
fn build_table(all: &[ListedExperiment], width: u16) -> Table {
    let mut room = width.saturating_sub(TABLE_MARGIN);
    let mut columns: Vec<TableColumn> = Vec::new();
    for (at, heading) in ["began", "kind", "done", "state", "about"]
        .into_iter()
        .enumerate()
    {
        let texts = all.iter().map(|one| cells_of(one).swap_remove(at));
        let widths = texts.map(|cell| cell.iter().map(|(_, text)| count_cells(text)).sum());
        let widest = widths.max().unwrap_or(0).max(heading.len());
        let width = u16::try_from(widest).unwrap_or(u16::MAX).min(room);
        room = room.saturating_sub(width + GUTTER);
        columns.push(TableColumn {
            heading,
            width,
            align: Align::Left,
            order: None,
        });
    }
    Table {
        columns,
        gutter: GUTTER,
    }
}

/// Returns the cells of an experiment: when it began, kind, items, state, and what it is about.
fn cells_of(listed: &ListedExperiment) -> Vec<TableCell> {
    let one = &listed.summary;
    let state = match listed.activity() {
        Activity::Completed => Role::Muted,
        Activity::Paused(_) | Activity::BrokenOff => Role::Warning,
        Activity::GoesOn | Activity::GoesOnAt(_) => Role::Streaming,
    };
    let counts = match one.items.failed {
        0 => Role::Text,
        _ => Role::Error,
    };
    let start_time = to_the_minute(&one.begun_at);
    [
        (
            Role::Muted,
            start_time.get(YEAR..).unwrap_or_default().to_owned(),
        ),
        (Role::Text, one.kind.to_owned()),
        (counts, one.items.to_string()),
        (state, listed.activity_word().to_owned()),
        (Role::Text, one.about.clone()),
    ]
    .map(|run| vec![run])
    .into()
}
