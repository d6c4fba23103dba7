//! Themes: TOML files that give each [`Role`] a look. Only `files` touches the disk.

mod active_theme;
mod ascii;
mod colour;
mod files;
mod glyphs;
mod look;
mod theme_file;
mod themes;

pub use active_theme::ActiveTheme;
pub use ascii::{spell_in_ascii, to_ascii};
pub use colour::Rgb;
pub use elenchus_terminal::{Depth, GlyphSet};
pub use elenchus_text::Role;
pub use files::{MAX_THEME_BYTES, ThemeFiles, parse_built_in};
pub(crate) use glyphs::{Glyphs, choose_plot_glyphs};
pub use look::Look;
pub(crate) use themes::ThemeListing;
pub use themes::Themes;
