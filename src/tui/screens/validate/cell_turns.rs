//! The turns of a cell: who said what about which topic, gold and verdict, each with who gave it.

use crate::tui::app::{DrawContext, Ticket, TurnWalk};
use crate::tui::components::rows::cut_to_width;
use crate::tui::theme::Role;
use crate::tui::widgets::{ListCursor, StyledLine, count_cells};
use elenchus_annotation::validation::CellTurn;
use elenchus_game::debate::{AttemptId, SessionId};
use elenchus_metrics::TurnPlace;
use elenchus_view::{TurnAddress, Way};
use ratatui::buffer::Buffer;
use ratatui::layout::Rect;

/// Lines of a turn.
const LINES: u16 = 2;
/// Cells between columns.
const GAP: usize = 2;
/// The widest topic and speaker, for what is wider belongs to the words.
const MAX_TOPIC: usize = 44;
const MAX_SPEAKER: usize = 26;

/// The list of them.
pub(super) struct CellList {
    pub ticket: Ticket,
    pub gold: String,
    pub verdict: String,
    pub places: Vec<TurnPlace>,
    pub rows: ListCursor,
    /// One for each place, once they are read.
    pub read: Vec<CellTurn>,
}

impl CellList {
    pub(super) fn describe_place(&self) -> String {
        let at = self.rows.selected_row().map_or(0, |at| at + 1);
        format!("turn {at} of {}", self.places.len())
    }

    /// Returns the list to be walked through, at the chosen turn.
    pub(super) fn start_walk(&self) -> Option<TurnWalk> {
        let here = read_address(self.places.get(self.rows.selected_row()?)?)?;
        let turns: Vec<TurnAddress> = self.places.iter().filter_map(read_address).collect();
        let at = turns.iter().position(|turn| *turn == here)?;
        TurnWalk::from_list("turn of the cell", turns, at)
    }

    /// Goes to the row of a turn.
    pub(super) fn select_turn(&mut self, address: &TurnAddress) {
        let mut places = self.places.iter();
        if let Some(at) = places.position(|place| read_address(place).as_ref() == Some(address)) {
            self.rows.select_row(at);
        }
    }

    /// Goes a row on or back.
    pub(super) fn step(&mut self, way: Way) {
        let at = self.rows.selected_row().unwrap_or(0);
        self.rows.select_row(match way {
            Way::Forth => at + 1,
            Way::Back => at.saturating_sub(1),
        });
    }

    /// Writes the chosen turn as it is copied.
    pub(super) fn format_selected(&self) -> String {
        self.format_turn(self.rows.selected_row().unwrap_or(0))
    }

    /// Writes all turns.
    pub(super) fn format_all(&self) -> String {
        let turns: Vec<String> = (0..self.places.len())
            .map(|at| self.format_turn(at))
            .collect();
        turns.join("\n")
    }

    fn format_turn(&self, at: usize) -> String {
        let (Some(turn), Some(place)) = (self.read.get(at), self.places.get(at)) else {
            return String::new();
        };
        format!(
            "{}\nr{} {} ({}): {}\ngold {} ({})\nverdict {}: {}\nelenchus show {} ({})\n",
            turn.topic,
            turn.round,
            turn.speaker,
            turn.model,
            turn.words,
            self.gold,
            turn.people,
            self.verdict,
            turn.reason,
            place.session,
            place.turn
        )
    }

    /// Draws the turns in sight.
    pub(super) fn draw(&self, buffer: &mut Buffer, area: Rect, context: DrawContext<'_>) {
        let width = usize::from(area.width).saturating_sub(GAP);
        let speakers = self
            .read
            .iter()
            .map(|turn| count_cells(&name_speaker(turn)));
        let speaker_width = speakers.max().unwrap_or(0).min(MAX_SPEAKER);
        self.rows.draw_tall(buffer, area, context, LINES, |at| {
            self.lay_out(at, (width, speaker_width), context)
        });
    }

    fn lay_out(
        &self,
        at: usize,
        (width, speaker_width): (usize, usize),
        context: DrawContext<'_>,
    ) -> Vec<StyledLine> {
        let Some(place) = self.places.get(at) else {
            return Vec::new();
        };
        let Some(turn) = self.read.get(at) else {
            let topic = context.content.show_or_mask(&place.topic);
            let text = format!("{topic}  {}  {}", place.turn, place.session);
            let address = StyledLine::from_text(Role::Text, cut_to_width(&text, width));
            return vec![address, StyledLine::default()];
        };
        let column = (width / 3).min(MAX_TOPIC);
        let topic = context.content.show_or_mask(&turn.topic);
        let (topic, speaker) = (
            fill(&cut_to_width(&topic, column), column),
            fill(
                &cut_to_width(&name_speaker(turn), speaker_width),
                speaker_width,
            ),
        );
        let used = count_cells(&topic) + count_cells(&speaker) + 2 * GAP;
        let words = format!("\"{}\"", context.content.show_or_mask(&turn.words));
        let gap = || (Role::Text, " ".repeat(GAP));
        let first = StyledLine::from_runs(vec![
            (Role::FromTopic, topic),
            gap(),
            (Role::Text, speaker),
            gap(),
            (Role::Text, cut_to_width(&words, width.saturating_sub(used))),
        ]);
        vec![first, self.lay_out_findings(turn, width, context)]
    }

    /// Gold with who gave it, the verdict with its reason.
    fn lay_out_findings(
        &self,
        turn: &CellTurn,
        width: usize,
        context: DrawContext<'_>,
    ) -> StyledLine {
        let gold = match turn.people.is_empty() {
            true => format!("  gold {}", self.gold),
            false => format!("  gold {} ({})", self.gold, turn.people),
        };
        let gold = cut_to_width(&gold, width / 2);
        let verdict = match turn.reason.is_empty() {
            true => format!("verdict {}", self.verdict),
            false => {
                let reason = context.content.show_or_mask(&turn.reason);
                format!("verdict {}: {reason}", self.verdict)
            }
        };
        let room = width.saturating_sub(count_cells(&gold) + GAP);
        StyledLine::from_runs(vec![
            (Role::HumanLabel, gold),
            (Role::Text, " ".repeat(GAP)),
            (Role::Muted, cut_to_width(&verdict, room)),
        ])
    }
}

/// Returns the round, who spoke, and the model.
fn name_speaker(turn: &CellTurn) -> String {
    match turn.model.is_empty() {
        true => format!("r{} {}", turn.round, turn.speaker),
        false => format!("r{} {} ({})", turn.round, turn.speaker, turn.model),
    }
}

fn read_address(place: &TurnPlace) -> Option<TurnAddress> {
    let AttemptId { turn, .. } = AttemptId::parse(&place.turn)?;
    let session = SessionId::new(place.session.clone());
    Some(TurnAddress { session, turn })
}

/// Fills a text with blanks.
fn fill(text: &str, width: usize) -> String {
    let missing = width.saturating_sub(count_cells(text));
    format!("{text}{}", " ".repeat(missing))
}
