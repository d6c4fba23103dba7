//! Browser of sessions: all that were read, queried, ordered, grouped and changed, as a list shows them.
//! Pure, but for the changes.
//!
//! ```text
//! known_sessions   sessions that were read so far, with their names and tags
//! query            what a person types: words, and fields such as state:failed
//! arrangement      order and groups; families put forks below their parents
//! facts            what is known of a session, as paragraphs
//! change_history   changes that can be undone
//! search_results   places that hold a text
//! ```

mod arrangement;
mod change_history;
mod facts;
mod families;
mod known_sessions;
mod query;
mod search_results;

pub use arrangement::{
    ArrangedList, Direction, GroupBy, ListArrangement, ListLine, ListState, SessionGroup,
    SessionLine, SortBy,
};
pub use change_history::{ChangeCause, ChangeHistory, ChangeReport, SessionChange, make_change};
pub use facts::{age, session_facts, session_topic, verdict_counts};
pub use known_sessions::{KnownSessions, Listing, SessionEntry, SessionOrigin};
pub use query::query_fault;
pub use search_results::SearchResults;
