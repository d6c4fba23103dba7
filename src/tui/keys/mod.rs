//! Keys and what they ask for: one table of named actions with contexts.

mod action;
mod chord;
mod file;
mod keytable;
mod refuse;
mod resolver;
mod spell;
mod table;

pub use action::Action;
pub use chord::MAX_CHORD;
pub use file::read;
pub use keytable::{Found, KeyError, KeyOverride, KeyTable};
pub use refuse::LABEL_LETTERS;
pub use resolver::{Continuation, Leads, Resolved, Resolver, continuations};
pub use spell::{key_for, spelled};
pub use table::{Binding, Chord, Context};
