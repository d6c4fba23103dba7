//! Look: a theme resolved for one terminal, with a style and a tag a role, and the glyphs.

use super::glyphs::{Glyphs, choose_plot_glyphs};
use elenchus_plot::PlotGlyphs;
use elenchus_terminal::{Depth, GlyphSet};
use elenchus_text::Role;
use elenchus_text::word_diff::Marking;
use ratatui::style::Style;

/// Letters of a tag at most; they are ASCII.
pub(super) const MAX_TAG: usize = 8;

/// Styles, tags and glyphs that screens draw with. A lookup costs an array access.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Look {
    pub(super) depth: Depth,
    pub(super) glyphs: GlyphSet,
    pub(super) faces: Vec<RoleStyle>,
}

/// The style and the tag of one role.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub(super) struct RoleStyle {
    pub(super) style: Style,
    pub(super) tag: String,
}

impl Look {
    /// Returns a look without colours, attributes and tags: what is left when no theme can be read.
    pub fn plain() -> Self {
        Self {
            depth: Depth::None,
            glyphs: GlyphSet::Ascii,
            faces: Vec::new(),
        }
    }

    /// Returns the style of a role, to be laid over [`Look::base_style`].
    pub fn style(&self, role: Role) -> Style {
        self.role_style(role)
            .map(|face| face.style)
            .unwrap_or_default()
    }

    /// Returns the letters that say what the colour says, for example `U`; empty where a role needs
    /// none.
    pub fn tag(&self, role: Role) -> &str {
        self.role_style(role).map_or("", |face| face.tag.as_str())
    }

    /// Returns the style the whole screen is filled with before anything is drawn.
    pub fn base_style(&self) -> Style {
        self.style(Role::Text)
    }

    /// Returns how words that differ are marked, by what the terminal can show.
    pub fn marking(&self) -> Marking {
        match self.depth {
            Depth::TrueColour | Depth::Indexed256 | Depth::Sixteen => Marking::Look,
            Depth::None => Marking::Signs,
        }
    }

    /// Returns the marks and lines.
    pub fn glyphs(&self) -> &'static Glyphs {
        Glyphs::from_set(self.glyphs)
    }

    /// Returns which marks these are.
    pub fn glyph_set(&self) -> GlyphSet {
        self.glyphs
    }

    /// Returns the signs that pictures are drawn with.
    pub fn plot_glyphs(&self) -> PlotGlyphs {
        choose_plot_glyphs(self.glyphs)
    }

    /// Returns how many colours are sent.
    pub fn depth(&self) -> Depth {
        self.depth
    }

    fn role_style(&self, role: Role) -> Option<&RoleStyle> {
        self.faces.get(role as usize)
    }
}
