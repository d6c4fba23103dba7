//! Rounds of panes beside each other stand in line: a round begins in one line in all of them, and scrolling one
//! brings the others.

use super::Debate;
use super::navigation::Scrolling;
use super::pane_list::{DebateView, Pane};
use super::scroll::Scroll;
use elenchus_game::debate::Chair;
use elenchus_view::debate_text::Block;
use ratatui::layout::Rect;
use std::collections::BTreeMap;

/// Blocks of a pane whose rounds are brought in line: all of them are wrapped for that. Panes of longer debates
/// scroll alone.
const MAX_BLOCKS: usize = 128;

impl Debate {
    /// Brings panes that are drawn up to date: their sizes, what they follow, and their rounds in line.
    pub(super) fn update_panes(&mut self, panes: &[(Pane, Rect)]) {
        for (pane, text) in panes {
            if let Some(scroll) = self.panes.get_mut(pane) {
                scroll.set_size(text.width.into(), text.height.into());
            }
        }
        let is_shown = |chair: &&Chair| panes.iter().any(|(pane, _)| pane.is_of(chair));
        let row = |chairs: &[Chair]| -> Vec<Pane> {
            let shown = chairs.iter().filter(is_shown);
            shown.cloned().map(Pane::Chair).collect()
        };
        let rows = [row(&self.chart.top), row(&self.chart.band)];
        let fills = rows.each_ref().map(|row| self.fill_rounds(row));
        for (pane, _) in panes {
            if let Some(scroll) = self.panes.get_mut(pane) {
                scroll.update_top(&self.source);
            }
        }
        let in_line = rows.into_iter().zip(fills);
        let in_line = in_line.filter_map(|(row, last_round)| Some((row, last_round?)));
        self.rows_in_line = in_line.collect();
        self.bring_in_line();
    }

    /// Fills the rounds of panes in a row up with blank lines, but for the last round, which grows. Returns the line
    /// at which that one begins; `None` where the panes are not brought in line.
    fn fill_rounds(&mut self, row: &[Pane]) -> Option<usize> {
        let source = &self.source;
        let mut heights = BTreeMap::new();
        let is_short = |pane: &Pane| {
            let scroll = self.panes.get(pane);
            scroll.is_some_and(|scroll| scroll.blocks().len() <= MAX_BLOCKS)
        };
        let is_row = row.len() > 1 && row.iter().all(is_short);
        for pane in row.iter().filter(|_| is_row) {
            let Some(scroll) = self.panes.get_mut(pane) else {
                continue;
            };
            for (round, lines) in scroll.count_round_lines(source) {
                let height = heights.entry(round).or_insert(0);
                *height = lines.max(*height);
            }
        }
        heights.pop_last();
        for pane in row {
            let scroll = self.panes.get_mut(pane);
            match scroll {
                Some(scroll) if is_row => scroll.fill_rounds(&heights, source),
                Some(scroll) => scroll.clear_padding(),
                None => (),
            }
        }
        is_row.then(|| heights.values().sum())
    }

    /// Returns the row that a pane stands in line with, and the line at which its last round begins.
    fn row_of(&self, pane: &Pane) -> Option<(Vec<Pane>, usize)> {
        let row = self.rows_in_line.iter().find(|(row, _)| row.contains(pane));
        row.cloned()
    }

    /// Returns the pane that others of a row go along with: the longest, in which every line of the row is.
    fn longest_of(&mut self, row: &[Pane]) -> Option<Pane> {
        let source = &self.source;
        let mut longest = None;
        for pane in row {
            let Some(scroll) = self.panes.get_mut(pane) else {
                continue;
            };
            let lines = scroll.count_all_lines(source);
            if longest.as_ref().is_none_or(|(most, _)| lines > *most) {
                longest = Some((lines, pane.clone()));
            }
        }
        longest.map(|(_, pane)| pane)
    }

    /// Returns the pane that is scrolled where one is looked at: the one that leads its row, else itself.
    pub(super) fn scrolled_pane(&mut self, pane: &Pane) -> Pane {
        let row = self.row_of(pane);
        let longest = row.and_then(|(row, _)| self.longest_of(&row));
        longest.unwrap_or_else(|| pane.clone())
    }

    /// Brings the row of a pane to where that one is.
    pub(super) fn lead_row(&mut self, pane: &Pane) {
        let Some((row, last_round)) = self.row_of(pane) else {
            return;
        };
        let source = &self.source;
        let Some(scroll) = self.panes.get_mut(pane) else {
            return;
        };
        let line = scroll.top_line(source);
        for other in row.iter().filter(|other| *other != pane) {
            if let Some(scroll) = self.panes.get_mut(other) {
                scroll.go_to_line(line, last_round, source);
            }
        }
    }

    /// Shows the same line in all panes of each row, but where each shows the end of what comes in it.
    pub(super) fn bring_in_line(&mut self) {
        for (row, _) in self.rows_in_line.clone() {
            let is_streaming = row.iter().any(|pane| {
                let scroll = self.panes.get(pane);
                scroll.is_some_and(Scroll::is_streaming)
            });
            let Some(leader) = self.longest_of(&row) else {
                continue;
            };
            let follows = self.panes.get(&leader).is_some_and(Scroll::is_following);
            if !(is_streaming && follows) {
                self.lead_row(&leader);
            }
        }
    }

    /// After the focused pane was scrolled: shows its round in other panes where it is out of sight.
    pub(super) fn bring_round(&mut self, how: Scrolling) {
        if self.arrangement.view != DebateView::Panes || how == Scrolling::Bottom {
            return;
        }
        let (source, focus) = (&self.source, &self.arrangement.focus);
        let Some(scroll) = self.panes.get_mut(focus) else {
            return;
        };
        let at = scroll.first_visible_block(source);
        let turn = at.and_then(|at| scroll.blocks().get(at)?.turn());
        let Some(round) = turn.map(|turn| turn.round) else {
            return;
        };
        for (pane, scroll) in &mut self.panes {
            if pane == focus || !matches!(pane, Pane::Chair(_)) {
                continue;
            }
            let is_of_round = |block: &Block| block.turn().is_some_and(|turn| turn.round == round);
            let at = scroll.blocks().iter().position(is_of_round);
            let is_in_sight = scroll.visible_blocks(source).iter().any(is_of_round);
            if let Some(at) = at.filter(|_| !is_in_sight) {
                scroll.show_block(at, source);
            }
        }
    }
}
