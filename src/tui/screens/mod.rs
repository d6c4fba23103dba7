//! Screens of the workbench: one folder each, registered in `places` where the line at the top names them. A screen
//! puts widgets, popups and components together; what it shows comes from the rooms below.

pub(crate) mod annotate;
pub mod attempts;
pub mod comparison_form;
pub mod debate;
mod experiments;
mod first;
pub mod inspect;
pub mod matrix;
mod memory;
pub mod new_debate;
mod places;
pub mod prompt_ab;
mod prompt_editor;
mod prompt_list;
pub mod prompt_trial;
mod queues;
pub mod session_diff;
pub mod sessions;
mod side_by_side;
pub mod tree;
mod validate;

pub(crate) use first::annotate_screen;
pub use first::first_screen;
pub use places::{PLACES, Place, default_keys};
