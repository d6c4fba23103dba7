//! Table of experiments: columns by name, or as many as fit, and their cells. Pure.

use crate::tui::app::DrawContext;
use crate::tui::theme::Role;
use crate::tui::widgets::{Align, TABLE_MARGIN, Table, TableCell, TableColumn, count_cells};
use elenchus_run::experiments::{
    ExperimentColumn, ExperimentLine, ListedExperiment, ListedFigures, MISSING_FIGURE,
};
use std::collections::BTreeMap;

/// Cells between two columns.
const GUTTER: u16 = 2;
/// Cells that a list leaves to what experiments are about before it takes another column in.
const LEAST_ABOUT: u16 = 24;
/// From this width on there are columns besides those without which a list says too little.
const WITH_MORE: u16 = 96;
/// Cells that say how many columns have no room.
const HIDDEN_MARK: u16 = 5;
/// Cells of a column, at most; what experiments are about takes what is left.
const WIDEST: u16 = 28;

/// A cell of a column, as it is shown.
type WrittenCell = (ExperimentColumn, (Role, String));

/// The table of experiments in a width.
pub(in crate::tui) struct ExperimentTable<'a, 'e> {
    pub table: Table,
    columns: Vec<ExperimentColumn>,
    /// Written once a draw, for widths and rows alike: by an experiment's id, a cell for each measured column.
    cells: BTreeMap<&'e str, Vec<WrittenCell>>,
    context: DrawContext<'a>,
}

impl<'a, 'e> ExperimentTable<'a, 'e> {
    /// Returns the table of experiments with their figures: of these columns, or of those that fit where none are
    /// named. A column that says nothing of any of them is left out.
    pub(in crate::tui) fn new(
        width: u16,
        named: &[ExperimentColumn],
        experiments: impl Iterator<Item = (&'e ListedExperiment, Option<&'e ListedFigures>)>,
        context: DrawContext<'a>,
    ) -> Self {
        let measured: &[ExperimentColumn] = match named.is_empty() {
            true => &ExperimentColumn::ALL,
            false => named,
        };
        let cells = experiments.map(|(one, figures)| {
            let columns = measured.iter();
            let cells = columns.map(|column| (*column, column.format_cell(one, figures)));
            (one.summary.id.as_str(), cells.collect::<Vec<_>>())
        });
        let cells: BTreeMap<&str, _> = cells.collect();
        let widest = |column: ExperimentColumn| {
            let of_column = cells.values().flatten().filter(|(of, _)| *of == column);
            // A column of figures that there are not yet says nothing.
            let is_said =
                |(_, (_, text)): &&WrittenCell| !text.is_empty() && text != MISSING_FIGURE;
            if !of_column.clone().any(|cell| is_said(&cell)) {
                return 0;
            }
            let widths = of_column.map(|(_, (_, text))| count_cells(text));
            u16::try_from(widths.max().unwrap_or(0)).unwrap_or(u16::MAX)
        };
        let measured = |column: ExperimentColumn| {
            let heading = u16::try_from(column.name().len()).unwrap_or(u16::MAX);
            (column, widest(column), widest(column).max(heading))
        };
        let room = width.saturating_sub(TABLE_MARGIN);
        let chosen = match named.is_empty() {
            true => fit_columns(room, &ExperimentColumn::ALL.map(measured)),
            false => {
                let columns = named.iter().map(|column| measured(*column));
                columns.map(|(column, _, width)| (column, width)).collect()
            }
        };
        let mut widths = share_room(room, &chosen);
        if widths.len() < chosen.len() {
            widths = share_room(room.saturating_sub(HIDDEN_MARK), &chosen);
        }
        let hidden = chosen.len() - widths.len();
        let columns = widths.iter().map(|(column, width)| TableColumn {
            heading: column.name(),
            width: *width,
            align: match column.is_number() {
                true => Align::Right,
                false => Align::Left,
            },
            order: None,
        });
        Self {
            table: Table {
                columns: columns.collect(),
                gutter: GUTTER,
                hidden,
            },
            columns: widths.iter().map(|(column, _)| *column).collect(),
            cells,
            context,
        }
    }

    /// Returns the cells of an experiment; where it stands among others is said before what it is about, or in the
    /// first column where that has none.
    pub(in crate::tui) fn build_cells(
        &self,
        line: ExperimentLine,
        one: &ListedExperiment,
    ) -> Vec<TableCell> {
        let known = self.cells.get(one.summary.id.as_str());
        let find = |column: &ExperimentColumn| {
            let mut known = known.into_iter().flatten();
            known
                .find(|(of, _)| of == column)
                .map(|(_, cell)| cell.clone())
        };
        let about = ExperimentColumn::About;
        let place = self.columns.iter().position(|column| *column == about);
        let place = place.unwrap_or(0);
        let cells = self.columns.iter().enumerate().map(|(at, column)| {
            let mut cell = TableCell::new();
            if at == place {
                cell.extend(self.describe_place(line));
            }
            cell.extend(find(column));
            cell
        });
        cells.collect()
    }

    fn describe_place(&self, line: ExperimentLine) -> Option<(Role, String)> {
        let glyphs = self.context.look.glyphs();
        match (line.is_part, line.folded) {
            (true, _) => Some((Role::Border, format!("{} ", glyphs.tree_last))),
            (false, 0) => None,
            (false, 1) => Some((Role::Muted, format!("{} 1 run ", glyphs.folded))),
            (false, runs) => Some((Role::Muted, format!("{} {runs} runs ", glyphs.folded))),
        }
    }
}

/// Chooses the columns that fit, in the order in which they stand: those without which the list says too little, and
/// others while what experiments are about keeps some room.
fn fit_columns(room: u16, all: &[(ExperimentColumn, u16, u16)]) -> Vec<(ExperimentColumn, u16)> {
    let find = |column: &ExperimentColumn| all.iter().find(|(known, ..)| known == column);
    let says_something =
        |column: &&ExperimentColumn| find(column).is_some_and(|(_, text, _)| *text > 0);
    let cells = |column: &ExperimentColumn| {
        find(column).map_or(0, |(_, _, width)| width.min(&WIDEST) + GUTTER)
    };
    let least = ExperimentColumn::LEAST;
    let mut chosen: Vec<ExperimentColumn> = least
        .iter()
        .filter(|column| **column != ExperimentColumn::Rate || says_something(column))
        .copied()
        .collect();
    let is_about = |column: &&ExperimentColumn| **column == ExperimentColumn::About;
    let used = chosen.iter().filter(|column| !is_about(column));
    let mut used: u16 = used.map(cells).sum();
    for column in ExperimentColumn::MORE.iter().filter(says_something) {
        if room < WITH_MORE || used + cells(column) + LEAST_ABOUT > room {
            break;
        }
        used += cells(column);
        chosen.push(*column);
    }
    let in_order = all.iter().filter(|(column, ..)| chosen.contains(column));
    in_order
        .map(|(column, _, width)| (*column, *width))
        .collect()
}

/// Gives each column what it needs, at most [`WIDEST`]; what experiments are about gets what is left, and the last
/// columns nothing where nothing is left.
fn share_room(room: u16, wanted: &[(ExperimentColumn, u16)]) -> Vec<(ExperimentColumn, u16)> {
    let is_about = |column: ExperimentColumn| column == ExperimentColumn::About;
    let fixed = wanted.iter().filter(|(column, _)| !is_about(*column));
    let fixed: u16 = fixed.map(|(_, width)| width.min(&WIDEST) + GUTTER).sum();
    let mut left = room;
    let mut widths = Vec::new();
    for (column, width) in wanted {
        let width = match is_about(*column) {
            true => room.saturating_sub(fixed).max(1),
            false => *width.min(&WIDEST),
        };
        let width = width.min(left);
        if width == 0 {
            break;
        }
        left = left.saturating_sub(width + GUTTER);
        widths.push((*column, width));
    }
    widths
}
