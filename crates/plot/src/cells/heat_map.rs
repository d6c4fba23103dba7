//! Heat map: a shade and the number in each cell, so that it can be read without colour. Pure.

use elenchus_metrics::{Unit, format_value};
use elenchus_text::{Paragraph, Role};

use super::{PlotGlyphs, fit_label, label_columns};
use crate::axis::Axis;
use crate::picture::{HeatMap, PlottedValue};

/// Most columns of labels.
const MAX_LABEL: usize = 28;
/// Columns of a cell, with its shade and the blank behind it.
const CELL: usize = 11;
const NOTHING: &str = "–";

pub(super) fn draw_heat_map(
    map: &HeatMap,
    unit: Unit,
    columns: usize,
    glyphs: PlotGlyphs,
) -> Vec<Paragraph> {
    let labels = label_columns(
        map.rows
            .iter()
            .map(String::as_str)
            .chain([map.row_title.as_str()]),
        MAX_LABEL,
    );
    let values = map.cells.iter().flatten().flatten();
    let axis = Axis::around(values.map(|value| [value.value; 2]), unit);
    let at_once = (columns.saturating_sub(labels + 2) / CELL).max(1);
    let mut page = Vec::new();
    // What does not fit beside each other stands below.
    for first in (0..map.columns.len()).step_by(at_once) {
        let last = (first + at_once).min(map.columns.len());
        page.push(Paragraph::gap());
        let heads = map.columns[first..last].iter();
        let heads: String = heads.map(|head| fit_label(head, CELL)).collect();
        page.push(
            Paragraph::new(Role::Muted, fit_label(&map.row_title, labels))
                .with_run(Role::Strong, format!("  {}", heads.trim_end())),
        );
        for (row, cells) in map.rows.iter().zip(&map.cells) {
            let mut line = Paragraph::new(Role::Text, format!("{}  ", fit_label(row, labels)));
            for cell in cells.get(first..last).unwrap_or_default() {
                let (shade, text) = draw_cell(cell.as_ref(), &axis, unit, glyphs);
                line = line
                    .with_run(Role::Accent, shade)
                    .with_run(Role::Text, text);
            }
            page.push(line);
        }
    }
    page.push(Paragraph::new(
        Role::Muted,
        format!("columns: {}", map.column_title),
    ));
    page
}

fn draw_cell(
    value: Option<&PlottedValue>,
    axis: &Axis,
    unit: Unit,
    glyphs: PlotGlyphs,
) -> (String, String) {
    let width = CELL - 2;
    let Some(value) = value else {
        let nothing = match glyphs {
            PlotGlyphs::Unicode => NOTHING,
            PlotGlyphs::Ascii => "-",
        };
        return ("  ".to_owned(), format!("{nothing:<width$}"));
    };
    let shades = glyphs.shades();
    let level = (axis.position(value.value) * (shades.len() - 1) as f64).round() as usize;
    let shade = shades[level.min(shades.len() - 1)];
    (
        format!("{shade}{shade}"),
        format!("{:<width$}", format_value(value.value, unit)),
    )
}
