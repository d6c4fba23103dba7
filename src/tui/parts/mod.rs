//! Widgets that screens and overlays are made of. Pure: they hold what is shown and answer what
//! became of a key; they perform nothing.

pub mod differ;
pub mod editor;
pub mod frame;
pub mod fuzzy;
pub mod line;
pub mod lines;
pub mod list;
pub mod paragraph;
pub mod roll;
pub mod secret;
pub mod shown;
pub mod wrap;
pub mod wraps;
