//! The verdict rail: rounds × chairs, what was found about each turn, rounds and the debate. Pure.

use super::blocks::{Glances, role_of};
use super::chart::Chart;
use super::words;
use crate::debate::event::{Author, Outcome};
use crate::debate::step::Target;
use crate::debate::{Chair, State, TurnId};
use crate::tui::parts::lines::Line;
use crate::tui::theme::{Look, Role};
use unicode_width::UnicodeWidthStr;

/// The cells that a round's number takes.
const ROUND_WIDTH: usize = 4;
/// A column that is at least as wide shows the words of findings, not only their marks.
const WORD_WIDTH: usize = 12;

/// Draws the rail for a width. The turn under the cursor is marked.
pub fn rail(
    state: &State,
    chart: &Chart,
    glances: &Glances,
    cursor: Option<&TurnId>,
    width: usize,
    look: &Look,
) -> Vec<Line> {
    let Some(protocol) = state.protocol() else {
        return Vec::new();
    };
    let judged: Vec<&Chair> = chart
        .chairs()
        .filter(|chair| {
            chart.top.contains(chair) || glances.keys().any(|turn| turn.chair == **chair)
        })
        .collect();
    let column = (width.saturating_sub(ROUND_WIDTH) / judged.len().max(1)).clamp(3, 24);
    let mut lines = vec![names(&judged, column, |chair| protocol.name_of(chair))];
    let played = state.turns().keys().map(|turn| turn.round).max();
    for round in 1..=played.unwrap_or(0).max(1) {
        let mut line = Line {
            indent: 0,
            runs: vec![(
                Role::Muted,
                format!("{:<ROUND_WIDTH$}", format!("r{round}")),
            )],
        };
        for chair in &judged {
            let cell = cell(glances, chair, round, column, look);
            let here = cursor.is_some_and(|turn| turn.chair == **chair && turn.round == round);
            push_cell(&mut line, cell, column, here);
        }
        lines.push(line);
    }
    lines.extend(together(state, look));
    lines
}

fn names(judged: &[&Chair], column: usize, name: impl Fn(&Chair) -> String) -> Line {
    let mut runs = vec![(Role::Muted, " ".repeat(ROUND_WIDTH))];
    for chair in judged {
        let name = short(&name(chair), column.saturating_sub(1));
        let fill = column.saturating_sub(name.width());
        runs.push((Role::Muted, format!("{name}{}", " ".repeat(fill))));
    }
    Line { indent: 0, runs }
}

/// Shortens a name to its end, where the number stands, and its first letters.
fn short(name: &str, width: usize) -> String {
    if name.width() <= width {
        return name.to_owned();
    }
    let words: Vec<&str> = name.split_whitespace().collect();
    if let [first, .., last] = words.as_slice()
        && last.chars().all(|c| c.is_ascii_digit())
        && last.len() < width
    {
        let room = width - last.len();
        let head: String = first.chars().take(room).collect();
        return format!("{head}{last}");
    }
    name.chars().take(width).collect()
}

type Cell = Vec<(Role, String)>;

fn cell(glances: &Glances, chair: &Chair, round: u32, column: usize, look: &Look) -> Cell {
    let mut cell = Cell::new();
    for (turn, found) in glances
        .iter()
        .filter(|(turn, _)| turn.chair == *chair && turn.round == round)
    {
        let _ = turn;
        for one in found {
            let role = role_of(&one.outcome);
            let mark = mark(&one.outcome, look);
            let text = if column >= WORD_WIDTH {
                format!("{mark} {}", words::label(&one.outcome))
            } else {
                match codes(&one.outcome) {
                    Some(codes) if column > codes.len() + 2 => format!("{mark}{codes}"),
                    _ => format!("{mark}{}", look.tag(role)),
                }
            };
            cell.push((role, text));
            if let Some(Author::Person(_)) = one.by {
                cell.push((Role::HumanLabel, look.glyphs().human.to_owned()));
            }
            cell.push((Role::Muted, " ".to_owned()));
        }
    }
    cell
}

fn push_cell(line: &mut Line, cell: Cell, column: usize, here: bool) {
    let mut left = column;
    if here && cell.is_empty() {
        line.runs.push((Role::Cursor, "-".to_owned()));
        left -= 1;
    }
    for (role, text) in cell {
        let text: String = cut(&text, left);
        left = left.saturating_sub(text.width());
        let role = if here { Role::Cursor } else { role };
        line.runs.push((role, text));
    }
    line.runs.push((Role::Muted, " ".repeat(left)));
}

fn cut(text: &str, width: usize) -> String {
    let mut cut = String::new();
    for c in text.chars() {
        cut.push(c);
        if cut.width() > width {
            cut.pop();
            break;
        }
    }
    cut
}

fn codes(outcome: &Outcome) -> Option<String> {
    match outcome {
        Outcome::Label(finding) if !finding.codes.is_empty() => Some(finding.codes.join(",")),
        Outcome::Label(_) | Outcome::Unparsed { .. } => None,
    }
}

/// Returns the mark of a finding.
pub fn mark(outcome: &Outcome, look: &Look) -> &'static str {
    let glyphs = look.glyphs();
    match outcome {
        Outcome::Label(finding) if finding.value > 0.0 => glyphs.safe,
        Outcome::Label(finding) if finding.value < 0.0 => glyphs.unsafe_found,
        Outcome::Label(_) => glyphs.middle,
        Outcome::Unparsed { .. } => glyphs.unparsed,
    }
}

/// What was found about rounds and the debate, and what was learned.
fn together(state: &State, look: &Look) -> Vec<Line> {
    let mut lines = Vec::new();
    let Some(protocol) = state.protocol() else {
        return lines;
    };
    for (judging, target, _) in state.verdicts() {
        let what = match target {
            Target::Round(round) => format!("r{round} {judging}: "),
            Target::Debate => format!("{judging}: "),
            Target::Attempt(_) => continue,
        };
        let Some(rule) = protocol.judging(judging) else {
            continue;
        };
        let Some(outcome) = state.finding(rule, target) else {
            continue;
        };
        let text = format!("{} {}", mark(&outcome, look), words::label(&outcome));
        lines.push(Line {
            indent: 0,
            runs: vec![(Role::Muted, what), (role_of(&outcome), text)],
        });
    }
    if state.feedback().is_some() {
        lines.push(Line {
            indent: 0,
            runs: vec![(Role::FromMemory, "a lesson was written".to_owned())],
        });
    }
    lines
}
