//! Parts that screens are made of.

mod cells_written;
mod editor;
mod fuzzy;
mod gallery;
mod line_input;
mod list_cursor;
mod panes;
mod scrolling;
mod table;
mod wrap;
