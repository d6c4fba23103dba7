//! Screens of the workbench, typed into and drawn without a terminal.

mod kit;
mod new;
mod sessions;
