//! The screen that the workbench opens with.

use super::debate::Debate;
use crate::tui::app::{Deed, Screen};
use crate::tui::keep::Kept;

/// Returns the first screen and what it wants done at once.
pub fn first_screen(kept: &Kept) -> (Box<dyn Screen>, Vec<Deed>) {
    let id = crate::debate::SessionId::new("");
    let (debate, _) = Debate::opening(id, kept, None);
    (Box::new(debate), vec![Deed::List])
}
