//! Themes: TOML files that give each [`Role`] a look. Only `files` touches the disk.

mod ascii;
mod depth;
mod files;
mod glyphs;
mod look;
mod role;
mod sheet;
mod themes;
mod worn;

pub use ascii::to_ascii;
pub use depth::{Depth, Rgb};
pub use files::{MAX_THEME_BYTES, MAX_THEMES, ThemeFiles, built_in};
pub use glyphs::{GlyphSet, Glyphs};
pub use look::{Look, MAX_TAG};
pub use role::Role;
pub use sheet::ThemeError;
pub use themes::{DEFAULT_THEME, Listed, Theme, Themes};
pub use worn::Worn;
