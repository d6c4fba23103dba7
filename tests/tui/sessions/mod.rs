//! The list of sessions, and runs begun from the workbench.

mod refresh;
mod runs;
mod screen;
