//! Themes: TOML files that give each [`Role`] a look.

mod role;

pub use role::Role;
