//! List of prompt comparisons, newest first.

use super::report_text::{progress, roll_words};
use super::{show_report, tasks};
use crate::experiments::prompt_ab::AbState;
use crate::tui::app::{DrawContext, Effect, Screen, Update, fail};
use crate::tui::keys::{Action, Context};
use crate::tui::screens::rows::row;
use crate::tui::theme::{Look, Role};
use crate::tui::widgets::Paragraph;
use crate::tui::widgets::lay_out;
use crate::tui::widgets::{Focus, ListCursor, above_status, frame};
use ratatui::buffer::Buffer;
use ratatui::layout::{Position, Rect};

/// Rows that one comparison takes.
const EACH: usize = 2;

/// Comparisons, newest first; those that cannot be read come with the reason.
pub type KnownComparisons = Vec<Result<AbState, String>>;

/// The list of comparisons.
#[derive(Default)]
pub struct ComparisonList {
    known: Option<KnownComparisons>,
    rows: ListCursor,
}

impl ComparisonList {
    fn open(&self) -> Vec<Effect> {
        let known = self.known.as_ref();
        let chosen = known.and_then(|known| known.get(self.rows.chosen()?));
        match chosen {
            Some(Ok(state)) => show_report(state.manifest.id.clone()),
            Some(Err(why)) => fail(why.clone()),
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

impl Update for ComparisonList {
    type Message = KnownComparisons;

    fn update(&mut self, known: KnownComparisons) -> Vec<Effect> {
        self.rows.set_len(known.len());
        self.known = Some(known);
        Vec::new()
    }
}

impl Screen for ComparisonList {
    fn context(&self) -> Context {
        Context::PromptsCompared
    }

    fn opened(&mut self) -> Vec<Effect> {
        vec![Effect::Start(tasks::list())]
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
        match self.rows.count() {
            0 => String::new(),
            1 => "1 comparison".to_owned(),
            all => format!("{all} comparisons, newest first"),
        }
    }

    fn hints(&self) -> Vec<Action> {
        vec![Action::Open, Action::Back]
    }

    fn returned(&mut self) -> Vec<Effect> {
        self.opened()
    }
}

fn title(state: &AbState) -> String {
    let [a, b] = &state.manifest.plan.arms;
    format!(
        "{}: {} against {}",
        state.manifest.plan.template, a.name, b.name
    )
}

fn about(state: &AbState) -> String {
    let end = match (&state.paused, state.completed) {
        (Some(why), _) => format!("paused: {why}"),
        (None, true) => "complete".to_owned(),
        (None, false) => "not played to its end".to_owned(),
    };
    let roll = roll_words(state.manifest.plan.roll);
    format!("{}, {roll}, {end} · {}", progress(state), state.manifest.id)
}
