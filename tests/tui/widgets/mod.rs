//! Parts that screens are made of.

mod editor;
mod gallery;
mod wrap;
