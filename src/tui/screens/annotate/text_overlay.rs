//! Text over an item: the codebook, or what the seat saw.

use super::labelling_key;
use crate::tui::app::DrawContext;
use crate::tui::keys::Action;
use crate::tui::theme::Role;
use crate::tui::widgets::{Focus, Page, draw_edge_hint, draw_frame, fill_area};
use elenchus_annotation::labelling::LabellingText;
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
    pub(super) fn new(text: LabellingText) -> Self {
        Self {
            title: text.title,
            page: Page::from_texts(text.page),
            hides: text.hides,
        }
    }

    pub(super) fn handle_action(&mut self, action: Action) -> OverlayAnswer {
        match action {
            Action::Back | Action::Codebook | Action::Inspect => OverlayAnswer::Closes,
            Action::Reveal if self.hides => OverlayAnswer::Reveal,
            _ => {
                self.page.handle_action(action);
                OverlayAnswer::Stays
            }
        }
    }

    pub(super) fn draw(&mut self, buffer: &mut Buffer, area: Rect, context: DrawContext<'_>) {
        fill_area(area, buffer, context.look);
        let inner = draw_frame(area, buffer, context.look, &self.title, Focus::Focused);
        self.page.draw(buffer, inner, context, Focus::Unfocused);
        let hint = context.spell_keys(&self.hint_text());
        draw_edge_hint(buffer, area, context.look, Role::Muted, &hint);
    }

    /// Returns what is said below it; keys are named by their marks.
    fn hint_text(&self) -> String {
        let back = labelling_key(Action::Back);
        match self.hides {
            false => format!(" {back} goes back "),
            true => format!(
                " {back} goes back; {} shows what is hidden: labels to come are then not blind ",
                labelling_key(Action::Reveal)
            ),
        }
    }
}
