//! Status messages on copies and written files. Pure.

use crate::tui::app::{Effect, Told};
use crate::tui::theme::Role;

/// Returns what is said of a text that was copied or written to a file.
pub(super) fn said(told: &Told) -> Vec<Effect> {
    let (role, text) = match told {
        Told::Copied(Ok(place)) => (Role::Notice, place.clone()),
        Told::Exported(Ok(path)) => (Role::Notice, format!("written to {}", path.display())),
        Told::Copied(Err(why)) | Told::Exported(Err(why)) => (Role::Error, why.clone()),
        _ => return Vec::new(),
    };
    vec![Effect::Say(role, text)]
}
