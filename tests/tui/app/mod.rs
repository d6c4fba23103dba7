//! The whole workbench: by the real program in a terminal, and what is decided for all screens.

mod frames;
mod hidden_text;
mod hostile_text;
mod leaving;
mod looks;
mod new_screen;
mod panicking;
mod run_ends;
mod top_line;
mod walkthrough;
