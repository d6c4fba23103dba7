//! Two sessions side by side.

mod screen;
