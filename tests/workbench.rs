//! The whole workbench, by the real program in a terminal.

mod stepping;
