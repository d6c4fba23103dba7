//! View

mod act_history;
pub mod debate_blocks;
pub mod memory;
mod opened_session;
mod search;
pub mod seat_view;
pub mod session_browser;
pub mod session_diff;
pub mod transcript;
mod tree;

pub use act_history::{Act, ActHistory, Reversal};
pub use opened_session::{
    ExportAs, Opened, SessionUpdate, export_session, follow_session, is_session, session_path,
};
pub use search::{HitLocation, SearchEvent, SearchHit, SessionSearch};
pub use tree::{Branch, Divergence, SessionLocation, Tree, TreeNode, tree};

#[cfg(test)]
mod tests;
