//! Navigation of the debate screen: cursor, focus and search. The cursor links the panes: moving it
//! shows its round in each of them.

use super::Debate;
use super::actions::debate_key;
use super::control::Follows;
use super::layout::{EVEN, is_wide};
use super::pane_list::{DebateView, Pane};
use crate::tui::app::{Effect, say_notice};
use crate::tui::keys::Action;
use crate::tui::widgets::{LineInput, wrap_index};
use elenchus_game::debate::{Chair, TurnId};
use elenchus_view::debate_text::{Block, first_unsafe, is_disputed};
use ratatui::crossterm::event::{KeyCode, KeyEvent};

/// Places that a search keeps; beyond this it says that there are more.
const MAX_HITS: usize = 10_000;

/// A search through all panes.
pub(super) struct PaneSearch {
    pub line: LineInput,
    typing: bool,
    hits: Vec<PaneMatch>,
    at: usize,
}

/// A place that holds the text.
#[derive(Debug, Clone, PartialEq, Eq)]
struct PaneMatch {
    pane: Pane,
    block: usize,
    line: usize,
}

impl PaneSearch {
    pub(super) fn is_typing(&self) -> bool {
        self.typing
    }

    /// Returns what is looked for.
    pub(super) fn query(&self) -> &str {
        self.line.text()
    }

    /// Returns the status of the search.
    pub(super) fn status_text(&self) -> String {
        match self.hits.len() {
            0 if self.typing => "search: Enter looks, Esc leaves".to_owned(),
            0 => format!("'{}' stands nowhere here", self.query()),
            count => format!("'{}' {} of {count}", self.query(), self.at + 1),
        }
    }
}

impl Debate {
    /// Moves the cursor along all turns.
    pub(super) fn step_cursor(&mut self, by: isize) -> Vec<Effect> {
        if self.order.is_empty() {
            return say_notice(format!(
                "nothing was said yet: {} plays one turn",
                debate_key(Action::StepTurn)
            ));
        }
        let last = self.order.len() - 1;
        let to = match self.cursor_index() {
            Some(at) => at.saturating_add_signed(by).min(last),
            None if by < 0 => last,
            None => 0,
        };
        if let Some(turn) = self.order.get(to).cloned() {
            self.go_to_turn(turn);
        }
        Vec::new()
    }

    /// Returns the place of the cursor among the turns that were spoken: behind them all where it is on one that
    /// was not.
    fn cursor_index(&self) -> Option<usize> {
        let cursor = self.cursor.as_ref()?;
        let at = self.order.iter().position(|turn| turn == cursor);
        Some(at.unwrap_or(self.order.len()))
    }

    /// Puts the cursor on a turn, focuses its pane, and shows its round in the others.
    pub(super) fn go_to_turn(&mut self, turn: TurnId) {
        self.control.follows = Follows::Nobody;
        self.arrangement.focus = self.pane_of(&turn.chair);
        for (pane, scroll) in &mut self.panes {
            let own = pane.has_turns_of(&turn.chair);
            let at = scroll.blocks().iter().position(|block| {
                block.turn().is_some_and(|shown| {
                    if own {
                        *shown == turn
                    } else {
                        shown.round == turn.round
                    }
                })
            });
            if let Some(block) = at {
                scroll.show_block(block, &self.source);
            }
        }
        self.lead_row(&self.arrangement.focus.clone());
        self.cursor = Some(turn);
    }

    /// Returns the pane in which a chair's turns are read in this view.
    pub(super) fn pane_of(&self, chair: &Chair) -> Pane {
        match self.arrangement.view {
            DebateView::Transcript => Pane::Transcript,
            DebateView::Panes => Pane::Chair(chair.clone()),
        }
    }

    /// Takes the view that the person chose, else the one that suits the size; what is looked at stays.
    pub(super) fn settle_view(&mut self) {
        let by_size = match is_wide(self.area) {
            true => DebateView::Panes,
            false => DebateView::Transcript,
        };
        self.arrangement.view = self.chosen_view.unwrap_or(by_size);
        let cursor = self.cursor.as_ref().map(|turn| &turn.chair);
        self.arrangement.focus = match (&self.arrangement.focus, self.arrangement.view) {
            (Pane::Chair(_), DebateView::Transcript) => Pane::Transcript,
            (Pane::Transcript, DebateView::Panes) => match cursor.or(self.chart.chairs().next()) {
                Some(chair) => Pane::Chair(chair.clone()),
                None => Pane::Record,
            },
            (stays, _) => stays.clone(),
        };
    }

    /// Shows the other view, at the turn under the cursor.
    pub(super) fn switch_view(&mut self) {
        self.chosen_view = Some(match self.arrangement.view {
            DebateView::Transcript => DebateView::Panes,
            DebateView::Panes => DebateView::Transcript,
        });
        self.settle_view();
        let follows = self.control.follows;
        if let Some(turn) = self
            .cursor
            .clone()
            .filter(|_| self.arrangement.focus.has_turns())
        {
            self.go_to_turn(turn);
            self.control.follows = follows;
        }
    }

    /// Moves the focus by a number of panes.
    pub(super) fn move_focus(&mut self, by: isize) {
        let panes = self.arrangement.view.list_panes(&self.chart);
        let at = panes
            .iter()
            .position(|pane| *pane == self.arrangement.focus);
        let to = wrap_index(at.unwrap_or(0), by, panes.len());
        if let Some(pane) = panes.get(to).cloned() {
            self.control.follows = Follows::Nobody;
            self.arrangement.focus = pane;
            self.move_cursor_into_view();
        }
    }

    /// Scrolls the focused pane.
    pub(super) fn scroll_pane(&mut self, how: Scrolling) {
        match how {
            Scrolling::Lines(_) | Scrolling::Pages(_) | Scrolling::Top => {
                self.control.follows = Follows::Nobody;
            }
            Scrolling::Bottom => {}
        }
        if self.arrangement.focus == Pane::Rail {
            self.rail_top = match how {
                Scrolling::Lines(by) => self.rail_top.saturating_add_signed(by),
                Scrolling::Pages(by) => self.rail_top.saturating_add_signed(by * 10),
                Scrolling::Top => 0,
                Scrolling::Bottom => usize::MAX,
            };
            return;
        }
        let scrolled = self.scrolled_pane(&self.arrangement.focus.clone());
        let source = &self.source;
        let Some(pane) = self.panes.get_mut(&scrolled) else {
            return;
        };
        match how {
            Scrolling::Lines(by) => pane.scroll_lines(by, source),
            Scrolling::Pages(by) => pane.scroll_lines(by * pane.half_page(), source),
            Scrolling::Top => pane.go_to_top(),
            Scrolling::Bottom => pane.go_to_bottom(source),
        }
        self.lead_row(&scrolled);
        self.bring_round(how);
        self.move_cursor_into_view();
    }

    /// Actions apply to what is in view: the cursor is in the focused pane, and nowhere where nothing stands in
    /// it yet.
    fn move_cursor_into_view(&mut self) {
        let focus = &self.arrangement.focus;
        if !focus.has_turns() {
            return;
        }
        let source = &self.source;
        let Some(pane) = self.panes.get_mut(focus) else {
            return;
        };
        if let Some(here) = self.cursor.as_ref() {
            let visible = pane.visible_blocks(source);
            // A cursor that is in sight stays where it is.
            if visible.iter().any(|block| block.turn() == Some(here)) {
                return;
            }
            // Another speaker is looked at: first in the round that was.
            let mut of_round = visible.iter().filter_map(spoken_turn);
            let beside = of_round.find(|turn| turn.round == here.round).cloned();
            if beside.is_some() && !focus.has_turns_of(&here.chair) {
                self.cursor = beside;
                return;
            }
        }
        // What was not spoken is meant where nothing else is.
        self.cursor = if pane.is_following() {
            let blocks = || pane.blocks().iter().rev();
            let turn = blocks().find_map(spoken_turn);
            turn.or_else(|| blocks().find_map(Block::turn)).cloned()
        } else {
            // Above the first turn is the topic: the turn below it is meant.
            let at = pane.first_visible_block(source).unwrap_or(0);
            let below = || pane.blocks().iter().skip(at);
            let turn = below().find_map(spoken_turn);
            turn.or_else(|| below().find_map(Block::turn)).cloned()
        };
    }

    /// Goes to the first turn that was found unsafe.
    pub(super) fn go_to_first_unsafe(&mut self) -> Vec<Effect> {
        let unsafe_turn = first_unsafe(&self.order, &self.glances);
        match unsafe_turn.cloned() {
            Some(turn) => {
                self.go_to_turn(turn);
                Vec::new()
            }
            None => say_notice("nothing here was found unsafe"),
        }
    }

    /// Goes to the next turn on which findings disagree: between judges, between rules, or with the
    /// same seat's turn before.
    pub(super) fn go_to_disagreement(&mut self) -> Vec<Effect> {
        let from = self.cursor_index().map_or(0, |at| at + 1);
        let next_turn = self
            .order
            .iter()
            .skip(from)
            .find(|turn| is_disputed(&self.source.state, &self.glances, turn));
        match next_turn.cloned() {
            Some(turn) => {
                self.go_to_turn(turn);
                Vec::new()
            }
            None => {
                say_notice("no further turn on which judges disagree, or debaters of one round")
            }
        }
    }

    /// Opens the search line.
    pub(super) fn begin_search(&mut self) {
        self.search = Some(PaneSearch {
            line: LineInput::default(),
            typing: true,
            hits: Vec::new(),
            at: 0,
        });
    }

    /// Takes a key while the search line is typed.
    pub(super) fn handle_search_key(&mut self, key: KeyEvent) -> Vec<Effect> {
        let Some(search) = &mut self.search else {
            return Vec::new();
        };
        match key.code {
            KeyCode::Esc => {
                self.search = None;
                Vec::new()
            }
            KeyCode::Enter => {
                search.typing = false;
                self.run_search()
            }
            _ => {
                search.line.handle_key(key);
                Vec::new()
            }
        }
    }

    /// Takes a paste into the search line, if one is open.
    pub(super) fn paste_into_search(&mut self, text: &str) -> bool {
        match &mut self.search {
            Some(search) if search.typing => {
                search.line.paste_text(text);
                true
            }
            Some(_) | None => false,
        }
    }

    fn run_search(&mut self) -> Vec<Effect> {
        let Some(mut search) = self.search.take() else {
            return Vec::new();
        };
        if search.query().trim().is_empty() {
            return Vec::new();
        }
        let text = search.query().to_owned();
        let visible_panes = self.arrangement.view.list_panes(&self.chart);
        search.hits = self
            .panes
            .iter_mut()
            .filter(|(pane, _)| visible_panes.contains(pane))
            .flat_map(|(pane, scroll)| {
                let places = scroll.find_text(&text, &self.source);
                places.into_iter().map(|(block, line)| PaneMatch {
                    pane: pane.clone(),
                    block,
                    line,
                })
            })
            .take(MAX_HITS)
            .collect();
        search.at = 0;
        self.search = Some(search);
        self.show_hit();
        Vec::new()
    }

    /// Goes to another match.
    pub(super) fn go_to_hit(&mut self, by: isize) {
        if let Some(search) = &mut self.search {
            search.at = wrap_index(search.at, by, search.hits.len());
        }
        self.show_hit();
    }

    fn show_hit(&mut self) {
        let hit = self
            .search
            .as_ref()
            .and_then(|search| search.hits.get(search.at).cloned());
        let Some(hit) = hit else { return };
        self.arrangement.focus = hit.pane.clone();
        if let Some(pane) = self.panes.get_mut(&hit.pane) {
            pane.show_line(hit.block, hit.line, &self.source);
            if let Some(turn) = pane.blocks().get(hit.block).and_then(Block::turn) {
                self.cursor = Some(turn.clone());
            }
        }
        self.lead_row(&hit.pane);
    }

    /// Changes the share of the focused pane in the width.
    pub(super) fn widen_pane(&mut self, by: i16) {
        if let Pane::Chair(chair) = &self.arrangement.focus {
            let share = self.arrangement.shares.entry(chair.clone()).or_insert(EVEN);
            *share = share.saturating_add_signed(by).clamp(2, 3 * EVEN);
        }
    }
}

/// Distance of scrolling.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Scrolling {
    Lines(isize),
    /// Halves of a pane.
    Pages(isize),
    Top,
    Bottom,
}

fn spoken_turn(block: &Block) -> Option<&TurnId> {
    match block {
        Block::Turn(turn) => Some(turn),
        _ => None,
    }
}
