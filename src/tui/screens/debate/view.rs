//! Drawing of the debate screen: roles here, geometry from `layout`.

use super::Debate;
use super::actions::debate_key;
use super::dialog::DebateText;
use super::layout::{Places, place_panes};
use super::mark_legend::MarkLegend;
use super::pane_list::Pane;
use super::timeline::{self, TurnsOfDebate};
use super::verdict_rail::Rail;
use crate::tui::app::DrawContext;
use crate::tui::keys::Action;
use crate::tui::theme::{Look, Role};
use crate::tui::widgets::{
    Content, Focus, StyledLine, body_and_foot, draw_at_right, draw_frame, draw_label, draw_line,
    draw_lines, draw_tabs, draw_text, fill_area, prose_paragraphs,
};
use elenchus_view::debate_text::Block;
use ratatui::buffer::Buffer;
use ratatui::layout::{Constraint, Layout, Margin, Position, Rect};

/// Cells between the timeline and the legend of its marks, at least.
const LEGEND_GAP: usize = 3;

impl Debate {
    /// Draws the screen.
    pub(super) fn draw_debate(
        &mut self,
        buffer: &mut Buffer,
        area: Rect,
        context: DrawContext<'_>,
    ) -> Option<Position> {
        let look = context.look;
        self.area = area;
        self.settle_view();
        let is_masked = context.content == Content::Masked;
        let retry = context.spell_keys(&debate_key(Action::Retry).to_string());
        if self.source.show.masked != is_masked || self.source.retry != retry {
            self.source.show.masked = is_masked;
            self.source.retry = retry;
            for pane in self.panes.values_mut() {
                pane.forget_wrapping();
            }
        }
        self.source.streams.set_content(context.content);
        self.source.streams.set_time(context.now);
        if !self.empty.is_empty() {
            let message = area.inner(Margin::new(1, 1));
            draw_text(
                buffer,
                message,
                look,
                &prose_paragraphs(Role::Notice, 0, &self.empty),
            );
            return None;
        }
        let places = place_panes(&self.chart, area, &self.arrangement);
        self.draw_header(buffer, places.header, look, context.content);
        self.draw_pane_tabs(buffer, &places, look);
        let order = self.arrangement.view.list_panes(&self.chart);
        let position_of = |pane: &Pane| order.iter().position(|one| one == pane).unwrap_or(0);
        let focus_index = position_of(&self.arrangement.focus);
        let framed = places.tabs.is_none();
        let texts = places.panes.iter().map(|(pane, area)| {
            let [_, text] = split_pane(*area, framed);
            (pane.clone(), text)
        });
        self.update_panes(&texts.collect::<Vec<_>>());
        for (pane, area) in &places.panes {
            context
                .rows
                .note_pane(*area, position_of(pane), focus_index);
            self.draw_pane(buffer, pane, *area, look, framed);
        }
        let debate_turns = TurnsOfDebate {
            spoken: &self.order,
            failed: self.source.state.failures(),
            coming: &self.coming,
        };
        let timeline = timeline::lay_out_timeline(
            debate_turns,
            &self.source.streams,
            &self.glances,
            self.cursor.as_ref(),
            usize::from(places.timeline.width),
            look,
        );
        timeline.line.draw(buffer, places.timeline, look);
        if let Some(protocol) = self.source.state.protocol() {
            let legend = MarkLegend::new(look, protocol.measures);
            let streams = &self.source.streams;
            let legend = legend.of_timeline(timeline.visible, streams, &self.glances);
            let used = timeline.line.count_cells() + LEGEND_GAP;
            let room = usize::from(places.timeline.width).saturating_sub(used);
            if let Some(legend) = legend.lay_out(room) {
                draw_at_right(buffer, places.timeline, look, &legend);
            }
        }
        self.draw_overlay(buffer, area, context)
    }

    fn draw_header(&self, buffer: &mut Buffer, area: Rect, look: &Look, content: Content) {
        let Some(creation) = self.source.state.first_event() else {
            return;
        };
        let mut line = StyledLine::from_runs(vec![(Role::Strong, creation.protocol.id.clone())]);
        if creation.is_simulated() {
            line.runs.push((Role::Simulated, " simulated".to_owned()));
        }
        if !self.source.state.forked_from().is_empty() {
            line.runs.push((Role::Accent, " fork".to_owned()));
        }
        if self.is_imported {
            line.runs.push((Role::Accent, " imported".to_owned()));
        }
        line.runs.push((Role::Muted, " · ".to_owned()));
        let used = u16::try_from(line.text().chars().count()).unwrap_or(u16::MAX);
        line.draw(buffer, area, look);
        let topic = content.show_or_mask(creation.topic.text.lines().next().unwrap_or_default());
        let at = Position::new(area.x.saturating_add(used), area.y);
        draw_line(
            buffer,
            at,
            area.width.saturating_sub(used),
            &topic,
            look.style(Role::FromTopic),
            look,
        );
    }

    fn draw_pane_tabs(&self, buffer: &mut Buffer, places: &Places, look: &Look) {
        let Some(area) = places.tabs else { return };
        let panes = self.arrangement.view.list_panes(&self.chart);
        let names: Vec<String> = panes.iter().map(|pane| self.pane_name(pane)).collect();
        let at = panes
            .iter()
            .position(|pane| *pane == self.arrangement.focus)
            .unwrap_or(0);
        draw_tabs(buffer, area, look, &names, at, "");
    }

    fn draw_pane(
        &mut self,
        buffer: &mut Buffer,
        pane: &Pane,
        area: Rect,
        look: &Look,
        framed: bool,
    ) {
        let focus = if self.arrangement.focus == *pane {
            Focus::Focused
        } else {
            Focus::Unfocused
        };
        if framed {
            draw_frame(area, buffer, look, &self.pane_name(pane), focus);
        }
        if *pane == Pane::Rail {
            return self.draw_rail(buffer, inside_frame(area, framed), look);
        }
        let cursor = self.cursor.clone();
        let source = &self.source;
        let Some(scroll) = self.panes.get_mut(pane) else {
            return;
        };
        let [mark, text] = split_pane(area, framed);
        // A stopped reply stands above the turn that is open again: the lower one is meant.
        let is_here = |block: &&Block| block.turn().is_some() && block.turn() == cursor.as_ref();
        let here = scroll.blocks().iter().rev().find(is_here).cloned();
        let mut rows = text.rows();
        scroll.each_visible(source, |block, at, line| {
            let Some(row) = rows.next() else { return };
            // Of a turn whose heading is above the pane the first line in sight is marked.
            let is_first = at == 0 || row.y == text.y;
            if is_first && here.as_ref() == Some(block) {
                let style = look.style(Role::Cursor);
                buffer.set_stringn(mark.x, row.y, look.glyphs().cursor, 1, style);
            }
            line.draw(buffer, row, look);
        });
    }

    fn draw_rail(&mut self, buffer: &mut Buffer, inner: Rect, look: &Look) {
        let height = usize::from(inner.height);
        let width = usize::from(inner.width);
        let rail = Rail {
            state: &self.source.state,
            glances: &self.glances,
            labelled: self.source.notes.labels(),
            cursor: self.cursor.as_ref(),
            look,
        };
        let details = rail.cursor.map(|turn| rail.lay_out_details(turn, width));
        let details = details.unwrap_or_default();
        let most = (self.board.line_count() + details.len()).saturating_sub(height);
        // The cursor's round is in sight unless the rail is scrolled by hand.
        let top_line = match (&self.cursor, &self.arrangement.focus) {
            (Some(cursor), pane) if *pane != Pane::Rail => {
                let round = usize::try_from(cursor.round).unwrap_or(0);
                (round + 1).saturating_sub(height)
            }
            _ => self.rail_top,
        };
        self.rail_top = top_line.min(most);
        let visible = self.rail_top..self.rail_top + height;
        let mut lines = rail.lay_out_lines(&self.board, width, visible.clone());
        let above = self.rail_top.saturating_sub(self.board.line_count());
        lines.extend(details.into_iter().skip(above));
        let legend = rail.lay_out_legend(&self.board, width, visible);
        if let Some(legend) = legend.filter(|_| lines.len() + 1 < height) {
            lines.resize(height - 1, StyledLine::default());
            lines.push(legend);
        }
        draw_lines(buffer, inner, look, &lines);
    }

    fn draw_overlay(
        &mut self,
        buffer: &mut Buffer,
        area: Rect,
        context: DrawContext<'_>,
    ) -> Option<Position> {
        let look = context.look;
        if let Some(search) = self.search.as_ref().filter(|search| search.is_typing()) {
            let [_, row] = body_and_foot(area, 1);
            fill_area(row, buffer, look);
            let line = draw_label(buffer, row, look, Role::KeyHint, "search: ");
            return Some(search.line.draw(line, buffer, look, Role::Text));
        }
        self.draw_read_above(buffer, DebateText::area_above(area), context);
        if let Some(writing) = &self.writing {
            return Some(writing.draw(area, buffer, context));
        }
        self.dialog.as_ref()?.draw(area, buffer, context)
    }
}

/// Returns what is inside of a pane's frame, where it has one.
fn inside_frame(area: Rect, framed: bool) -> Rect {
    match framed {
        true => area.inner(Margin::new(1, 1)),
        false => area,
    }
}

/// Returns the column of the cursor and the area of the text of a pane.
fn split_pane(area: Rect, framed: bool) -> [Rect; 2] {
    let columns = [Constraint::Length(1), Constraint::Fill(1)];
    Layout::horizontal(columns).areas(inside_frame(area, framed))
}
