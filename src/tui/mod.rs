//! The workbench: screens that draw a snapshot and send an intent.
//!
//! ```text
//! term ── input ──► app: state, update ──► effects ──► hands ──► driver
//!   ▲                │ draw                               │
//!   └── frames ◄─────┘ ◄──────────── tidings ◄────────────┘
//! ```
//!
//! `term` alone touches the terminal, `hands` alone the driver; everything between is pure. A screen
//! never names a colour (it names a [`theme::Role`]) and never reads a key (it answers an
//! [`keys::Action`]), except where text is typed.

pub mod app;
pub mod hands;
pub mod input;
pub mod keep;
pub mod keys;
mod outside;
pub mod overlays;
pub mod parts;
mod run;
pub mod screens;
pub mod settings;
pub mod term;
pub mod theme;
pub mod watch;

pub use run::{Bench, Ending, First, Left, run};
