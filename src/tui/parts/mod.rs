//! Widgets that screens and overlays are made of. Pure: they hold what is shown and answer what
//! became of a key; they perform nothing.

mod cells;
pub mod differ;
mod editor;
mod figures;
mod frame;
mod fuzzy;
mod line;
pub mod lines;
mod list;
pub mod paragraph;
mod quick;
pub mod roll;
pub mod secret;

pub use cells::{cells, graphemes};
pub use editor::{Edited, Editor, Found, MAX_EDITOR_BYTES, MAX_EDITOR_LINES, Onward, TooLong};
pub use figures::{counted, thousands};
pub use frame::{Focus, above_status, centred, fill, frame, put};
pub use fuzzy::{Ranked, rank};
pub use line::{LineInput, MAX_LINE_BYTES, Typed};
pub use list::{Moved, Rows, window};
