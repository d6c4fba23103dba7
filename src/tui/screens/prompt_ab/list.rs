//! List of prompt comparisons, newest first.

use super::report_text::{progress, roll_words};
use super::show_report;
use crate::experiments::prompt_ab::AbState;
use crate::tui::app::{Deed, DrawContext, Effect, Screen, Told, TryDeed, TryTold};
use crate::tui::keys::{Action, Context};
use crate::tui::screens::rows::row;
use crate::tui::terminal::Paste;
use crate::tui::theme::{Look, Role};
use crate::tui::widgets::Paragraph;
use crate::tui::widgets::lay_out;
use crate::tui::widgets::{Focus, ListCursor, above_status, frame};
use ratatui::buffer::Buffer;
use ratatui::crossterm::event::KeyEvent;
use ratatui::layout::{Position, Rect};
use std::sync::Arc;

/// Rows that one comparison takes.
const EACH: usize = 2;

/// The list of comparisons.
pub struct ComparisonList {
    known: Option<Arc<Vec<Result<AbState, String>>>>,
    rows: ListCursor,
}

impl ComparisonList {
    /// The list, and what it wants to have read.
    pub fn new() -> (Self, Effect) {
        let screen = Self {
            known: None,
            rows: ListCursor::new(0),
        };
        (screen, Effect::Do(Deed::Try(TryDeed::ListComparisons)))
    }

    fn open(&self) -> Vec<Effect> {
        let known = self.known.as_ref();
        let chosen = known.and_then(|known| known.get(self.rows.chosen()?));
        match chosen {
            Some(Ok(state)) => show_report(state.manifest.id.clone()),
            Some(Err(why)) => vec![Effect::Say(Role::Error, why.clone())],
            None => Vec::new(),
        }
    }

    fn listed(&self, look: &Look) -> Vec<Paragraph> {
        let Some(known) = &self.known else {
            return vec![Paragraph::of(Role::Muted, "reading comparisons")];
        };
        if known.is_empty() {
            let text = "no prompts were compared yet: the editor of a prompt compares its text with \
                        another one";
            return vec![Paragraph::of(Role::Notice, text)];
        }
        let chosen = self.rows.chosen();
        let lines = known.iter().enumerate().flat_map(|(at, known)| {
            let is_here = chosen == Some(at);
            let mark = if is_here { look.glyphs().cursor } else { " " };
            let role = if is_here { Role::Selection } else { Role::Text };
            match known {
                Ok(state) => [
                    Paragraph::of(role, format!("{mark}{}", title(state))),
                    Paragraph::of(Role::Muted, about(state)).indented(3, 3),
                ],
                Err(why) => [
                    Paragraph::of(role, format!("{mark}a comparison that cannot be read")),
                    Paragraph::of(Role::Error, why.clone()).indented(3, 3),
                ],
            }
        });
        lines.collect()
    }
}

no_own_messages!(ComparisonList);

impl Screen for ComparisonList {
    fn context(&self) -> Context {
        Context::PromptsCompared
    }

    fn is_typing(&self) -> bool {
        false
    }

    fn act(&mut self, action: Action) -> Vec<Effect> {
        self.rows.act(action);
        // The table of keys offers this screen a part of all actions; it needs no others.
        match action {
            Action::Back => vec![Effect::Leave],
            Action::Open => self.open(),
            Action::Interrupt => vec![Effect::Quit],
            _ => Vec::new(),
        }
    }

    fn typed(&mut self, _key: KeyEvent) -> Vec<Effect> {
        Vec::new()
    }

    fn pasted(&mut self, _paste: &Paste) -> Vec<Effect> {
        super::say("nothing is typed here")
    }

    fn told(&mut self, told: &Told) -> Vec<Effect> {
        match told {
            Told::Try(TryTold::Comparisons(known)) => {
                self.rows.set_len(known.len());
                self.known = Some(Arc::clone(known));
                Vec::new()
            }
            _ => Vec::new(),
        }
    }

    fn draw(
        &mut self,
        buffer: &mut Buffer,
        area: Rect,
        brush: DrawContext<'_>,
    ) -> Option<Position> {
        let area = above_status(area);
        let title = "Comparisons of prompts";
        let inner = frame(area, buffer, brush.look, title, Focus::Focused);
        // Each takes as many rows, so that they are found: what is longer is cut.
        let lines: Vec<_> = self
            .listed(brush.look)
            .iter()
            .filter_map(|line| {
                let lines = lay_out(std::slice::from_ref(line), inner.width.into());
                lines.into_iter().next()
            })
            .collect();
        let fit = usize::from(inner.height) / EACH;
        let top = self.rows.top(u16::try_from(fit).unwrap_or(u16::MAX)) * EACH;
        for (y, line) in (inner.y..inner.bottom()).zip(lines.iter().skip(top)) {
            line.put(buffer, row(inner, y), brush.look);
        }
        None
    }

    fn status(&self) -> String {
        match self.rows.len() {
            0 => String::new(),
            1 => "1 comparison".to_owned(),
            all => format!("{all} comparisons, newest first"),
        }
    }

    fn hints(&self) -> Vec<Action> {
        vec![Action::Open, Action::Back]
    }

    fn returned(&mut self) -> Vec<Effect> {
        vec![Effect::Do(Deed::Try(TryDeed::ListComparisons))]
    }
}

fn title(state: &AbState) -> String {
    let [a, b] = &state.manifest.arms;
    format!("{}: {} against {}", state.manifest.template, a.name, b.name)
}

fn about(state: &AbState) -> String {
    let end = match (&state.paused, state.completed) {
        (Some(why), _) => format!("paused: {why}"),
        (None, true) => "complete".to_owned(),
        (None, false) => "not played to its end".to_owned(),
    };
    let roll = roll_words(state.manifest.roll);
    format!("{}, {roll}, {end} · {}", progress(state), state.manifest.id)
}
