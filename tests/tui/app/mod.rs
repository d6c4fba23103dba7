//! The whole workbench, by the real program in a terminal.

mod hidden_text;
mod hostile_text;
mod leaving;
mod looks;
mod new_screen;
mod panicking;
mod top_line;
mod walkthrough;
