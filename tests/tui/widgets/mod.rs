//! Parts that screens are made of.

mod editor;
mod wrap;
