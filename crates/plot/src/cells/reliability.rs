//! Reliability: a bar to each share, and a mark where the scores say that it should end. Pure.

use elenchus_metrics::{Unit, format_value};
use elenchus_text::{Paragraph, Role};

use super::{PlotGlyphs, column_of, fit_label, place_ticks};
use crate::axis::Axis;
use crate::picture::ReliabilityBar;

const LABEL: usize = 12;
const VALUE_COLUMNS: usize = 8;
const COUNT_COLUMNS: usize = 9;

pub(super) fn draw_reliability(
    bars: &[ReliabilityBar],
    columns: usize,
    glyphs: PlotGlyphs,
) -> Vec<Paragraph> {
    let axis = Axis::around([[0.0, 1.0]].into_iter(), Unit::Share);
    let room = columns.saturating_sub(LABEL + VALUE_COLUMNS + COUNT_COLUMNS + 4);
    let heading = Paragraph::new(Role::Strong, fit_label("score", LABEL)).with_run(
        Role::Muted,
        format!("  {}", place_ticks(&axis, room, room + VALUE_COLUMNS)),
    );
    let mut page = vec![Paragraph::gap(), heading];
    page.extend(bars.iter().map(|bar| draw_row(bar, &axis, room, glyphs)));
    page
}

fn draw_row(bar: &ReliabilityBar, axis: &Axis, room: usize, glyphs: PlotGlyphs) -> Paragraph {
    let (filled, mark) = match glyphs {
        PlotGlyphs::Unicode => ('━', '◇'),
        PlotGlyphs::Ascii => ('=', 'x'),
    };
    let mut cells: Vec<char> = vec![' '; room + 1];
    let end = column_of(axis.position(bar.share), room);
    cells[..=end].fill(filled);
    cells[column_of(axis.position(bar.mean_score), room)] = mark;
    let cells: String = cells.into_iter().collect();
    let share = format_value(bar.share, Unit::Share);
    Paragraph::new(Role::Text, format!("{}  ", fit_label(&bar.label, LABEL)))
        .with_run(Role::Accent, cells)
        .with_run(Role::Text, format!("{share:>VALUE_COLUMNS$}"))
        .with_run(
            Role::Muted,
            format!("{:>COUNT_COLUMNS$}", format!("n {}", bar.items)),
        )
}
