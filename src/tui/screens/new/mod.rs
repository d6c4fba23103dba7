//! A new debate.
use crate::tui::app::Effect;
/// The screen.
pub struct NewDebate;
impl NewDebate {
    /// Shows it.
    pub fn show() -> Vec<Effect> {
        Vec::new()
    }
}
