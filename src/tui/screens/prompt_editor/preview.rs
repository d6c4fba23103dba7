//! Preview of a prompt on the screen: what is on the page, and how it is laid out.

use super::PromptEditor;
use crate::experiments::PreviewItem;
use crate::tui::screens::inspect::tagged;
use crate::tui::theme::Role;
use crate::tui::widgets::{LayOut, Paragraph, ScrollList, StyledLine, lay_out, woven};

impl PromptEditor {
    /// Makes the page of what was shown last; the cursor stays.
    pub(crate) fn turn_page(&mut self) {
        self.items = match (&self.shown, &self.staged) {
            (Some(shown), staged) => {
                let recorded = staged.as_ref().filter(|_| self.difference);
                shown.items(recorded.and_then(|staged| staged.stage.recorded.as_ref()))
            }
            (None, Some(_)) => PreviewItem::nothing("rendering"),
            (None, None) => PreviewItem::nothing("looking for a place where this prompt was used"),
        };
        self.roll.set_count(self.items.len());
    }

    /// Moves over the page.
    pub(crate) fn rolled(&mut self, how: impl FnOnce(&mut ScrollList, LayOut<'_>)) {
        let mut roll = std::mem::take(&mut self.roll);
        how(&mut roll, &|item, width| self.lines(item, width));
        self.roll = roll;
    }

    /// Lays one thing of the page out.
    pub(crate) fn lines(&self, item: usize, width: usize) -> Vec<StyledLine> {
        match self.items.get(item) {
            Some(PreviewItem::Heading(text)) => {
                let mut page = Vec::new();
                if item > 0 {
                    page.push(Paragraph::gap());
                }
                page.push(Paragraph::of(Role::Strong, text.clone()));
                lay_out(&page, width)
            }
            Some(PreviewItem::Part(part)) => {
                let origin = self.origins.origin(&part.from);
                let text = part.text.as_deref().unwrap_or_default();
                tagged(&origin, origin.kind.role(), &self.content.of(text), width)
            }
            Some(PreviewItem::Changed { before, now }) => {
                let (before, now) = (self.content.of(before), self.content.of(now));
                let page = match woven(&before, &now, self.marking) {
                    Some(page) => page,
                    None => vec![Paragraph::of(
                        Role::Notice,
                        "these texts are too long to be compared word by word",
                    )],
                };
                lay_out(&page, width)
            }
            Some(PreviewItem::Nothing(why)) => {
                lay_out(&[Paragraph::of(Role::Notice, why.clone())], width)
            }
            None => Vec::new(),
        }
    }
}
