//! List of prompt comparisons, newest first.

use super::{show_report, tasks};
use crate::tui::app::{DrawContext, Effect, Screen, Update, fail};
use crate::tui::keys::{Action, Context};
use crate::tui::theme::Role;
use crate::tui::widgets::{Focus, ListCursor, Paragraph, StyledLine, draw_text, frame};
use elenchus_run::experiments::prompt_ab::AbState;
use elenchus_text::{Keep, visible};
use ratatui::buffer::Buffer;
use ratatui::layout::{Position, Rect};

/// Rows that one comparison takes.
const EACH: u16 = 2;

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

    /// Returns what is said where there is nothing to choose from.
    fn empty(&self) -> Option<Paragraph> {
        match &self.known {
            None => Some(Paragraph::of(Role::Muted, "reading comparisons")),
            Some(known) if known.is_empty() => Some(Paragraph::of(
                Role::Notice,
                "no prompts were compared yet: the editor of a prompt compares its text with \
                 another one",
            )),
            Some(_) => None,
        }
    }

    /// Returns the two lines of a comparison; what is longer is cut, so that each is found.
    fn lines(&self, at: usize) -> Vec<StyledLine> {
        let known = self.known.as_ref().and_then(|known| known.get(at));
        let (title, role, about) = match known {
            Some(Ok(state)) => (state.title(), Role::Muted, state.about()),
            Some(Err(why)) => {
                let title = "a comparison that cannot be read".to_owned();
                (title, Role::Error, why.clone())
            }
            None => return Vec::new(),
        };
        let mut about = StyledLine::of(role, visible(&about, Keep::Nothing));
        about.indent = 2;
        let title = StyledLine::of(Role::Text, visible(&title, Keep::Nothing));
        vec![title, about]
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
        let title = "Comparisons of prompts";
        let inner = frame(area, buffer, brush.look, title, Focus::Focused);
        if let Some(empty) = self.empty() {
            draw_text(buffer, inner, brush.look, &[empty]);
            return None;
        }
        self.rows
            .draw_tall(buffer, inner, brush, EACH, |at| self.lines(at));
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
