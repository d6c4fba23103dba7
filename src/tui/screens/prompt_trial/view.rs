//! Drawing of the prompt trial: the prompt and turn, a strip of all samples, and columns below.

use super::column::TrialLayout;
use super::sample::{TrialSample, found_on};
use super::{Try, column};
use crate::debate::event::Outcome;
use crate::tui::app::DrawContext;
use crate::tui::theme::{Look, Role};
use crate::tui::widgets::{ColumnHead, Paragraph, StyledLine, cells, draw_text};
use crate::workspace::debate_blocks::{label, role_of};
use ratatui::buffer::Buffer;
use ratatui::layout::{Constraint, Layout, Position, Rect};

/// A narrower column is hard to read next to another.
pub(super) const MIN_COLUMN: u16 = 46;
/// Space between two tabs of the strip, so that a result does not run into the next number.
const TAB_GAP: &str = "  ";

impl Try {
    pub(crate) fn paint(
        &mut self,
        buffer: &mut Buffer,
        area: Rect,
        brush: DrawContext<'_>,
    ) -> Option<Position> {
        let look = brush.look;
        let rows = [
            Constraint::Length(1),
            Constraint::Length(1),
            Constraint::Fill(1),
            Constraint::Length(1),
        ];
        let [head, strip, body, foot] = Layout::vertical(rows).areas(area);
        draw_text(buffer, head, look, &[self.heading()]);
        draw_text(
            buffer,
            foot,
            look,
            &[Paragraph::of(Role::Muted, self.foot())],
        );
        let Some(card) = self.card.clone() else {
            let empty = Paragraph::of(Role::Notice, self.empty.clone()).indented(1, 1);
            draw_text(buffer, body, look, &[empty]);
            return None;
        };
        self.strip(strip.width.into(), look)
            .put(buffer, strip, look);
        self.draw_columns(buffer, body, brush);
        let asking = self.asking.as_ref()?;
        asking.draw(area, buffer, brush, &card)
    }

    fn draw_columns(&mut self, buffer: &mut Buffer, area: Rect, brush: DrawContext<'_>) {
        let mut columns = std::mem::take(&mut self.columns);
        let shown = columns.in_sight(area.width);
        let held = match shown.len() {
            0 | 1 => TrialLayout::Woven,
            _ => TrialLayout::Beside,
        };
        // The sample under the cursor, or else the first one in sight.
        let first = shown.get(1).copied();
        let against = Some(columns.cursor()).filter(|at| *at > 0).or(first);
        if (self.held, self.against) != (held, against) {
            (self.held, self.against) = (held, against);
            columns.forget();
        }
        let head = |at: usize| {
            let sample = at.checked_sub(1).and_then(|at| self.samples.get(at));
            ColumnHead {
                title: sample.map_or_else(
                    || "recorded".to_owned(),
                    |sample| format!("sample {}", self.title_of(sample)),
                ),
                grows: sample.is_some_and(|sample| !sample.coming.is_empty()),
            }
        };
        columns.draw(buffer, area, brush, head, |at| self.page(at));
        self.columns = columns;
    }

    fn page(&self, at: usize) -> Vec<Paragraph> {
        let Some(card) = &self.card else {
            return Vec::new();
        };
        let turn = &self.wish.turn;
        match at.checked_sub(1).and_then(|at| self.samples.get(at)) {
            Some(sample) => {
                let how = (self.held, self.show);
                column::sample(sample, &card.recorded, turn, how)
            }
            None => {
                let other = match self.held {
                    TrialLayout::Beside => {
                        let against = self.against.and_then(|at| at.checked_sub(1));
                        against.and_then(|at| self.samples.get(at))
                    }
                    TrialLayout::Woven => None,
                };
                column::recorded(&card.recorded, turn, other, self.show)
            }
        }
    }

    fn heading(&self) -> Paragraph {
        let turn = &self.wish.turn;
        let mut line = Paragraph::of(Role::Strong, format!("try {turn}"));
        // Before what a narrow screen cuts off.
        if self.is_simulated() {
            line = line.and(Role::Simulated, " SIMULATED");
        }
        if let Some(card) = &self.card {
            let protocol = card.recorded.protocol();
            let name = protocol.map(|protocol| protocol.name_of(&turn.chair));
            line = line.and(Role::Muted, format!(" · {}", name.unwrap_or_default()));
        }
        let with = match &self.wish.change {
            Some(change) => format!(" · {} as in {}", change.template, change.named),
            None => " · the prompt as it was recorded".to_owned(),
        };
        line.and(Role::Muted, with)
    }

    fn foot(&self) -> String {
        let how = match (self.show.difference, self.samples.is_empty()) {
            (true, false) => "; marked: what differs from the recorded reply",
            (true | false, _) => "",
        };
        format!("one step off the recorded path: the session is as it was{how}")
    }

    /// Returns what a sample is called: its number, and what was found on it.
    pub(super) fn title_of(&self, sample: &TrialSample) -> String {
        let found = self.found_on(sample);
        let found = found.map(|found| format!(" · {}", label(&found)));
        let adopted = if sample.adopted { " · adopted" } else { "" };
        format!(
            "{}{}{adopted}",
            sample.number + 1,
            found.unwrap_or_default()
        )
    }

    fn found_on(&self, sample: &TrialSample) -> Option<Outcome> {
        let (id, _) = sample.attempt(&self.wish.turn)?;
        let found = found_on(&sample.state, &id);
        found.into_iter().next().map(|(_, outcome)| outcome)
    }

    /// The strip of all columns, with the one under the cursor on it.
    fn strip(&self, width: usize, look: &Look) -> StyledLine {
        let mut tabs = vec![self.tab_of_recorded()];
        tabs.extend(self.samples.iter().map(|sample| self.tab(sample)));
        let widths: Vec<usize> = tabs
            .iter()
            .map(|(name, found, _)| 1 + cells(name) + cells(found) + TAB_GAP.len())
            .collect();
        let mut from = 0;
        let used = |from: usize| -> usize {
            let until = self.columns.cursor().saturating_add(1);
            widths.get(from..until).map_or(0, |some| some.iter().sum())
        };
        while used(from) > width && from < self.columns.cursor() {
            from += 1;
        }
        let mut runs = Vec::new();
        for (at, (number, found, role)) in tabs.into_iter().enumerate().skip(from) {
            let is_here = at == self.columns.cursor();
            let mark = if is_here { look.glyphs().focus } else { " " };
            let name = if is_here { Role::Strong } else { Role::Muted };
            runs.push((name, format!("{mark}{number}")));
            runs.push((role, found));
            runs.push((Role::Text, TAB_GAP.to_owned()));
        }
        StyledLine { indent: 0, runs }
    }

    fn tab_of_recorded(&self) -> (String, String, Role) {
        let found = self.card.as_ref().and_then(|card| {
            let (id, _) = card.recorded.chosen(&self.wish.turn)?;
            found_on(&card.recorded, &id).into_iter().next()
        });
        let (found, role) = match found {
            Some((_, outcome)) => (format!(": {}", label(&outcome)), role_of(&outcome)),
            None => (String::new(), Role::Muted),
        };
        ("recorded".to_owned(), found, role)
    }

    fn tab(&self, sample: &TrialSample) -> (String, String, Role) {
        let (found, role) = match self.found_on(sample) {
            Some(outcome) => (label(&outcome), role_of(&outcome)),
            None if !sample.is_over() => ("speaking".to_owned(), Role::Streaming),
            None if sample.attempt(&self.wish.turn).is_none() => ("none".to_owned(), Role::Error),
            None => self.followed_by(sample),
        };
        ((sample.number + 1).to_string(), format!(": {found}"), role)
    }

    /// Findings on the turns that followed, for a seat that is never judged.
    fn followed_by(&self, sample: &TrialSample) -> (String, Role) {
        let followed = sample.followed(&self.wish.turn);
        let found = followed.iter().flat_map(|id| found_on(&sample.state, id));
        let roles: Vec<Role> = found.map(|(_, outcome)| role_of(&outcome)).collect();
        let bad = roles.iter().filter(|role| **role == Role::Unsafe).count();
        match (roles.len(), bad) {
            (0, _) => ("not judged".to_owned(), Role::Muted),
            (all, 0) => (format!("0 of {all} judged unsafe"), Role::Safe),
            (all, bad) => (format!("{bad} of {all} judged unsafe"), Role::Unsafe),
        }
    }
}
