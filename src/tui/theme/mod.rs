//! Themes: TOML files that give each [`Role`] a look.

mod depth;
mod glyphs;
mod look;
mod role;

pub use depth::{Depth, Rgb};
pub use glyphs::{GlyphSet, Glyphs};
pub use look::{Look, MAX_TAG};
pub use role::Role;
