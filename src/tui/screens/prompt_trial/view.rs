//! Drawing of the prompt trial: the prompt and turn, a strip of all samples, and columns below.

use super::Try;
use super::column;
use super::column::TrialLayout;
use super::sample::{TrialSample, found_on};
use crate::debate::event::Outcome;
use crate::tui::app::DrawContext;
use crate::tui::screens::debate::{label, role_of};
use crate::tui::screens::rows::row;
use crate::tui::theme::{Look, Role};
use crate::tui::widgets::Paragraph;
use crate::tui::widgets::{Focus, cells, frame};
use crate::tui::widgets::{StyledLine, WrappedText, lay_out};
use ratatui::buffer::Buffer;
use ratatui::layout::{Position, Rect};

/// A narrower column is hard to read next to another.
const MIN_COLUMN: u16 = 46;
/// Columns side by side, at most.
const MAX_COLUMNS: u16 = 4;
/// Rows over the columns: what is tried, and the strip.
const HEAD: u16 = 2;
const FOOT: u16 = 1;
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
        let width = usize::from(area.width);
        if let Some(line) = lay_out(&[self.heading()], width).first() {
            line.put(buffer, row(area, area.y), look);
        }
        let foot = Paragraph::of(Role::Muted, self.foot());
        if let Some(line) = lay_out(&[foot], width).first() {
            let y = area.bottom().saturating_sub(FOOT);
            line.put(buffer, row(area, y), look);
        }
        let body = Rect {
            y: area.y + HEAD.min(area.height),
            height: area.height.saturating_sub(HEAD + FOOT),
            ..area
        };
        let Some(card) = self.card.clone() else {
            let empty = [Paragraph::of(Role::Notice, self.empty.clone()).indented(1, 1)];
            for (y, line) in (body.y..body.bottom()).zip(lay_out(&empty, width)) {
                line.put(buffer, row(body, y), look);
            }
            return None;
        };
        let strip = self.strip(width, look);
        strip.put(buffer, row(area, area.y + 1), look);
        let shown = self.shown(body.width);
        let held = match shown.len() {
            0 | 1 => TrialLayout::Woven,
            _ => TrialLayout::Beside,
        };
        // What the recorded reply is held against changes with the cursor.
        if (self.held, self.against) != (held, self.cursor) {
            (self.held, self.against) = (held, self.cursor);
            self.wrapped.clear();
        }
        let count = u16::try_from(shown.len()).unwrap_or(1).max(1);
        let each = body.width / count;
        for (place, at) in (0..count).zip(shown) {
            let column = Rect {
                x: body.x + place * each,
                width: each,
                ..body
            };
            self.column(buffer, column, at, look);
        }
        let asking = self.asking.as_ref()?;
        asking.draw(area, buffer, look, &card)
    }

    /// Returns the columns that are shown: the recorded one first where there is room for two.
    fn shown(&mut self, width: u16) -> Vec<usize> {
        let fit = (width / MIN_COLUMN).clamp(1, MAX_COLUMNS);
        if fit == 1 || self.samples.is_empty() {
            return vec![self.cursor];
        }
        let beside = usize::from(fit - 1).min(self.samples.len());
        let here = self.cursor.max(1);
        self.first = self.first.clamp(1, here);
        self.first = self.first.max((here + 1).saturating_sub(beside));
        let last = (self.samples.len() + 1).saturating_sub(beside);
        self.first = self.first.min(last.max(1));
        let samples = self.first..self.first + beside;
        std::iter::once(0).chain(samples).collect()
    }

    fn column(&mut self, buffer: &mut Buffer, area: Rect, at: usize, look: &Look) {
        let focus = if at == self.cursor {
            Focus::Focused
        } else {
            Focus::Unfocused
        };
        let sample = at.checked_sub(1).and_then(|at| self.samples.get(at));
        let title = match sample {
            Some(sample) => format!("sample {}", self.title_of(sample)),
            None => "recorded".to_owned(),
        };
        let is_coming = sample.is_some_and(|sample| !sample.coming.is_empty());
        let inner = frame(area, buffer, look, &title, focus);
        self.height = usize::from(inner.height);
        let width = usize::from(inner.width);
        if !self.wrapped.contains_key(&(at, width)) {
            let lines = WrappedText::of(&self.page(at), width);
            self.wrapped.insert((at, width), lines);
        }
        let Some(lines) = self.wrapped.get(&(at, width)) else {
            return;
        };
        // What is coming is followed at its end.
        let from = if is_coming {
            lines.len().saturating_sub(self.height)
        } else {
            self.scroll.min(lines.len().saturating_sub(1))
        };
        for (y, line) in (inner.y..inner.bottom()).zip(lines.lines_from(from)) {
            line.put(buffer, row(inner, y), look);
        }
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
                    TrialLayout::Beside => self.here().or(self.samples.get(self.first.max(1) - 1)),
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
            let until = self.cursor.saturating_add(1);
            widths.get(from..until).map_or(0, |some| some.iter().sum())
        };
        while used(from) > width && from < self.cursor {
            from += 1;
        }
        let mut runs = Vec::new();
        for (at, (number, found, role)) in tabs.into_iter().enumerate().skip(from) {
            let is_here = at == self.cursor;
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
