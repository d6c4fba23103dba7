//! View: what is shown of a store, before somebody knows on what. It calls no model and knows no terminal.
//!
//! ```text
//! debate_text      a debate as paragraphs, block by block: the text of panes, of `show`, of pages
//! show             what `elenchus show` prints: a session as a readable text
//! seat_view        what a seat was shown for one call, with the origin of every part
//! session_diff     two sessions compared
//! matrix           verdicts of many debates as a table, topics by rounds, arms or checkpoints
//! session_browser  all known sessions to go through: queried, ordered, grouped, changed
//! figures_page     the figures of an experiment, the first ones as bars
//! memory           entries to go through; the page of one
//! opened_session   a session as it is shown: opened, followed, exported
//! tree, search     forks of sessions as a tree; full-text search
//! turn_address     where a turn is found
//! act_history      acts of a person that can be undone
//! ```

mod act_history;
pub mod debate_text;
pub mod figures_page;
pub mod matrix;
pub mod memory;
mod opened_session;
mod search;
pub mod seat_view;
pub mod session_browser;
pub mod session_diff;
pub mod show;
mod tree;
mod turn_address;

pub use act_history::{Act, ActHistory, Reversal};
pub use opened_session::{
    ExportAs, OpenedSession, SessionUpdate, export_session, follow_session, is_session,
    session_path,
};
pub use search::{HitLocation, SearchEvent, SearchHit, SessionSearch};
pub use tree::{Branch, Divergence, SessionLocation, Tree, TreeNode, read_tree};
pub use turn_address::{TurnAddress, Way};

#[cfg(test)]
mod tests;
