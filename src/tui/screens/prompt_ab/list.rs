//! List of prompt comparisons, newest first.

use super::{show_report, tasks};
use crate::tui::app::{DrawContext, Effect, Screen, Update, say_error, say_notice};
use crate::tui::keys::{Action, Context};
use crate::tui::theme::Role;
use crate::tui::widgets::{Focus, ListCursor, Paragraph, StyledLine, draw_frame, draw_text};
use elenchus_run::experiments::prompt_ab::AbState;
use elenchus_text::{Keep, make_visible};
use ratatui::buffer::Buffer;
use ratatui::layout::{Position, Rect};

/// Rows that one comparison takes.
const EACH: u16 = 2;

/// Comparisons, newest first; those that cannot be read come with the reason.
pub type KnownComparisons = Vec<Result<AbState, String>>;

/// The list of comparisons.
#[derive(Default)]
pub struct ComparisonList {
    comparisons: Option<KnownComparisons>,
    rows: ListCursor,
}

impl ComparisonList {
    fn open_report(&self) -> Vec<Effect> {
        let comparisons = self.comparisons.as_ref();
        let comparison = comparisons.and_then(|known| known.get(self.rows.selected_row()?));
        match comparison {
            Some(Ok(state)) => show_report(state.manifest.id.clone()),
            Some(Err(why)) => say_error(why.clone()),
            None => Vec::new(),
        }
    }

    /// Returns what is said where there is nothing to choose from.
    fn describe_empty(&self) -> Option<Paragraph> {
        match &self.comparisons {
            None => Some(Paragraph::new(Role::Muted, "reading comparisons")),
            Some(known) if known.is_empty() => Some(Paragraph::new(
                Role::Notice,
                "no prompts were compared yet: the editor of a prompt compares its text with \
                 another one",
            )),
            Some(_) => None,
        }
    }

    /// Returns the two lines of a comparison; what is longer is cut, so that each is found.
    fn lay_out_comparison(&self, at: usize) -> Vec<StyledLine> {
        let entry = self.comparisons.as_ref().and_then(|known| known.get(at));
        let (title, role, about) = match entry {
            Some(Ok(state)) => (state.title(), Role::Muted, state.describe()),
            Some(Err(why)) => {
                let title = "a comparison that cannot be read".to_owned();
                (title, Role::Error, why.clone())
            }
            None => return Vec::new(),
        };
        let mut about = StyledLine::from_text(role, make_visible(&about, Keep::Nothing));
        about.indent = 2;
        let title = StyledLine::from_text(Role::Text, make_visible(&title, Keep::Nothing));
        vec![title, about]
    }
}

impl Update for ComparisonList {
    type Message = KnownComparisons;

    fn update(&mut self, known: KnownComparisons) -> Vec<Effect> {
        self.rows.set_len(known.len());
        self.comparisons = Some(known);
        Vec::new()
    }
}

impl Screen for ComparisonList {
    fn key_context(&self) -> Context {
        Context::PromptsCompared
    }

    fn handle_open(&mut self) -> Vec<Effect> {
        vec![Effect::Start(tasks::read_comparison_list())]
    }

    fn handle_action(&mut self, action: Action) -> Vec<Effect> {
        self.rows.handle_action(action);
        // The table of keys offers this screen a part of all actions; it needs no others.
        match action {
            Action::Back => vec![Effect::Leave],
            Action::Open => self.open_report(),
            Action::Export => say_notice("open a comparison: its report can be written"),
            _ => Vec::new(),
        }
    }

    fn draw(
        &mut self,
        buffer: &mut Buffer,
        area: Rect,
        context: DrawContext<'_>,
    ) -> Option<Position> {
        let title = "Comparisons of prompts";
        let inner = draw_frame(area, buffer, context.look, title, Focus::Focused);
        if let Some(empty) = self.describe_empty() {
            draw_text(buffer, inner, context.look, &[empty]);
            return None;
        }
        self.rows.draw_tall(buffer, inner, context, EACH, |at| {
            self.lay_out_comparison(at)
        });
        None
    }

    fn describe_status(&self) -> String {
        match self.rows.row_count() {
            0 => String::new(),
            1 => "1 comparison".to_owned(),
            all => format!("{all} comparisons, newest first"),
        }
    }

    fn list_hints(&self) -> Vec<Action> {
        vec![Action::Open, Action::Back]
    }

    fn handle_return(&mut self) -> Vec<Effect> {
        self.handle_open()
    }
}
