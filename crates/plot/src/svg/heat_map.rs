//! Heat map: the deeper the colour, the larger the value, which stands in the cell. Pure.

use elenchus_metrics::{Unit, format_value};

use super::writer::SvgWriter;
use super::{LINE, MARGIN, SERIES, WIDTH, describe_value};
use crate::axis::Axis;
use crate::picture::HeatMap;

const LABEL_WIDTH: f64 = 200.0;
const LABEL_CHARACTERS: usize = 23;
/// Room for a character of a column's heading.
const HEAD_CHARACTER_WIDTH: f64 = 9.0;
const CELL_HEIGHT: f64 = 28.0;
/// Cells are no wider, and no narrower than a number takes.
const CELL_WIDTHS: [f64; 2] = [62.0, 110.0];
/// Deepest colour: text is still read on it.
const MOST_OPACITY: f64 = 0.6;

/// Writes a heat map from `y` on, and returns where it ends.
pub(super) fn write_heat_map(svg: &mut SvgWriter, map: &HeatMap, unit: Unit, mut y: f64) -> f64 {
    let values = map.cells.iter().flatten().flatten();
    let axis = Axis::around(values.map(|value| [value.value; 2]), unit);
    let left = MARGIN + LABEL_WIDTH;
    let [least, most] = CELL_WIDTHS;
    let room = WIDTH - MARGIN - left;
    let width = (room / map.columns.len().max(1) as f64).clamp(least, most);
    let at_once = ((room / width) as usize).max(1);
    let (colour, _) = SERIES[0];
    for first in (0..map.columns.len()).step_by(at_once) {
        let last = (first + at_once).min(map.columns.len());
        y += LINE;
        let head_characters = (width / HEAD_CHARACTER_WIDTH) as usize;
        let heads = map.columns[first..last].iter();
        let heads: Vec<[String; 2]> = heads
            .map(|head| break_head(head, head_characters))
            .collect();
        if heads.iter().any(|[_, second]| !second.is_empty()) {
            y += LINE;
        }
        svg.add_text(
            left - 10.0,
            y,
            "q e",
            &format!("{} by {}", map.row_title, map.column_title),
        );
        for (at, [head, more]) in heads.iter().enumerate() {
            let x = left + (at as f64 + 0.5) * width;
            match more.is_empty() {
                true => svg.add_text(x, y, "h m", head),
                false => {
                    svg.add_text(x, y - LINE, "h m", head);
                    svg.add_text(x, y, "h m", more);
                }
            }
        }
        y += 8.0;
        for (row, cells) in map.rows.iter().zip(&map.cells) {
            let label = elenchus_text::cut_to_width(row, LABEL_CHARACTERS);
            svg.add_text(left - 10.0, y + CELL_HEIGHT * 0.65, "e", &label);
            for (at, cell) in cells
                .get(first..last)
                .unwrap_or_default()
                .iter()
                .enumerate()
            {
                let x = left + at as f64 * width;
                let middle = (x + width / 2.0, y + CELL_HEIGHT * 0.65);
                let Some(value) = cell else {
                    svg.add_text(middle.0, middle.1, "q m", "–");
                    continue;
                };
                let column = map.columns.get(first + at).map_or("", String::as_str);
                svg.add_value_rect(
                    (x + 1.0, y + 1.0),
                    (width - 2.0, CELL_HEIGHT - 2.0),
                    &format!(
                        "fill=\"{colour}\" fill-opacity=\"{:.3}\"",
                        MOST_OPACITY * axis.position(value.value)
                    ),
                    value,
                    &format!("{row}, {column}: {}", describe_value(value, unit)),
                );
                svg.add_text(middle.0, middle.1, "m", &format_value(value.value, unit));
            }
            y += CELL_HEIGHT;
        }
    }
    y
}

/// Breaks a heading that is too long between two of its words, and cuts what is too long even so.
fn break_head(head: &str, characters: usize) -> [String; 2] {
    let cut = |text: &str| elenchus_text::cut_to_width(text, characters).to_string();
    let is_break = |sign: char| matches!(sign, ' ' | '_' | '-');
    if elenchus_text::display_width(head) <= characters {
        return [head.to_owned(), String::new()];
    }
    let breaks = head.match_indices(is_break).map(|(at, _)| at + 1);
    let mut fitting = breaks.filter(|at| elenchus_text::display_width(&head[..*at]) <= characters);
    // Nothing fits in the first line: what is cut off is as much in either.
    let at = fitting
        .next_back()
        .or_else(|| head.find(is_break).map(|at| at + 1));
    match at {
        Some(at) => {
            let (first, second) = head.split_at(at);
            [cut(first), cut(second)]
        }
        None => [cut(head), String::new()],
    }
}
