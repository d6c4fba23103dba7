//! Popups: small windows over a screen: help, palette, themes, confirmations, pickers. Pure: they
//! return what was decided and perform nothing. All work from 60×15 on.
//!
//! An overlay says what it [`Reads`]; it is given actions of [`Context::List`], or the keys themselves
//! while text is typed into it.
//!
//! [`Context::List`]: crate::tui::keys::Context::List

mod confirm;
mod dialog;
mod foot_prompt;
mod help;
mod line_prompt;
mod palette;
mod picker;
mod themes;
mod which_key;
mod writing;

pub use confirm::{Confirm, ConfirmAnswer};
pub use dialog::{Dialog, DialogAnswer};
pub use foot_prompt::{FootPrompt, FootText, PromptKeyResult};
pub use help::Help;
pub use line_prompt::LinePrompt;
pub use palette::{CommandLineEntry, PaletteRow, build_palette};
pub use picker::{PickItem, Picker};
pub use themes::{ThemePicker, ThemeWish};
pub use which_key::WhichKey;
pub(crate) use writing::{Writing, WritingKey};

/// Input that an overlay reads at present.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum InputKind {
    /// Actions of [`Context::List`](crate::tui::keys::Context::List), by its `handle_action`.
    Actions,
    /// Keys as they are typed, by its `key`, and pasted text, by its `paste`.
    Text,
}

/// Result of an action or a key in a popup.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum PopupResult<T> {
    /// The overlay stays; it may look different.
    Stays,
    /// The overlay is to be closed; nothing was decided.
    Closes,
    /// Decided; the overlay is to be closed unless the decision says otherwise.
    Says(T),
}
