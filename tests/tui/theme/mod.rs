//! Themes.

mod colour;
mod contrast;
mod distinct;
mod files;
mod glyphs;
