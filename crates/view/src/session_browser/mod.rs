//! Browser of sessions: all that were read, queried, ordered, grouped and changed, as a list shows them.
//! Pure, but for the changes and exports.
//!
//! ```text
//! browser          lines as they are listed, the choice among them, marks, a search
//! several          acts on all marked sessions: what is asked before, and what came of it
//! export           sessions written to files
//! known_sessions   sessions that were read so far, with their names and tags
//! query            what a person types: words, and fields such as state:failed
//! arrangement      order and groups; families put forks below their parents
//! heading          texts above the list
//! facts            what is known of a session, as paragraphs
//! change_history   changes that can be undone
//! search_results   places that hold a text
//! ```

mod arrangement;
mod browser;
mod change_history;
mod export;
mod facts;
mod families;
mod heading;
mod known_sessions;
mod query;
mod search_results;
mod several;

pub use arrangement::{
    ArrangedList, Direction, GroupBy, ListArrangement, ListLine, ListState, SessionGroup,
    SessionLine, SortBy,
};
pub use browser::{Fold, ListPick, SessionBrowser};
pub use change_history::{ChangeCause, ChangeHistory, ChangeReport, SessionChange, make_changes};
pub use export::{SessionsExport, export_sessions};
pub use facts::{session_facts, session_topic, verdict_counts};
pub use heading::HeadingKey;
pub use known_sessions::{KnownSessions, Listing, SessionEntry, SessionOrigin};
pub use query::query_fault;
pub use search_results::SearchResults;
pub use several::{ActTargets, outcome_words};
