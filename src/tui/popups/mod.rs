//! Small windows over a screen: help, palette, themes, questions, pickers. Pure: they answer what was
//! decided and perform nothing. All work from 60×15 on.
//!
//! An overlay says what it [`Reads`]; it is given actions of [`Context::List`], or the keys themselves
//! while text is typed into it.
//!
//! [`Context::List`]: crate::tui::keys::Context::List

mod ask;
mod help;
mod palette;
mod pick;
mod prompt;
mod themes;
mod which_key;

pub use ask::{Answer, Ask};
pub use help::Help;
pub use palette::Palette;
pub use pick::{Pick, PickItem};
pub use prompt::Prompt;
pub use themes::{ThemePicker, ThemeWish};
pub use which_key::WhichKey;

/// What an overlay wants to be given at present.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Reads {
    /// Actions of [`Context::List`](crate::tui::keys::Context::List), by its `act`.
    Actions,
    /// Keys as they are typed, by its `key`, and pasted text, by its `paste`.
    Text,
}

/// What became of an action or a key.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Said<T> {
    /// The overlay stays; it may look different.
    Stays,
    /// The overlay is to be closed; nothing was decided.
    Closes,
    /// This was decided; the overlay is to be closed unless what it says tells otherwise.
    Says(T),
}
