//! Reply columns: replies of one turn side by side, and how their texts are shown; what screens of attempts and of
//! samples have in common.

use crate::tui::keys::Action;
use crate::tui::widgets::{
    ColumnHead, Content, DrawContext, Marking, Moved, Paragraph, TextColumns,
};
use elenchus_view::debate_text::AttemptOptions;
use ratatui::buffer::Buffer;
use ratatui::layout::Rect;

/// The columns, and how replies are shown in them.
pub(in crate::tui) struct ReplyColumns {
    pub columns: TextColumns,
    pub show: AttemptOptions,
}

impl Default for ReplyColumns {
    fn default() -> Self {
        Self::new(TextColumns::default())
    }
}

impl ReplyColumns {
    /// Plain texts, without what is private.
    pub(in crate::tui) fn new(columns: TextColumns) -> Self {
        Self {
            columns,
            show: AttemptOptions {
                content: Content::Shown,
                private: false,
                difference: false,
                marking: Marking::Look,
            },
        }
    }

    /// Marks differences from the beginning.
    #[must_use]
    pub(in crate::tui) fn with_differences(mut self) -> Self {
        self.show.difference = true;
        self
    }

    /// Moves, or shows the texts in another way, if the action does.
    pub(in crate::tui) fn handle_action(&mut self, action: Action) -> Moved {
        let option = match action {
            Action::Difference => &mut self.show.difference,
            Action::Private => &mut self.show.private,
            other => return self.columns.handle_action(other),
        };
        *option = !*option;
        self.columns.forget_layouts();
        Moved::Yes
    }

    /// Draws the columns; the text of one is asked for with how it is shown.
    pub(in crate::tui) fn draw(
        &mut self,
        buffer: &mut Buffer,
        area: Rect,
        context: DrawContext<'_>,
        head: impl Fn(usize) -> ColumnHead,
        text: impl Fn(usize, AttemptOptions) -> Vec<Paragraph>,
    ) {
        self.show.content = context.content;
        self.show.marking = context.look.marking();
        let show = self.show;
        let text = |at: usize| text(at, show);
        self.columns.draw(buffer, area, context, head, text);
    }
}
