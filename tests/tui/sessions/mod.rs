//! The list of sessions, and runs begun from the workbench.

mod runs;
mod screen;
