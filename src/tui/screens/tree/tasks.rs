//! Task of the tree of forks: which session was forked from which, and how each went.

use super::Message;
use crate::tui::app::{Services, Task};
use crate::tui::keys::{Action, Context, key_for};
use elenchus_annotation::{hidden_sessions, hide_verdicts};
use elenchus_game::debate::SessionId;
use elenchus_records::workspace::{SessionOverview, StoreIndex, example_of, list_overviews};
use elenchus_records::workspace::{WorkspaceError, read_sessions_index, reject};
use elenchus_view::{SessionLocation, Tree, read_tree};

pub(super) fn load_forks(here: SessionId) -> Task {
    Task::new_with_index(
        "read the tree of forks",
        read_sessions_index,
        move |services, index| Message::Read(load_tree(services, index, &here)),
    )
}

fn load_tree(
    services: &Services,
    index: &StoreIndex,
    here: &SessionId,
) -> Result<(Tree, Vec<SessionOverview>), WorkspaceError> {
    if example_of(&services.store, here).is_some() {
        return reject(format!(
            "nothing was forked from this example yet: {} on the debate screen does",
            key_for(Context::Debate, Action::Fork)
        ));
    }
    let tree = read_tree(index, here)?;
    let branches = tree.branches.iter();
    let branches = branches.filter(|branch| branch.location == SessionLocation::Kept);
    let session_ids: Vec<SessionId> = branches.map(|branch| branch.session.clone()).collect();
    let mut batch = list_overviews(index, &session_ids);
    if let Ok(hidden_ids) = hidden_sessions(&services.store) {
        hide_verdicts(&mut batch, &hidden_ids);
    }
    Ok((tree, batch.into_iter().flatten().collect()))
}
