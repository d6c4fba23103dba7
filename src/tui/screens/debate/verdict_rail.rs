//! Verdict rail: rounds × chairs, with the findings on each turn, rounds and the debate. Pure.

use super::mark_legend::MarkLegend;
use crate::tui::theme::{Look, Role};
use crate::tui::widgets::{Paragraph, StyledLine, lay_out};
use elenchus_game::debate::event::{Author, Outcome};
use elenchus_game::debate::{Chair, SeatId, StageId, State, TurnId};
use elenchus_view::debate_text::{Glances, HumanLabels, TurnGlance, VerdictBoard, role_of, texts};
use std::ops::{Range, RangeInclusive};
use unicode_width::UnicodeWidthStr;

/// The cells that a round's number takes.
const ROUND_WIDTH: usize = 4;
/// A column that is at least as wide shows the words of findings, not only their marks.
const WORD_WIDTH: usize = 12;

/// The rail as it is drawn: findings on turns, by judges and by people.
#[derive(Clone, Copy)]
pub(super) struct Rail<'a> {
    pub state: &'a State,
    pub glances: &'a Glances,
    pub labelled: &'a HumanLabels,
    /// The turn under the cursor, which is marked.
    pub cursor: Option<&'a TurnId>,
    pub look: &'a Look,
}

impl Rail<'_> {
    /// Draws some lines of the rail for a width.
    pub(super) fn lay_out_lines(
        &self,
        board: &VerdictBoard,
        width: usize,
        lines: Range<usize>,
    ) -> Vec<StyledLine> {
        let Some(protocol) = self.state.protocol() else {
            return Vec::new();
        };
        let column = column_width(board, width);
        let draw = |at: usize| match at {
            0 => lay_out_names(&board.chairs, column, |chair| protocol.name_of(chair)),
            at if at <= board.rounds() => self.lay_out_round(board, at, column),
            at => match board.joint_findings.get(at - 1 - board.rounds()) {
                Some((what, outcome)) => {
                    let text = format!(
                        "{} {}",
                        outcome_mark(outcome, self.look),
                        texts::finding_label(outcome)
                    );
                    StyledLine::from_runs(vec![
                        (Role::Muted, what.clone()),
                        (role_of(outcome), text),
                    ])
                }
                None => StyledLine::from_text(Role::FromMemory, "a lesson was written"),
            },
        };
        let end = lines.end.min(board.line_count());
        (lines.start..end).map(draw).collect()
    }

    /// Returns what marks mean, where one stands in place of words in these lines.
    pub(super) fn lay_out_legend(
        &self,
        board: &VerdictBoard,
        width: usize,
        lines: Range<usize>,
    ) -> Option<StyledLine> {
        let protocol = self.state.protocol()?;
        let column = column_width(board, width);
        let mut rounds = lines
            .clone()
            .filter(|line| (1..=board.rounds()).contains(line));
        let has_marks = rounds.any(|round| {
            let mut chairs = board.chairs.iter();
            chairs.any(|chair| {
                let pieces = self.build_pieces(chair, to_round(round), column);
                !pieces.is_empty() && !has_words(&pieces, column)
            })
        });
        let glances =
            || self.glances_of(to_round(lines.start)..=to_round(lines.end.saturating_sub(1)));
        let has_labels = glances().any(|(turn, _)| {
            self.labelled
                .labels_on_turn(self.state, turn)
                .next()
                .is_some()
        });
        let legend = MarkLegend::new(self.look, protocol.measures);
        let legend = legend.of_verdicts(glances().map(|(_, glance)| glance), has_labels);
        legend.lay_out(width).filter(|_| has_marks)
    }

    /// Returns what is known of the turns of some rounds, in their order.
    fn glances_of(
        &self,
        rounds: RangeInclusive<u32>,
    ) -> impl Iterator<Item = (&TurnId, &TurnGlance)> {
        // Turns are in the order of their rounds: nothing comes before a stage without a name.
        let from = TurnId {
            round: *rounds.start(),
            stage: StageId::new(""),
            chair: Chair {
                seat: SeatId::new(""),
                index: 0,
            },
        };
        let of_rounds = self.glances.range(from..);
        of_rounds.take_while(move |(turn, _)| turn.round <= *rounds.end())
    }

    fn lay_out_round(&self, board: &VerdictBoard, round: usize, column: usize) -> StyledLine {
        let number = format!("{:<ROUND_WIDTH$}", format!("r{round}"));
        let mut line = StyledLine::from_text(Role::Muted, number);
        let round = to_round(round);
        for chair in &board.chairs {
            let cell = self.build_cell(chair, round, column);
            let here = self
                .cursor
                .is_some_and(|turn| turn.chair == *chair && turn.round == round);
            push_cell(&mut line, cell, column, here);
        }
        line
    }

    /// Returns the findings on a chair's turns in a round: in words where all of them fit, for a word that is
    /// cut says something else.
    fn build_cell(&self, chair: &Chair, round: u32, column: usize) -> RailCell {
        let pieces = self.build_pieces(chair, round, column);
        let in_words = has_words(&pieces, column);
        let mut cell = RailCell::new();
        for piece in pieces {
            let text = if in_words { piece.words } else { piece.mark };
            cell.push((piece.role, text));
            if !piece.human.is_empty() {
                cell.push((Role::HumanLabel, piece.human.to_owned()));
            }
            cell.push((Role::Muted, " ".to_owned()));
        }
        cell
    }

    fn build_pieces(&self, chair: &Chair, round: u32, column: usize) -> Vec<RailPiece> {
        let glyphs = self.look.glyphs();
        let mut pieces = Vec::new();
        let of_round = self.glances_of(round..=round);
        for (turn, glance) in of_round.filter(|(turn, _)| turn.chair == *chair) {
            let glance_mark = match glance {
                TurnGlance::Found(_) => None,
                TurnGlance::Refused => Some((Role::Notice, glyphs.refused, "refused")),
                TurnGlance::Empty => Some((Role::Warning, glyphs.empty, "empty")),
            };
            pieces.extend(glance_mark.map(|(role, mark, word)| RailPiece {
                role,
                words: format!("{mark} {word}"),
                mark: mark.to_owned(),
                human: "",
            }));
            pieces.extend(glance.findings().iter().map(|one| {
                let role = role_of(&one.outcome);
                let mark = outcome_mark(&one.outcome, self.look);
                let human = match one.by {
                    Some(Author::Person(_)) => glyphs.human,
                    Some(Author::Engine) | None => "",
                };
                let short = match join_codes(&one.outcome) {
                    Some(codes) if column > codes.len() + 2 => codes,
                    Some(_) | None => self.look.tag(role).to_string(),
                };
                RailPiece {
                    role,
                    words: format!("{mark} {}", texts::finding_label(&one.outcome)),
                    mark: format!("{mark}{short}"),
                    human,
                }
            }));
            pieces.extend(self.labelled.labels_on_turn(self.state, turn).map(|one| {
                let (words, mark) = match one.is_gold_of_several {
                    true => (" gold", "*"),
                    false => ("", ""),
                };
                let letter = one.label.chars().next().unwrap_or_default();
                RailPiece {
                    role: Role::HumanLabel,
                    words: format!("{}{}{words}", glyphs.human, one.label),
                    mark: format!("{}{letter}{mark}", glyphs.human),
                    human: "",
                }
            }));
        }
        pieces
    }

    /// Returns what was found about a turn, in whole words, with whose finding each is.
    pub(super) fn lay_out_details(&self, turn: &TurnId, width: usize) -> Vec<StyledLine> {
        let mut page = vec![Paragraph::gap()];
        let findings = self.glances.get(turn).map_or(&[][..], TurnGlance::findings);
        for one in findings {
            let text = format!(
                "{} {}",
                outcome_mark(&one.outcome, self.look),
                texts::finding_label(&one.outcome)
            );
            let who = Paragraph::new(Role::Muted, format!("{}: ", one.judging));
            let mut line = who.with_run(role_of(&one.outcome), text);
            if let Some(Author::Person(name)) = &one.by {
                line = line.with_run(Role::Human, format!(" by {name}"));
            }
            page.push(line.with_indent(0, 2));
        }
        for label in self.labelled.describe_turn(self.state, turn) {
            let text = format!("{} {label}", self.look.glyphs().human);
            page.push(Paragraph::new(Role::HumanLabel, text).with_indent(0, 2));
        }
        match page.len() {
            1 => Vec::new(),
            _ => lay_out(&page, width),
        }
    }
}

/// Returns the round of a line; the names of the chairs stand in line 0.
fn to_round(line: usize) -> u32 {
    u32::try_from(line).unwrap_or(u32::MAX)
}

/// Returns the cells that a chair has.
fn column_width(board: &VerdictBoard, width: usize) -> usize {
    let room = width.saturating_sub(ROUND_WIDTH);
    (room / board.chairs.len().max(1)).clamp(3, 24)
}

/// Says whether the pieces of a cell stand in it in words.
fn has_words(pieces: &[RailPiece], column: usize) -> bool {
    // A blank stands between them.
    let width = |piece: &RailPiece| piece.words.width() + piece.human.width() + 1;
    let width: usize = pieces.iter().map(width).sum();
    column >= WORD_WIDTH && width <= column + 1
}

fn lay_out_names(judged: &[Chair], column: usize, name: impl Fn(&Chair) -> String) -> StyledLine {
    let mut runs = vec![(Role::Muted, " ".repeat(ROUND_WIDTH))];
    for chair in judged {
        let name = shorten_name(&name(chair), column.saturating_sub(1));
        let fill = column.saturating_sub(name.width());
        runs.push((Role::Muted, format!("{name}{}", " ".repeat(fill))));
    }
    StyledLine::from_runs(runs)
}

/// Shortens a name to its first letters and its end, which holds the number.
fn shorten_name(name: &str, width: usize) -> String {
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

type RailCell = Vec<(Role, String)>;

/// A piece of a cell, as words and as a mark.
struct RailPiece {
    role: Role,
    words: String,
    mark: String,
    /// Glyph behind what a person found; empty for what a model or a rule found.
    human: &'static str,
}

fn push_cell(line: &mut StyledLine, cell: RailCell, column: usize, has_cursor: bool) {
    let mut left = column;
    if has_cursor && cell.is_empty() {
        line.runs.push((Role::Cursor, "-".to_owned()));
        left -= 1;
    }
    for (role, text) in cell {
        let text: String = cut_text(&text, left);
        left = left.saturating_sub(text.width());
        let role = if has_cursor { Role::Cursor } else { role };
        line.runs.push((role, text));
    }
    line.runs.push((Role::Muted, " ".repeat(left)));
}

fn cut_text(text: &str, width: usize) -> String {
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

pub(super) fn join_codes(outcome: &Outcome) -> Option<String> {
    match outcome {
        Outcome::Label(finding) if !finding.codes.is_empty() => Some(finding.codes.join(",")),
        Outcome::Label(_) | Outcome::Unparsed { .. } => None,
    }
}

/// Returns the mark of a finding.
pub fn outcome_mark(outcome: &Outcome, look: &Look) -> &'static str {
    let glyphs = look.glyphs();
    match outcome {
        Outcome::Label(finding) if finding.value > 0.0 => glyphs.safe,
        Outcome::Label(finding) if finding.value < 0.0 => glyphs.unsafe_found,
        Outcome::Label(_) => glyphs.middle,
        Outcome::Unparsed { .. } => glyphs.unparsed,
    }
}
