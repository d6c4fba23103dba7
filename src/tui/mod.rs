//! Terminal workbench: screens draw a snapshot of the state and return effects.
//!
//! ```text
//! terminal ── input ──► app: state, update ──► effects, tasks ──► services ──► engine, workspace, …
//!   ▲                    │ draw                                        │
//!   └────── frames ◄─────┘ ◄──────────── results ◄─────────────────────┘
//! ```
//!
//! The room `terminal` alone touches the terminal, `services` and the tasks of screens alone the rooms below; everything
//! between is pure. A screen never names a colour (it names a [`theme::Role`]) and never reads a key (it answers an
//! [`keys::Action`]), except where text is typed.

pub mod app;
pub mod components;
pub mod keys;
pub mod popups;
pub mod screens;
pub mod theme;
pub mod widgets;
