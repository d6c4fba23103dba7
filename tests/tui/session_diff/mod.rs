//! Two sessions side by side.

mod rows;
mod screen;
