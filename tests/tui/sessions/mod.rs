//! The list of sessions, and runs begun from the workbench.

mod families;
mod filter;
mod refresh;
mod runs;
mod screen;
mod several;
