//! Themes.

mod contrast;
mod distinct;
mod files;
