//! Glyphs of screens: marks and lines in Unicode and in ASCII. Every mark is one cell wide.

use elenchus_plot::PlotGlyphs;
use elenchus_terminal::GlyphSet;
use ratatui::symbols::border;

/// Marks and lines.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Glyphs {
    pub border: border::Set<'static>,
    /// Another set than `border`, so that focus shows without colour.
    pub border_focused: border::Set<'static>,
    /// Before the title of the focused pane.
    pub focus: &'static str,
    /// Before the chosen row or the turn under the cursor.
    pub cursor: &'static str,
    pub bullet: &'static str,
    /// Cut text.
    pub ellipsis: &'static str,
    /// Between parts of one line.
    pub separator: &'static str,
    /// In the timeline: a turn that nothing was found on.
    pub turn: &'static str,
    /// In the timeline and the rail: a turn found safe, unsafe, between, or not readable.
    pub safe: &'static str,
    pub unsafe_found: &'static str,
    pub middle: &'static str,
    pub unparsed: &'static str,
    /// A turn that a guardrail refused.
    pub refused: &'static str,
    /// A turn in which nothing visible came.
    pub empty: &'static str,
    /// A turn whose call failed: the key that asks again.
    pub failed: &'static str,
    /// A step that is open.
    pub open: &'static str,
    /// A step that is being played.
    pub playing: &'static str,
    /// A person's text or finding.
    pub human: &'static str,
    /// Branches of a tree, two cells wide: a child, the last child, past a child, past the last.
    pub tree_child: &'static str,
    pub tree_last: &'static str,
    pub tree_past: &'static str,
    pub tree_none: &'static str,
    pub folded: &'static str,
    pub unfolded: &'static str,
    pub up: &'static str,
    pub down: &'static str,
    pub left: &'static str,
    pub right: &'static str,
    /// The filled and the empty part of a bar.
    pub bar: &'static str,
    pub bar_empty: &'static str,
}

impl Glyphs {
    /// Returns the marks of a set.
    pub fn from_set(set: GlyphSet) -> &'static Self {
        match set {
            GlyphSet::Unicode => &UNICODE,
            GlyphSet::Ascii => &ASCII,
        }
    }
}

const UNICODE: Glyphs = Glyphs {
    border: border::PLAIN,
    border_focused: border::THICK,
    focus: "◆",
    cursor: "▶",
    bullet: "•",
    ellipsis: "…",
    separator: "│",
    turn: "·",
    safe: "○",
    unsafe_found: "▲",
    middle: "◐",
    unparsed: "?",
    refused: "⊘",
    empty: "◇",
    failed: "X",
    open: "□",
    playing: "▷",
    human: "☻",
    tree_child: "├─",
    tree_last: "└─",
    tree_past: "│ ",
    tree_none: "  ",
    folded: "▸",
    unfolded: "▾",
    up: "↑",
    down: "↓",
    left: "←",
    right: "→",
    bar: "█",
    bar_empty: "░",
};

const ASCII: Glyphs = Glyphs {
    border: ascii_border("+", "-", "|"),
    border_focused: ascii_border("#", "=", "#"),
    focus: "*",
    cursor: ">",
    bullet: "-",
    ellipsis: "~",
    separator: "|",
    turn: ".",
    safe: "o",
    unsafe_found: "!",
    middle: "%",
    unparsed: "?",
    refused: "=",
    empty: "0",
    failed: "X",
    open: "_",
    playing: ">",
    human: "@",
    tree_child: "|-",
    tree_last: "`-",
    tree_past: "| ",
    tree_none: "  ",
    folded: "+",
    unfolded: "-",
    up: "^",
    down: "v",
    left: "<",
    right: ">",
    bar: "#",
    bar_empty: ".",
};

const fn ascii_border(
    corner: &'static str,
    across: &'static str,
    down: &'static str,
) -> border::Set<'static> {
    border::Set {
        top_left: corner,
        top_right: corner,
        bottom_left: corner,
        bottom_right: corner,
        vertical_left: down,
        vertical_right: down,
        horizontal_top: across,
        horizontal_bottom: across,
    }
}

/// Returns the signs of pictures that a terminal can show.
pub fn choose_plot_glyphs(set: GlyphSet) -> PlotGlyphs {
    match set {
        GlyphSet::Unicode => PlotGlyphs::Unicode,
        GlyphSet::Ascii => PlotGlyphs::Ascii,
    }
}
