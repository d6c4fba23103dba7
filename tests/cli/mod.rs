//! The commands that read, driven through the real binary in an environment of their own.

mod kit;

mod completions;
mod config;
mod diff;
mod doctor;
mod gate;
mod journals;
mod list;
mod protocols;
mod show;
mod verify;
