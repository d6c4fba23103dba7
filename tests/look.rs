//! Themes, keys, overlays and the parts they are made of.

mod contrast;
mod distinct;
mod editor;
mod keys;
mod kit;
mod overlays;
mod theme_files;
mod wrap;
