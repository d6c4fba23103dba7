//! Drawing of the experiments screen: the list, what is known of the one under the cursor, and figures.

use super::Experiments;
use crate::tui::app::DrawContext;
use crate::tui::components::experiment_columns::ExperimentTable;
use crate::tui::keys::{Action, Context, key_for};
use crate::tui::theme::Role;
use crate::tui::widgets::{Focus, Paragraph, Split, TableRow, draw_frame, draw_text};
use ratatui::buffer::Buffer;
use ratatui::layout::{Position, Rect};

/// From this width on, list and details are side by side.
const WIDE: u16 = 180;
/// Rows of the details below the list.
const BELOW: u16 = 9;

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
        let with_figures = all.iter().map(|one| (one, self.figures.find(one)));
        let table = ExperimentTable::new(inner.width, self.columns(), with_figures, context);
        let rows = |item: usize| {
            let Some((line, one)) = self.listed_at(item) else {
                return TableRow::new_blank();
            };
            TableRow::Cells {
                is_marked: self.marks.contains(&one.summary.id),
                cells: table.build_cells(line, one),
            }
        };
        let list = &self.list;
        let (cursor, left) = list.draw_table(buffer, inner, context, &empty, &table.table, rows);
        let unreadable = self.known.iter().flat_map(|known| &known.unreadable);
        let unreadable = unreadable.map(|why| {
            Paragraph::new(Role::Error, format!("! cannot be read: {why}")).with_indent(0, 2)
        });
        draw_text(buffer, left, look, &unreadable.collect::<Vec<_>>());
        let inner = draw_frame(details, buffer, look, "", Focus::Unfocused);
        if let Some(one) = self.selected_experiment() {
            let mut page = one.describe();
            let figures = self.figures.find(one);
            let headline = figures.map(|figures| figures.describe_headline(one));
            // Below what it is about and how far it is.
            let at = page.len().min(2);
            page.splice(
                at..at,
                headline.map(|text| Paragraph::new(Role::Text, text)),
            );
            draw_text(buffer, inner, look, &page);
        }
        cursor
    }
}
