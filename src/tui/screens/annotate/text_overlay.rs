//! Text over an item: the codebook, or what the seat saw.

use super::key;
use crate::tui::app::DrawContext;
use crate::tui::keys::Action;
use crate::tui::theme::Role;
use crate::tui::widgets::{Focus, Page, fill, frame, hint_on_edge};
use elenchus_annotation::labelling::SittingText;
use ratatui::buffer::Buffer;
use ratatui::layout::Rect;

/// A text to be read.
pub(super) struct TextOverlay {
    title: String,
    page: Page,
    /// Something in it is hidden that can be revealed.
    hides: bool,
}

/// What an action does to the text.
pub(super) enum OverlayAnswer {
    Stays,
    Closes,
    /// What it hides is to be shown.
    Reveal,
}

impl TextOverlay {
    pub(super) fn new(text: SittingText) -> Self {
        Self {
            title: text.title,
            page: Page::of_texts(text.page),
            hides: text.hides,
        }
    }

    pub(super) fn act(&mut self, action: Action) -> OverlayAnswer {
        match action {
            Action::Back | Action::Codebook | Action::Inspect => OverlayAnswer::Closes,
            Action::Reveal if self.hides => OverlayAnswer::Reveal,
            _ => {
                self.page.act(action);
                OverlayAnswer::Stays
            }
        }
    }

    pub(super) fn draw(&mut self, buffer: &mut Buffer, area: Rect, brush: DrawContext<'_>) {
        fill(area, buffer, brush.look);
        let inner = frame(area, buffer, brush.look, &self.title, Focus::Focused);
        self.page.draw(buffer, inner, brush, Focus::Unfocused);
        let hint = brush.spelled(&self.hint());
        hint_on_edge(buffer, area, brush.look, Role::Muted, &hint);
    }

    /// Returns what is said below it; keys are named by their marks.
    fn hint(&self) -> String {
        let back = key(Action::Back);
        match self.hides {
            false => format!(" {back} goes back "),
            true => format!(
                " {back} goes back; {} shows what is hidden: labels to come are then not blind ",
                key(Action::Reveal)
            ),
        }
    }
}
