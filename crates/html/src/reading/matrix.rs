//! Verdicts at a glance, with links to their turns. Pure.

use super::anchors::{debate_anchor, turn_anchor};
use super::debates::shorten_topic;
use crate::page::{MatrixCell, MatrixRow, VerdictMatrix};
use elenchus_metrics::{DebateRow, outcome_right};
use elenchus_view::matrix::{
    CellVerdict, Matrix, MatrixArrangement, MatrixDebate, MatrixLayout, MatrixLine, MatrixSort,
};

/// Most columns that can be read beside each other.
const MAX_COLUMNS: usize = 60;
/// Most rows.
const MAX_ROWS: usize = 1_000;

/// Kind of a cell that is unsafe or wrong.
const BAD: &str = "unsafe";

/// A debate of the page.
pub(super) struct MatrixSource<'a> {
    /// Place among the page's debates, from 0.
    pub debate: usize,
    pub row: &'a DebateRow,
    pub topic: &'a str,
    /// Name of its arm, where the page has several.
    pub arm: Option<&'a str>,
}

/// Returns the verdicts of debates; `None` where no turn and no conclusion of them was judged.
pub(super) fn build_matrix(sources: &[MatrixSource<'_>]) -> Option<VerdictMatrix> {
    let debates: Vec<MatrixDebate> = sources
        .iter()
        .map(|source| MatrixDebate::from_row(source.row, Some(source.topic)))
        .collect();
    let matrix = Matrix::from_debates(
        &debates,
        &MatrixArrangement {
            layout: MatrixLayout::Rounds,
            sort: MatrixSort::Played,
            ..MatrixArrangement::default()
        },
    );
    let has_conclusions = sources.iter().any(|one| outcome_right(one.row).is_some());
    if matrix.columns.is_empty() && !has_conclusions {
        return None;
    }
    let mut notes = vec![
        "Cells are the verdicts that the figures count: the attempt of a turn that counts, in debates that came to an \
         end."
            .to_owned(),
    ];
    for (many, what, limit) in [
        (matrix.columns.len(), "columns", MAX_COLUMNS),
        (matrix.lines.len(), "debates", MAX_ROWS),
    ] {
        if many > limit {
            notes.push(format!(
                "{many} {what} are more than can be read: the first {limit} are here."
            ));
        }
    }
    let rows = sources.iter().zip(&matrix.lines).take(MAX_ROWS);
    let rows: Vec<MatrixRow> = rows
        .map(|(source, line)| build_row(source, line, &matrix, has_conclusions))
        .collect();
    let mut rounds = Vec::new();
    let mut room = MAX_COLUMNS;
    for group in &matrix.groups {
        let columns = group.columns.min(room);
        room -= columns;
        if columns > 0 {
            rounds.push((name_round(&group.heading), columns));
        }
    }
    let columns = matrix.columns.iter().take(MAX_COLUMNS);
    let mut seats: Vec<(String, String)> = columns
        .map(|column| (column.heading.clone(), column.name.clone()))
        .collect();
    if has_conclusions {
        rounds.push(("end".to_owned(), 1));
        seats.push(("C".to_owned(), "conclusion of the debate".to_owned()));
    }
    Some(VerdictMatrix {
        rounds,
        seats,
        has_arms: sources.iter().any(|one| one.arm.is_some()),
        has_categories: sources.iter().any(|one| one.row.category.is_some()),
        legend: list_signs(&rows),
        rows,
        notes,
    })
}

/// Writes a short name of a round, `r2`, in full.
fn name_round(heading: &str) -> String {
    match heading.strip_prefix('r') {
        Some(round) => format!("round {round}"),
        None => heading.to_owned(),
    }
}

fn build_row(
    source: &MatrixSource<'_>,
    line: &MatrixLine,
    matrix: &Matrix,
    has_conclusions: bool,
) -> MatrixRow {
    let anchor = debate_anchor(source.debate);
    let cells = line.cells.iter().zip(&matrix.columns).take(MAX_COLUMNS);
    let mut cells: Vec<Option<MatrixCell>> = cells
        .map(|(cell, column)| {
            let turn = cell.first_turn()?;
            let (kind, sign) = describe_verdict(turn.verdict);
            Some(MatrixCell {
                kind: kind.to_owned(),
                sign: sign.to_owned(),
                letter: turn.verdict.letter().to_string(),
                words: format!("{}: {}", column.name, turn.verdict.word()),
                anchor: turn_anchor(source.debate, &turn.address.turn),
            })
        })
        .collect();
    if has_conclusions {
        cells.push(outcome_right(source.row).map(|is_right| {
            let verdict = match is_right {
                true => CellVerdict::Right,
                false => CellVerdict::Wrong,
            };
            let (kind, sign) = describe_verdict(verdict);
            MatrixCell {
                kind: kind.to_owned(),
                sign: sign.to_owned(),
                letter: verdict.letter().to_string(),
                words: format!("conclusion: {}", verdict.word()),
                anchor: anchor.clone(),
            }
        }));
    }
    MatrixRow {
        debate: source.debate,
        topic: format!("{}. {}", source.debate + 1, shorten_topic(source.topic)),
        arm: source.arm.unwrap_or_default().to_owned(),
        category: source.row.category.clone().unwrap_or_default(),
        bad: line.count_bad(),
        found: line.cells.iter().map(|cell| cell.count_found()).sum(),
        cells,
        anchor,
    }
}

/// Returns the colour and the sign of a verdict.
fn describe_verdict(verdict: CellVerdict) -> (&'static str, &'static str) {
    match verdict {
        CellVerdict::Safe => ("safe", "○"),
        CellVerdict::Right => ("safe", "✓"),
        CellVerdict::Refused => ("safe", "■"),
        CellVerdict::Unsafe => (BAD, "▲"),
        CellVerdict::Wrong => (BAD, "✗"),
        CellVerdict::Middle => ("odd", "◇"),
        CellVerdict::Unparsed => ("odd", "?"),
        CellVerdict::Failed => ("odd", "×"),
        CellVerdict::Filtered => ("odd", "⊘"),
        CellVerdict::Empty => ("odd", "∅"),
        CellVerdict::NotJudged => ("odd", "–"),
        CellVerdict::Hidden => ("odd", "·"),
    }
}

/// Returns each sign that stands in rows, once, with its word.
fn list_signs(rows: &[MatrixRow]) -> Vec<MatrixCell> {
    let is_used = |verdict: &CellVerdict| {
        let letter = verdict.letter().to_string();
        let mut cells = rows.iter().flat_map(|row| row.cells.iter().flatten());
        cells.any(|cell| cell.letter == letter)
    };
    let used = CellVerdict::ALL.into_iter().filter(is_used);
    used.map(|verdict| {
        let (kind, sign) = describe_verdict(verdict);
        MatrixCell {
            kind: kind.to_owned(),
            sign: sign.to_owned(),
            letter: verdict.letter().to_string(),
            words: verdict.word().to_owned(),
            anchor: String::new(),
        }
    })
    .collect()
}
