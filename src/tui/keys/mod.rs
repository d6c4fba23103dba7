//! Key bindings: one table of named actions with contexts.

mod action;
mod chord;
mod conflicts;
mod defaults;
mod file;
mod help_texts;
mod key_names;
mod key_table;
mod resolver;
mod screen_keys;

pub use action::Action;
pub use chord::{key_name, typed_char};
pub use conflicts::LABEL_LETTERS;
pub use defaults::{Chord, Context, DEFAULTS, DefaultKeys};
pub use file::parse_overrides;
pub(crate) use help_texts::HelpGroup;
pub use key_names::{key_for, parse_mark, spelled};
pub use key_table::{KeyError, KeyMatch, KeyOverride, KeyTable};
pub(crate) use resolver::Continuation;
pub use resolver::{KeyTarget, Resolved, Resolver, find_continuations};
pub use screen_keys::ScreenKeys;
