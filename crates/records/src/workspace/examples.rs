//! Example sessions that come with the program: people wrote every reply in them.
//!
//! No store is touched here; the caller shows an example or copies it into a store.

use super::StoreContext;
use super::error::Result;
use super::session::fold_session;
use elenchus_game::debate::{SessionId, State};
use elenchus_store::read_bytes;
use include_dir::{Dir, include_dir};
use std::path::Path;

static SESSIONS: Dir<'static> = include_dir!("$CARGO_MANIFEST_DIR/../../sessions");

/// End of a journal's name, after the session's id.
const JOURNAL: &str = "jsonl";

/// A session that comes with the program.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Example {
    pub id: SessionId,
    /// Its journal, as it would be in a store.
    pub bytes: &'static [u8],
}

/// Returns the examples in the order in which they are meant to be read: the last one played first.
pub fn list_examples() -> Vec<Example> {
    let mut examples: Vec<Example> = SESSIONS
        .files()
        .filter_map(|file| {
            let path = file.path();
            let is_journal = path.extension().is_some_and(|ending| ending == JOURNAL);
            let id = path.file_stem().filter(|_| is_journal)?.to_str()?;
            Some(Example {
                id: SessionId::new(id),
                bytes: file.contents(),
            })
        })
        .collect();
    examples.sort_by(|one, other| other.id.cmp(&one.id));
    examples
}

impl Example {
    /// Folds the example's journal.
    ///
    /// # Errors
    /// When this version cannot read it; none of those that come with it is such.
    pub fn fold_state(&self) -> Result<State> {
        let name = format!("sessions/{}.{JOURNAL}", self.id);
        let path = Path::new(&name);
        fold_session(path, read_bytes(path, self.bytes)?)
    }
}

/// Says whether an id is an example's, which is in no store.
pub fn is_example(id: &SessionId) -> bool {
    SESSIONS.get_file(format!("{id}.{JOURNAL}")).is_some()
}

/// Returns the example of an id, unless a session of that id is in the store.
pub fn example_of(store: &StoreContext, id: &SessionId) -> Option<Example> {
    let path = store.layout.session_path(id.as_str()).ok()?;
    let candidate = list_examples()
        .into_iter()
        .find(|example| example.id == *id);
    candidate.filter(|_| !path.exists())
}
