//! Context of drawing: what screens, popups and widgets are drawn with.

use super::Marking;
use super::click_rows::ClickRows;
use crate::tui::keys::{KeyTable, spelled};
use crate::tui::theme::{GlyphSet, Look};
use elenchus_text::{Content, Paragraph, Role};
use std::time::Instant;

/// Context of drawing: look, masking and keys.
#[derive(Clone, Copy)]
pub struct DrawContext<'a> {
    pub look: &'a Look,
    /// Masking of content, for work in public.
    pub content: Content,
    /// The keys in force.
    pub keys: &'a KeyTable,
    /// Where the list that has the keys notes its rows.
    pub rows: &'a ClickRows,
    /// Time of drawing.
    pub now: Instant,
}

impl DrawContext<'_> {
    /// Returns what texts were laid out for: they are laid out anew where it changes.
    pub(crate) fn layout_style(&self) -> LayoutStyle {
        LayoutStyle {
            content: self.content,
            marking: self.look.marking(),
            glyphs: self.look.glyph_set(),
        }
    }

    /// Puts the keys in force into the words of a paragraph; what others said, in [`Role::Text`], stays as it is.
    pub(crate) fn spell_paragraph(&self, mut paragraph: Paragraph) -> Paragraph {
        for (role, text) in &mut paragraph.runs {
            if *role != Role::Text {
                *text = self.spell_keys(text);
            }
        }
        paragraph
    }

    /// Puts the keys in force into a sentence.
    pub fn spell_keys(&self, sentence: &str) -> String {
        spelled(sentence, self.keys)
    }
}

/// What changes how a text is laid out, apart from its width.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct LayoutStyle {
    content: Content,
    marking: Marking,
    glyphs: GlyphSet,
}
