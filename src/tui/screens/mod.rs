//! Screens of the workbench.

/// Gives a screen that starts no tasks of its own the messages it never gets.
macro_rules! no_own_messages {
    ($screen:ty) => {
        impl crate::tui::app::Update for $screen {
            type Message = std::convert::Infallible;

            fn update(&mut self, message: Self::Message) -> Vec<crate::tui::app::Effect> {
                match message {}
            }
        }
    };
}

pub(crate) mod annotate;
pub mod attempts;
pub(crate) mod debate;
mod experiments;
mod first;
pub mod inspect;
mod memory;
pub mod new_debate;
mod places;
pub mod prompt_ab;
mod prompt_editor;
mod prompt_list;
pub mod prompt_trial;
pub mod rejudging;
mod rows;
pub mod session_diff;
mod session_lock;
pub mod sessions;
pub mod tree;
mod validate;

pub(crate) use first::annotate_screen;
pub use first::first_screen;
pub(crate) use places::{PLACES, Place};
pub use session_lock::Hold;
